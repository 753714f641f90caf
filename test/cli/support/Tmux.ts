/** A real terminal: tmux draws what the program writes, and types what a person would. Needs tmux (`apt-get install tmux`). */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Process from "./Process.ts"

export interface Terminal extends Disposable {
  /** What is on the screen now. */
  readonly screen: (escapes?: "escapes") => string
  /** The screen once it shows a text, and once what is there looks `settled`. */
  readonly shows: (text: string | RegExp) => Promise<string>
  /** Keys by tmux's names, or text. */
  readonly press: (...keys: ReadonlyArray<string>) => void
  readonly type: (text: string) => void
}

let servers = 0

/** Runs the command in a terminal of 80 columns; when it ends the terminal tells its exit code and its settings. */
export const open = (place: Process.Place, args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}): Terminal => {
  const server = `efferent-${process.pid}-${++servers}`
  const tmux = (...args: ReadonlyArray<string>) => execFileSync("tmux", ["-L", server, "-f", "/dev/null", ...args], { encoding: "utf8" })
  const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
  const script = join(place.root, "terminal.sh")
  writeFileSync(script, [
    ...Object.entries({ ...place.environment, TERM: "tmux-256color", ...environment }).map(([name, value]) => `export ${name}=${quoted(value)}`),
    `cd ${quoted(place.cwd)}`,
    [process.execPath, Process.main, ...args].map(quoted).join(" "),
    "echo \"left with $?, $(stty -a | grep -oE -- '-?(icanon|echo)\\b' | tr '\\n' ' ')\"",
    "sleep 60"
  ].join("\n"))
  tmux("new-session", "-d", "-x", "80", "-y", "40", `bash ${quoted(script)}`)
  const screen = (escapes?: "escapes") => tmux("capture-pane", "-p", ...(escapes === undefined ? [] : ["-e"])).trimEnd()
  const shows = async (text: string | RegExp): Promise<string> => {
    for (let attempts = 0; attempts < 600; attempts++) {
      const now = screen()
      if (typeof text === "string" ? now.includes(text) : text.test(now)) return now
      await setTimeout(50)
    }
    throw new Error(`The terminal never showed ${text}:\n${screen()}`)
  }
  return {
    screen,
    shows,
    press: (...keys) => void tmux("send-keys", ...keys),
    type: (text) => void tmux("send-keys", "-l", text),
    [Symbol.dispose]: () => void tmux("kill-server")
  }
}
