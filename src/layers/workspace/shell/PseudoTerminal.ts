/**
 * A pseudo-terminal around a command, by the program `script`: it is on every Linux (util-linux) and macOS, its child
 * has a session and a terminal of its own, and there is still no input to wait for.
 */

import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { readlinkSync } from "node:fs"

export interface Place {
  /** Absolute paths of `script` and of the shell. */
  readonly script: string
  readonly shell: string
  readonly platform: string
}

/** What is started in place of `plain`, and what the environment says then: programs ask it whether they may draw. */
export const around = ({ platform, script, shell }: Place, command: string, plain: ReadonlyArray<string>) => ({
  // util-linux runs a text by $SHELL, BSD an argv; both end with the command's own exit code.
  argv: platform === "darwin" ? [script, "-q", "/dev/null", ...plain] : [script, "-qefc", command, "/dev/null"],
  env: { SHELL: shell, TERM: "xterm-256color", COLUMNS: "120", LINES: "40" } as Readonly<Record<string, string>>
})

/**
 * Whether one of these processes sits at a terminal that takes lines and shows nothing of them (termios(3): ICANON without ECHO),
 * as programs do that ask for a password; full-screen programs take keys and no lines. Where there is no /proc nobody knows.
 */
export const hides = (pids: ReadonlyArray<number>, path: string): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const terminals = new Map(pids.map((pid) => [terminalOf(pid), pid]))
    terminals.delete(undefined)
    return Effect.map(
      Effect.forEach([...terminals.values()], (pid) => settings(pid, path)),
      (all) => all.some((words) => words.has("-echo") && words.has("icanon"))
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
