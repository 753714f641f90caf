/**
 * A pseudo-terminal around a command, through the program `script`: it is on every Linux (util-linux) and macOS, its
 * child process has its own session and terminal, and what `script` reads from its standard input is typed there.
 */

import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { readFileSync, readlinkSync } from "node:fs"
import { type InputMode, noTerminal, type TerminalInput } from "../../../services/Shell.ts"

export interface TerminalPrograms {
  /** Absolute paths of `script` and of the shell. */
  readonly script: string
  readonly shell: string
  readonly platform: string
  /** Whether `script` has the option --echo. */
  readonly hasEchoOption: boolean
}

/** Whether this `script` has the option --echo (util-linux 2.37 and newer), without which it may turn echo off. */
export const hasEchoOption = (script: string, path: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    execFile(script, ["--help"], { env: { PATH: path, LC_ALL: "C" }, timeout: 1000 }, (_, out) =>
      resume(Effect.succeed(/^\s*-E, --echo\b/m.test(out))))
  })

/** What is started in place of `argv`, and the changed environment: programs consult it to decide whether they may draw. */
export const wrap = ({ hasEchoOption, platform, script, shell }: TerminalPrograms, command: string, argv: ReadonlyArray<string>) => ({
  // util-linux runs a text by $SHELL, BSD an argv; both exit with the command's own exit code.
  argv: platform === "darwin" ? [script, "-q", "/dev/null", ...argv] : [script, ...(hasEchoOption ? ["-E", "always"] : []), "-qefc", command, "/dev/null"],
  env: { SHELL: shell, TERM: "xterm-256color", COLUMNS: "120", LINES: "40" } as Readonly<Record<string, string>>
})

/**
 * How the terminal of these processes takes input (termios(3)): lines, lines without ECHO, or keys without ICANON. Unknown without
 * /proc. If there are several, one that hides its input counts.
 */
export const input = (pids: ReadonlyArray<number>, path: string): Effect.Effect<TerminalInput> =>
  Effect.suspend(() => {
    const terminals = new Map(pids.map((pid) => [terminalOf(pid), pid]))
    terminals.delete(undefined)
    return Effect.map(
      Effect.forEach([...terminals.values()], (pid) => settings(pid, path)),
      (all) => {
        const modes = all.flatMap((flags): ReadonlyArray<InputMode> =>
          flags.has("-icanon") ? ["keys"] : !flags.has("icanon") ? [] : flags.has("-echo") ? ["hidden"] : ["lines"]
        )
        const mode = (["hidden", "keys", "lines"] as const).find((mode) => modes.includes(mode))
        return mode === undefined ? noTerminal : { mode, isReading: pids.some(isReading) }
      }
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

/** Whether a process is in the system call read (0 on x86-64, 63 on arm64) on a pseudo-terminal (proc_pid_syscall(5)). */
const isReading = (pid: number): boolean => {
  try {
    const [, file] = /^(?:0|63) 0x([0-9a-f]+) /.exec(readFileSync(`/proc/${pid}/syscall`, "utf8")) ?? []
    return file !== undefined && readlinkSync(`/proc/${pid}/fd/${Number.parseInt(file, 16)}`).startsWith("/dev/pts/")
  } catch {
    return false
  }
}

/** Through the process's own descriptor: in a sandbox the name means another terminal. */
const settings = (pid: number, path: string): Effect.Effect<ReadonlySet<string>> =>
  Effect.callback((resume) => {
    execFile("stty", ["-F", `/proc/${pid}/fd/0`, "-a"], { env: { PATH: path, LC_ALL: "C" }, timeout: 1000 }, (_, out) =>
      resume(Effect.succeed(new Set(out.split(/[\s;]+/)))))
  })
