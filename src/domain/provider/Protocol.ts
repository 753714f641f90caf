/**
 * A wire protocol as pure functions. Transports live in layers/provider; they send the result of `encode` and pass events to
 * `step`.
 */
import type * as Schema from "effect/Schema"
import type { Chunk } from "../message/Chunk.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { ProviderError } from "./ProviderError.ts"

/** An event is the JSON of one frame, whatever it contains: `step` and `failure` are total. `step` mutates the state. */
export interface Protocol<State> {
  readonly name: string
  /** The request as JSON, without transport details. Total: any history that a log can hold becomes a body that the provider accepts. */
  readonly encode: (request: ModelRequest, model: Model) => Schema.Json
  /** A new state for each response; the request defines the mapping of tool names. */
  readonly initial: (request: ModelRequest) => State
  readonly step: (state: State, event: unknown) => readonly [State, ReadonlyArray<Chunk>]
  /** An error that a frame delivers in the middle of a response: the status it would have had, and its body. */
  readonly failure: (event: unknown) => { readonly status: number; readonly body: unknown } | undefined
  /** Why the events so far do not form one response, as the end of a sentence about the server. */
  readonly violation?: (state: State) => string | undefined
  /** Whether the terminal event has arrived: a response that ends without it was cut off. */
  readonly hasEnded: (state: State) => boolean
  /** Whether nothing more can arrive, so that nobody waits for the connection to close. */
  readonly isOver: (state: State) => boolean
  /** The final chunks after the last frame, which end with exactly one Finish. */
  readonly end: (state: State) => ReadonlyArray<Chunk>
  readonly classify: (response: ErrorResponse) => ProviderError
}

/**
 * A response that is an error. `headers` have lower-case names; `body` is the parsed JSON or the text; `now` is in ms since the
 * epoch, for limits that reset at a date.
 */
export interface ErrorResponse {
  readonly provider: string
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly now: number
}

export type Headers = Readonly<Record<string, string>>
