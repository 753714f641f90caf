/** The process of the command line: its arguments, working folder and standard streams. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Environment } from "../../services/Environment.ts"
import type { InputError, OutputError } from "./CliError.ts"

/** An output stream. `columns` is the width of the terminal, or 80. */
export interface Output {
  readonly tty: boolean
  readonly columns: () => number
  /** Writes text with control characters removed (TerminalOutput). Returns when the system has it, so that nothing is lost at exit. */
  readonly write: (text: string) => Effect.Effect<void, OutputError>
  /** Writes data unchanged to a program or file; to a terminal, as printable text. */
  readonly data: (text: string) => Effect.Effect<void, OutputError>
}

/**
 * - `all` reads to the end.
 * - `piped` reads what accompanies a prompt given as an argument. It is null if nothing arrives, because a parent process
 *   may leave the input open and never write to it.
 * - `lines` are the lines as they arrive, without line endings.
 */
export interface Input {
  readonly tty: boolean
  readonly all: Effect.Effect<Uint8Array, InputError>
  readonly piped: Effect.Effect<Uint8Array | null, InputError>
  readonly lines: Stream.Stream<string, InputError>
}

/** `atExit` runs `undo` if the process ends abruptly, until the returned function is called. `sleep` suspends the process (Ctrl-Z). */
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
  /** What is ending this process, if anything: an uncaught defect or a signal. */
  readonly defect: () => { readonly defect: unknown } | undefined
  readonly signal: () => "SIGINT" | "SIGTERM" | "SIGHUP" | undefined
  /** The terminal itself, for the interactive screen. */
  readonly terminal: Terminal
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
}>()("dacapo/cli/Host") {}
