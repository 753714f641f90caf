/**
 * A pseudo-terminal around a command, through the program `script`: it is on every Linux (util-linux) and macOS, its
 * child process has its own session and terminal, and there is still no input to wait for.
 */

import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { readlinkSync } from "node:fs"

export interface TerminalPrograms {
  /** Absolute paths of `script` and of the shell. */
  readonly script: string
  readonly shell: string
  readonly platform: string
}

/** What is started in place of `argv`, and the changed environment: programs consult it to decide whether they may draw. */
export const wrap = ({ platform, script, shell }: TerminalPrograms, command: string, argv: ReadonlyArray<string>) => ({
  // util-linux runs a text by $SHELL, BSD an argv; both exit with the command's own exit code.
  argv: platform === "darwin" ? [script, "-q", "/dev/null", ...argv] : [script, "-qefc", command, "/dev/null"],
  env: { SHELL: shell, TERM: "xterm-256color", COLUMNS: "120", LINES: "40" } as Readonly<Record<string, string>>
})

/**
 * Whether one of these processes uses a terminal that takes lines without echoing them (termios(3): ICANON without
 * ECHO), as password prompts do; full-screen programs take keys and no lines. Unknown without /proc.
 */
export const hidesInput = (pids: ReadonlyArray<number>, path: string): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const terminals = new Map(pids.map((pid) => [terminalOf(pid), pid]))
    terminals.delete(undefined)
    return Effect.map(
      Effect.forEach([...terminals.values()], (pid) => settings(pid, path)),
      (all) => all.some((flags) => flags.has("-echo") && flags.has("icanon"))
    )
  })

/** The pseudo-terminal that a process reads from. */
const terminalOf = (pid: number): string | undefined => {
  try {
    const input = readlinkSync(`/proc/${pid}/fd/0`)
    return input.startsWith("/dev/pts/") ? input : undefined
  } catch {
    return undefined
  }
}

/** Through the process's own descriptor: in a sandbox the name means another terminal. */
const settings = (pid: number, path: string): Effect.Effect<ReadonlySet<string>> =>
  Effect.callback((resume) => {
    execFile("stty", ["-F", `/proc/${pid}/fd/0`, "-a"], { env: { PATH: path, LC_ALL: "C" }, timeout: 1000 }, (_, out) =>
      resume(Effect.succeed(new Set(out.split(/[\s;]+/)))))
  })
