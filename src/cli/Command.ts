/** The contract of a command: its entry in the help, and the function that runs it. */
import type * as Effect from "effect/Effect"
import type { Conclusion } from "./process/Conclusion.ts"
import type { Failure } from "./process/ExitCode.ts"
import type * as Flags from "./args/Flags.ts"
import type { Host } from "./process/Host.ts"
import type { AgentLayers } from "./process/AgentLayers.ts"

/** Flags given without a value, each with the index of the argument that follows it and may be its value. */
export type OptionalValueIndexes = { readonly [K in Flags.Key]?: number }

/** The input of a command: its arguments, its flags, and the list of all commands. */
export interface Invocation {
  readonly commands: ReadonlyArray<Command>
  readonly args: ReadonlyArray<string>
  readonly values: Flags.Values
  readonly optionalValueIndexes?: OptionalValueIndexes
  /** The value of `--resume`, if no session has this name. */
  readonly unknownSession?: string
}

/** Runs a command and returns its exit code. */
export type Run = (invocation: Invocation) => Effect.Effect<number, Failure, Conclusion | Host | AgentLayers>

export interface Command {
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  /** Subcommands. */
  readonly actions: ReadonlyArray<string>
  readonly summary: string
  readonly usage: ReadonlyArray<string>
  /** A command line and what it does. */
  readonly examples: ReadonlyArray<readonly [string, string]>
  readonly load: () => Promise<{ readonly run: Run }>
}

/** Whether a command takes arguments besides its flags, according to its usage lines. */
export const takesArgs = ({ actions, usage }: Command): boolean =>
  actions.length > 0 || usage.some((line) => /[<[](?!-|flags\])/.test(line))
