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
  /** Output as it comes, both streams, at most 20 times a second and of a flood the newest; sanitised by whoever shows it. */
  readonly onOutput: (text: string) => void
}

/**
 * `output` is what a terminal would show last, without escapes; where its middle was dropped a line says so, and `cut`
 * counts the characters. `code` is null when a signal ended it, and when its time was over.
 */
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
