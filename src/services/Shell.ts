/** Commands of the agent: each in a process group of its own, of which nothing outlives the call or the scope. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ShellError } from "../domain/tool/ShellError.ts"

export interface Command {
  /** Run by bash as it stands. */
  readonly command: string
  readonly cwd: string
  readonly timeoutMs: number
  /** Characters of output kept: half from the head, half from the tail. */
  readonly keep: number
  /** Output as it comes, both streams, at most 20 times a second and of a flood the newest; sanitised by whoever shows it. */
  readonly onOutput: (text: string) => void
}

/** How a command ended: `code` is null when a signal ended it. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/**
 * `output` is what a terminal would show last, without escapes; where its middle was dropped a line says so, and `cut`
 * counts the characters. `code` is null when a signal ended it, and when its time was over.
 */
export interface Ran extends Exit {
  readonly output: string
  readonly cut: number
  readonly timedOut: boolean
}

/** A command that goes on beside its caller. `terminal` gives it a pseudo-terminal in place of a pipe. */
export interface Program extends Pick<Command, "command" | "cwd"> {
  readonly terminal?: boolean
  /** Every byte of both streams, in the order of their coming. */
  readonly onBytes: (bytes: Uint8Array) => void
}

/** A command that was started. */
export interface Running {
  /** Waits until it has ended, and what it left running too. */
  readonly exit: Effect.Effect<Exit>
  /** SIGTERM to all of it, SIGKILL after a grace; returns when nothing is left. */
  readonly stop: Effect.Effect<void>
  /** The TCP ports that its processes listen on now, ascending. */
  readonly ports: Effect.Effect<ReadonlyArray<number>>
  /** Whether its terminal shows nothing of what would be typed in a line now: so do those who ask for a password. */
  readonly hides: Effect.Effect<boolean>
}

export class Shell extends Context.Service<Shell, {
  /** Runs a command to its end, or until its time is over. */
  readonly run: (command: Command) => Effect.Effect<Ran, ShellError>
  /** Starts a command, which runs until it ends or the scope closes. */
  readonly start: (program: Program) => Effect.Effect<Running, ShellError, Scope.Scope>
}>()("dacapo/Shell") {}
