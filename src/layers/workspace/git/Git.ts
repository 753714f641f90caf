/** Git as plumbing: one process a call, nothing of the user's configuration, no question, no hook. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"

export interface Call {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

export interface Answer {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Settings that hold for every call: what could run a program, ask, translate content or tidy up is off. */
const settings = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.autocrlf": "false",
  "core.safecrlf": "false",
  "core.attributesFile": "/dev/null",
  "core.excludesFile": "/dev/null",
  "core.quotePath": "false",
  "core.compression": "1",
  "core.preloadIndex": "true",
  "commit.gpgSign": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "diff.external": "",
  "submodule.recurse": "false",
  "index.version": "4",
  "index.threads": "true",
  "protocol.allow": "never",
  "safe.directory": "*"
}).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** Nothing but these and `path` reaches git from our own environment. */
const quiet = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_AUTHOR_NAME: "dacapo",
  GIT_AUTHOR_EMAIL: "dacapo@localhost",
  GIT_COMMITTER_NAME: "dacapo",
  GIT_COMMITTER_EMAIL: "dacapo@localhost",
  LC_ALL: "C",
  HOME: "/nonexistent"
}

/** Bytes of output that are taken; a list of files or a patch may be long, but not endless. */
const longest = 256 * 1024 * 1024

const unstarted = (cwd: string, cause: NodeJS.ErrnoException): CheckpointError =>
  new CheckpointError(
    cause.code === "ENOENT" && existsSync(cwd)
      ? { reason: "NoGit", message: "git is not on PATH." }
      : { reason: "Failed", message: `git could not be started: ${cause.message}` }
  )

// Detached: Ctrl-C at the terminal is for us, and would leave git's work half done.
const start = (path: string, { args, cwd, env }: Call) =>
  spawn("git", [...settings, ...args], { cwd, detached: true, env: { PATH: path, ...quiet, ...env }, stdio: ["pipe", "pipe", "pipe"] })

/** Runs git and gives its answer, whatever the code; interrupting ends the process. */
export const run = (path: string) => (call: Call): Effect.Effect<Answer, CheckpointError> =>
  Effect.callback((resume) => {
    const { cwd, stdin } = call
    let child: ReturnType<typeof start>
    try {
      child = start(path, call)
    } catch (cause) {
      // Where memory is short, the system refuses at once and not in an event.
      return resume(Effect.fail(unstarted(cwd, cause as NodeJS.ErrnoException)))
    }
    const out: Array<Buffer> = []
    let error = ""
    let size = 0
    child.stdout.on("data", (bytes: Buffer) => {
      size += bytes.length
      if (size <= longest) out.push(bytes)
      else child.kill()
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      error = (error + text).slice(-4096)
    })
    // A git that ends before it has read everything closes the pipe; its code says why.
    child.stdin.on("error", () => undefined).end(stdin ?? "")
    child.once("error", (cause) => resume(Effect.fail(unstarted(cwd, cause))))
    child.once("close", (code, signal) =>
      resume(Effect.succeed({
        code: code ?? 128,
        out: Buffer.concat(out).toString("utf8"),
        error: size > longest ? "The output is too large." : error.trim() || (signal === null ? "" : `ended by ${signal}`)
      })))
    // Gone only when it is gone: who comes next would find its lock.
    return child.pid === undefined ? Effect.void : Effect.callback<void>((resume) => {
      child.once("close", () => resume(Effect.void)).kill()
    })
  })

/** As `run`, but fails unless git ends well. */
export const check = (path: string) => (call: Call): Effect.Effect<string, CheckpointError> =>
  Effect.flatMap(run(path)(call), ({ code, error, out }) =>
    code === 0
      ? Effect.succeed(out)
      : Effect.fail(new CheckpointError({ reason: "Failed", message: `git ${call.args.find((arg, i) => !arg.startsWith("-") && call.args[i - 1] !== "-c")}: ${error || `code ${code}`}` })))
