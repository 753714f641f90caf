/** Shell commands: each in its own process group; no process outlives the call or the scope. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Access } from "../domain/tool/Access.ts"
import type { ShellError } from "../domain/tool/ShellError.ts"

export interface Command {
  /** Run by bash as it is. */
  readonly command: string
  readonly cwd: string
  /** It runs without the approval of a rule or a person, because it only reads: then git runs nothing that a repository configures. */
  readonly reads?: boolean
  readonly timeoutMs: number
  /** Characters of output to retain: half from the head, half from the tail. */
  readonly maxOutputCharacters: number
  /** Output as it arrives, both streams, at most 20 times a second, and the newest of a flood; sanitized by whoever shows it. */
  readonly onOutput: (text: string) => void
}

/** How a command ended: `code` is null if a signal ended it. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/**
 * `output` is what a terminal would finally show, without escapes; if its middle was dropped a line says so, and `omittedCharacters`
 * counts the characters. `code` is null if a signal ended it, or if it timed out.
 */
export interface CommandResult extends Exit {
  readonly output: string
  readonly omittedCharacters: number
  readonly hasTimedOut: boolean
}

/** A background command. `terminal` gives it a pseudo-terminal in place of a pipe, `call` is the tool call that it belongs to. */
export interface Program extends Pick<Command, "command" | "cwd" | "reads"> {
  readonly terminal?: boolean
  readonly call?: { readonly session: string; readonly id: string }
  /** What it reads on standard input; without it there is none. */
  readonly input?: string
  /** Variables besides those of every command: their names must be none that programs obey. */
  readonly variables?: Readonly<Record<string, string>>
  /** Every byte of both streams, in order of arrival. */
  readonly onBytes: (bytes: Uint8Array) => void
  /** With it the streams have pipes of their own: these are the bytes of standard error, and their order among the others is not exact. */
  readonly onErrorBytes?: (bytes: Uint8Array) => void
}

/** What was looked up about a command before it runs, for its judgement; as in a command's access. */
export type CommandFacts = Pick<Extract<Access, { readonly _tag: "Command" }>, "changes" | "confined" | "local" | "unclear">

/**
 * How a terminal takes input: `lines` with echo, as a shell's `read` does; `hidden` lines, as password prompts do; or single `keys`, as
 * full-screen programs do. `none`: there is no terminal, or the system does not tell.
 */
export type InputMode = "lines" | "hidden" | "keys" | "none"

/** `isReading`: one of its processes waits for input from it; false where the system does not tell. */
export interface TerminalInput {
  readonly mode: InputMode
  readonly isReading: boolean
}

export const noTerminal: TerminalInput = { mode: "none", isReading: false }

/** A started command. */
export interface RunningCommand {
  /** Waits until it has ended, and everything it left running too. */
  readonly exit: Effect.Effect<Exit>
  /** SIGTERM to all of it, SIGKILL after a grace period; returns when nothing is left. */
  readonly stop: Effect.Effect<void>
  /** The TCP ports that its processes currently listen on, ascending. */
  readonly ports: Effect.Effect<ReadonlyArray<number>>
  /** How its terminal takes input now. */
  readonly input: Effect.Effect<TerminalInput>
  /** Types into its terminal, as bytes of its keys; false if it has none, or does not read any more. */
  readonly type: (input: string) => Effect.Effect<boolean>
}

export class Shell extends Context.Service<Shell, {
  /** Starts nothing that the command or its folder names. */
  readonly inspect: (command: string, cwd: string) => Effect.Effect<CommandFacts>
  /** Runs a command to its end, or until it times out. */
  readonly run: (command: Command) => Effect.Effect<CommandResult, ShellError>
  /** Starts a command, which runs until it ends or the scope closes. */
  readonly start: (program: Program) => Effect.Effect<RunningCommand, ShellError, Scope.Scope>
}>()("dacapo/Shell") {}
