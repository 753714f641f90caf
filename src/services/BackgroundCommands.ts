/** Commands of a session that may go on beside the agent: known by the call that began them, ended with the session. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ShellError } from "../domain/tool/ShellError.ts"
import type { Exit, Program } from "./Shell.ts"

/** Lines that stand together, `first` being the number of the first of them, from 1. */
export interface Lines {
  readonly first: number
  readonly lines: ReadonlyArray<string>
}

/** What a command said, as a terminal would show it last, without escapes. */
export interface Output {
  /** Head and tail of all of it, at most 48,000 characters; `cut` counts what is missing between them. */
  readonly excerpt: () => { readonly output: string; readonly cut: number }
  /** How many lines there are, the one that is being written among them. */
  readonly count: () => number
  /** The first line that no look has shown yet; the next look begins behind the lines that have ended by now. */
  readonly look: () => number
  /** Lines from a number on, in order; of very long output the middle is gone, and the numbers jump over it. */
  readonly lines: (from: number) => Stream.Stream<Lines>
}

/** A command that was started; `exit` is undefined while it runs. */
export interface Job {
  readonly id: string
  readonly command: string
  readonly exit: () => Exit | undefined
  readonly output: Output
  /** Returns when it has ended, when there is `enough`, or after so many ms of real time. */
  readonly wait: (ms: number, enough?: Effect.Effect<boolean>) => Effect.Effect<void>
  /** The TCP ports that it listens on now, ascending. */
  readonly ports: Effect.Effect<ReadonlyArray<number>>
  /** Whether its terminal hides what would be typed now. */
  readonly hides: Effect.Effect<boolean>
  /** Shows no more of its output to those who watch. */
  readonly leave: Effect.Effect<void>
  /** Ends it; what it said can still be read. */
  readonly stop: Effect.Effect<void>
  /** Ends it, and forgets what it said. */
  readonly close: Effect.Effect<void>
}

/** What is started for whom; `onOutput` as that of a Shell's command. */
export interface Asked extends Omit<Program, "onBytes"> {
  readonly session: string
  /** Names it within its session. */
  readonly id: string
  readonly onOutput: (text: string) => void
}

export class Jobs extends Context.Service<Jobs, {
  /** Not to be interrupted: what was started is known. */
  readonly start: (asked: Asked) => Effect.Effect<Job, ShellError>
  /** Undefined for one that was never there, was closed, or ended so long ago that later ones took its place. */
  readonly find: (session: string, id: string) => Effect.Effect<Job | undefined>
  /** Those that run, oldest first. */
  readonly running: (session: string) => Effect.Effect<ReadonlyArray<Job>>
  /** Ends all of a session's; returns when nothing of them is left. */
  readonly stop: (session: string) => Effect.Effect<void>
}>()("dacapo/Jobs") {}
