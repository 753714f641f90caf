/** A real terminal: tmux draws what the program writes, and types what a person would. Needs tmux (`apt-get install tmux`). */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Process from "./Process.ts"

export interface Terminal extends Disposable {
  /** What is on the screen now. */
  readonly screen: (escapes?: "escapes") => string
  /** The same, with all that has scrolled out of it. */
  readonly all: () => string
  /** The screen once it shows a text, and once what is there looks `settled`. */
  readonly shows: (text: string | RegExp) => Promise<string>
  /** The screen once a list with this above it takes keys. */
  readonly asks: (title: string) => Promise<string>
  /** The screen once nothing on it has changed for a moment. */
  readonly still: (escapes?: "escapes") => Promise<string>
  /** Keys by tmux's names, or text. */
  readonly press: (...keys: ReadonlyArray<string>) => void
  readonly type: (text: string) => void
  /** As a terminal pastes: in brackets, where the program asked for them. */
  readonly paste: (text: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** What tmux knows of the terminal, by a format of its own. */
  readonly tells: (format: string) => string
  /** The process of the command, once it runs. */
  readonly pid: () => number
  /** As a person closes a window. */
  readonly close: () => void
}

export interface Size {
  readonly columns?: number
  readonly rows?: number
  /** A file of the place into which every byte goes that reaches the terminal. */
  readonly record?: string
  /** What the shell does, given the command and what tells of its end: both, where nothing else is said. */
  readonly shell?: (command: string, left: string) => ReadonlyArray<string>
}

let sessions = 0

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

/** Runs the command in a terminal; when it ends the terminal tells its exit code and its settings. */
export const open = (
  place: Process.Place,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  { columns = 80, record, rows = 40, shell = (command, left) => [command, left] }: Size = {}
): Terminal => {
  const name = `s${++sessions}`
  // Each terminal has a server of its own: one that several share exits with the last of them, also while the next one starts.
  const tmux = (...command: ReadonlyArray<string>) =>
    execFileSync("tmux", ["-L", `dacapo-${process.pid}-${name}`, "-f", "/dev/null", ...command], { encoding: "utf8" })
  const script = join(place.root, `terminal-${name}.sh`)
  writeFileSync(script, [
    ...Object.entries({ ...place.environment, TERM: "tmux-256color", ...environment }).map(([name, value]) => `export ${name}=${quoted(value)}`),
    `cd ${quoted(place.cwd)}`,
    "trap : INT", // a Ctrl-C that reaches the shell too does not end it before it has told
    ...shell([process.execPath, Process.main, ...args].map(quoted).join(" "), "echo \"left with $?, $(stty -a | grep -oE -- '-?(icanon|echo)\\b' | tr '\\n' ' ')\""),
    "sleep 60"
  ].join("\n"))
  tmux("new-session", "-d", "-s", name, "-x", `${columns}`, "-y", `${rows}`, record === undefined ? `bash ${quoted(script)}` : `bash -c 'read -r; exec bash ${script}'`)
  if (record !== undefined) {
    tmux("pipe-pane", "-t", name, `cat > ${quoted(join(place.root, record))}`)
    tmux("send-keys", "-t", name, "Enter")
  }
  const screen = (escapes?: "escapes") => tmux("capture-pane", "-p", "-t", name, ...(escapes === undefined ? [] : ["-e"])).trimEnd()
  const shows = async (text: string | RegExp): Promise<string> => {
    for (let attempts = 0; attempts < 1_200; attempts++) {
      const now = screen()
      if (typeof text === "string" ? now.includes(text) : text.test(now)) return now
      await setTimeout(50)
    }
    throw new Error(`The terminal never showed ${text}:\n${screen()}`)
  }
  const still = async (escapes?: "escapes"): Promise<string> => {
    for (let before = screen(escapes), same = 0; ;) {
      await setTimeout(60)
      const now = screen(escapes)
      same = now === before ? same + 1 : 0
      if (same === 3) return now
      before = now
    }
  }
  return {
    screen,
    all: () => tmux("capture-pane", "-p", "-S", "-", "-t", name).trimEnd(),
    shows,
    asks: (title) => shows(new RegExp(`${RegExp.escape(title)}[^]*Enter to select`)),
    still,
    press: (...keys) => void tmux("send-keys", "-t", name, ...keys),
    type: (text) => void tmux("send-keys", "-t", name, "-l", "--", text),
    paste: (text) => {
      tmux("set-buffer", "-b", name, "--", text)
      tmux("paste-buffer", "-p", "-d", "-b", name, "-t", name)
    },
    resize: (columns, rows) => void tmux("resize-window", "-t", name, "-x", `${columns}`, "-y", `${rows}`),
    tells: (format) => tmux("display-message", "-p", "-t", name, format).trim(),
    pid: () => Number(execFileSync("pgrep", ["-P", tmux("display-message", "-p", "-t", name, "#{pane_pid}").trim()], { encoding: "utf8" })),
    close: () => void tmux("kill-pane", "-t", name),
    [Symbol.dispose]: () => {
      try {
        tmux("kill-session", "-t", name)
      } catch {
        // It was closed.
      }
    }
  }
}
