/** One git process: its arguments and environment in, its output and code out. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"

export interface GitCommand {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
}

/** `out` is the text of `bytes`. */
export interface GitOutput {
  readonly code: number
  readonly bytes: Uint8Array
  readonly out: string
  readonly error: string
}

/** The output limit in bytes; a list of files or a patch may be long, but not endless. */
const maxOutputBytes = 256 * 1024 * 1024

const startError = (cwd: string, cause: NodeJS.ErrnoException): CheckpointError =>
  new CheckpointError(
    cause.code === "ENOENT" && existsSync(cwd)
      ? { reason: "NoGit", message: "git is not on PATH." }
      : { reason: "Failed", message: `git could not be started: ${cause.message}` }
  )

// Detached: Ctrl-C at the terminal is for us, and would leave git's work unfinished.
const start = ({ args, cwd, env = {} }: GitCommand) =>
  spawn("git", [...args], { cwd, detached: true, env: { ...env }, stdio: ["pipe", "pipe", "pipe"] })

/** One process with exactly this environment. */
export const execute = (command: GitCommand): Effect.Effect<GitOutput, CheckpointError> =>
  Effect.callback((resume) => {
    const { cwd, stdin } = command
    let child: ReturnType<typeof start>
    try {
      child = start(command)
    } catch (cause) {
      // If memory is short, the system fails synchronously and not in an event.
      return resume(Effect.fail(startError(cwd, cause as NodeJS.ErrnoException)))
    }
    const out: Array<Buffer> = []
    let error = ""
    let size = 0
    child.stdout.on("data", (bytes: Buffer) => {
      size += bytes.length
      if (size <= maxOutputBytes) out.push(bytes)
      else child.kill()
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      error = (error + text).slice(-4096)
    })
    // A git that ends before it has read everything closes the pipe; its code gives the reason.
    child.stdin.on("error", () => undefined).end(stdin ?? "")
    child.once("error", (cause) => resume(Effect.fail(startError(cwd, cause))))
    child.once("close", (code, signal) => {
      const bytes = Buffer.concat(out)
      resume(Effect.succeed({
        code: code ?? 128,
        bytes,
        out: bytes.toString("utf8"),
        error: size > maxOutputBytes ? "The output is too large." : error.trim() || (signal === null ? "" : `ended by ${signal}`)
      }))
    })
    // Wait until it is gone: the next call would find its lock.
    return child.pid === undefined ? Effect.void : Effect.callback<void>((resume) => {
      child.once("close", () => resume(Effect.void)).kill()
    })
  })
