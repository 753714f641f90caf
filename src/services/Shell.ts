/** Commands of the agent: each in a process group of its own, of which nothing outlives the call. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ShellError } from "../domain/tool/ShellError.ts"

export interface Command {
  /** Run by bash as it stands. */
  readonly command: string
  readonly cwd: string
  readonly timeoutMs: number
  /** Characters of output kept: half from the head, half from the tail. */
  readonly keep: number
  /** Output as it comes, both streams, sanitised by whoever shows it. */
  readonly onOutput: (text: string) => void
}

/** `code` is null when a signal ended it. `cut` counts characters that were dropped from the middle. */
export interface Ran {
  readonly output: string
  readonly cut: number
  readonly code: number | null
  readonly signal: string | null
  readonly timedOut: boolean
}

export class Shell extends Context.Service<Shell, {
  readonly run: (command: Command) => Effect.Effect<Ran, ShellError>
}>()("efferent/Shell") {}
