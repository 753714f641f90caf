/** Background commands of a session: identified by the call that started them, ended with the session. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ShellError } from "../domain/tool/ShellError.ts"
import type { Exit, Program, TerminalInput } from "./Shell.ts"

/** Consecutive lines; `first` is the number of the first of them, from 1. */
export interface Lines {
  readonly first: number
  readonly lines: ReadonlyArray<string>
}

/** A command's output, as a terminal would finally show it, without escapes. */
export interface Output {
  /** Head and tail of all of it, at most 48,000 characters; `omittedCharacters` counts what is missing between them. */
  readonly excerpt: () => { readonly output: string; readonly omittedCharacters: number }
  /** The number of lines, including the unfinished one. */
  readonly count: () => number
  /** The first line that was not shown yet; the next look begins after the lines that have ended by now. */
  readonly look: () => number
  /** Lines from a number on, in order; the middle of very long output is dropped, and the numbers skip it. */
  readonly lines: (from: number) => Stream.Stream<Lines>
}

/** A started command; `exit` is undefined while it runs. */
export interface BackgroundCommand {
  readonly id: string
  readonly command: string
  readonly exit: () => Exit | undefined
  /** How long it ran, in ms; undefined while it runs. */
  readonly durationMs: () => number | undefined
  /** The model learns from a tool result how it ended; `isReported` since then. */
  readonly report: Effect.Effect<void>
  readonly isReported: () => boolean
  readonly output: Output
  /** Returns when it has ended, when `until` holds, or after this many ms of real time. */
  readonly wait: (ms: number, until?: Effect.Effect<boolean>) => Effect.Effect<void>
  /** The TCP ports that it currently listens on, ascending. */
  readonly ports: Effect.Effect<ReadonlyArray<number>>
  /** Whether it has a terminal, into which input can be typed. */
  readonly hasTerminal: boolean
  /** How its terminal takes input now. */
  readonly input: Effect.Effect<TerminalInput>
  /**
   * Types into its terminal; false if it has none or has ended. A `secret` is a whole hidden line: where the command prints it
   * later, its output has a placeholder instead.
   */
  readonly type: (input: string, secret?: string) => Effect.Effect<boolean>
  /** Moves it to the background, if the agent waits for it; `released` returns when that happens. */
  readonly release: Effect.Effect<void>
  readonly released: Effect.Effect<void>
  /** Stops showing its output to observers. */
  readonly detach: Effect.Effect<void>
  /** Ends it; its output can still be read. */
  readonly stop: Effect.Effect<void>
  /** All of its output was reported: once it has ended, it is discarded before the output of others. */
  readonly dismiss: Effect.Effect<void>
  /** Ends it, and discards its output. */
  readonly close: Effect.Effect<void>
}

/** What to start, for which session; `onOutput` as for a Shell's command. */
export interface StartOptions extends Omit<Program, "onBytes" | "onErrorBytes"> {
  readonly session: string
  /** Identifies it within its session. */
  readonly id: string
  readonly onOutput: (text: string) => void
  /** Begins each line of standard error with `stderrMark`. */
  readonly marksStderr?: boolean
}

/** The beginning of a line of standard error, where it is marked. */
export const stderrMark = "stderr | "

export class BackgroundCommands extends Context.Service<BackgroundCommands, {
  /** Uninterruptible: every started command is registered. An earlier one of the same id ends first. */
  readonly start: (options: StartOptions) => Effect.Effect<BackgroundCommand, ShellError>
  /** Undefined for one that never existed, was closed, or ended so long ago that later ones replaced it. */
  readonly find: (session: string, id: string) => Effect.Effect<BackgroundCommand | undefined>
  /** Those whose output can be read, oldest first. */
  readonly list: (session: string) => Effect.Effect<ReadonlyArray<BackgroundCommand>>
  /** The running ones, oldest first. */
  readonly running: (session: string) => Effect.Effect<ReadonlyArray<BackgroundCommand>>
  /** Ends all of a session's commands; returns when none of their processes is left. */
  readonly stop: (session: string) => Effect.Effect<void>
}>()("dacapo/Jobs") {}
