/**
 * A wire protocol as pure functions. Transports live in layers/provider; they send what `encode` made and feed
 * what arrives to `step`.
 */
import type * as Schema from "effect/Schema"
import type { Chunk } from "../message/Chunk.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { ProviderError } from "./ProviderError.ts"

/** `Event` is one decoded frame of the answer. A state belongs to the step that takes it. */
export interface Protocol<State, Event> {
  readonly name: string
  /** The request as JSON, without transport details. Total: any history the log can hold becomes a body that the provider accepts. */
  readonly encode: (request: ModelRequest, model: Model) => Schema.Json
  /** A fresh state for each answer; the request tells which sent tool names stand for which of ours. */
  readonly initial: (request: ModelRequest) => State
  readonly step: (state: State, event: Event) => readonly [State, ReadonlyArray<Chunk>]
  /** An error that a frame brings in the middle of an answer: the status it would have had, and its body. */
  readonly failure: (event: Event) => { readonly status: number; readonly body: unknown } | undefined
  /** Whether the answer's terminal event came: an answer that ends without it was cut. */
  readonly ended: (state: State) => boolean
  /** Whether nothing more can come, so that nobody waits for the connection to close. */
  readonly over: (state: State) => boolean
  /** What is still to be said when the frames are over: ends with exactly one Finish. */
  readonly end: (state: State) => ReadonlyArray<Chunk>
  readonly classify: (answer: ErrorAnswer) => ProviderError
}

/**
 * An answer that is an error. `headers` have lower-case names; `body` is the parsed JSON, or its text; `now` is in
 * ms since the epoch, for limits that reset at a date.
 */
export interface ErrorAnswer {
  readonly provider: string
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly now: number
}

export type Headers = Readonly<Record<string, string>>
