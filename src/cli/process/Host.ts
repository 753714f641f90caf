/** The process as the command line sees it: how it was called, where, and its three streams. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Environment } from "../../services/Environment.ts"
import type { InputError, OutputError } from "./CliError.ts"

/** `columns` is the width of a terminal, 80 elsewhere. */
export interface Output {
  readonly tty: boolean
  readonly columns: () => number
  /** Returns when the text is handed over to the system, so that nothing is lost at exit. */
  readonly write: (text: string) => Effect.Effect<void, OutputError>
}

/**
 * - `all` reads to the end.
 * - `offered` is what came with a prompt that is already there: null where nothing comes, because a program that
 *   starts us may leave our input open and never write to it.
 * - `lines` are its lines as they come, without what ends them.
 */
export interface Input {
  readonly tty: boolean
  readonly all: Effect.Effect<Uint8Array, InputError>
  readonly offered: Effect.Effect<Uint8Array | null, InputError>
  readonly lines: Stream.Stream<string, InputError>
}

/** `atExit` runs `undo` where the process ends without closing anything, until what it gives is called. `sleep` is what Ctrl-Z does: it returns when a shell wakes us. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly atExit: (undo: () => void) => () => void
  readonly sleep: Effect.Effect<void>
}

export class Host extends Context.Service<Host, {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** The version of Node. */
  readonly node: string
  readonly environment: Environment["Service"]
  /** What is ending this process, once something is: a defect that nobody caught, or a signal. */
  readonly defect: () => { readonly defect: unknown } | undefined
  readonly signal: () => "SIGINT" | "SIGTERM" | "SIGHUP" | undefined
  /** The terminal itself, for a face that draws on it. */
  readonly terminal: Terminal
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
}>()("dacapo/cli/Host") {}
