/**
 * A wire protocol as three pure functions. Transports live in layers/provider; they send what `encode` made and
 * feed what arrives to `step`.
 */
import type { Chunk } from "../message/Chunk.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { ProviderError } from "./ProviderError.ts"

/** `Body` is the request as JSON, without transport details; `Event` is one decoded frame of the answer. */
export interface Protocol<Body, State, Event> {
  readonly name: string
  /** Total: any request that the log can hold becomes a body that the provider accepts. */
  readonly encode: (request: ModelRequest, model: Model) => Body
  /** A fresh state for each answer; a state belongs to the step that takes it. `model` maps sent names and ids back. */
  readonly initial: (request: ModelRequest) => State
  readonly step: (state: State, event: Event) => readonly [State, ReadonlyArray<Chunk>]
  /** Whether the answer's terminal event came: an answer that ends without it was cut. */
  readonly ended: (state: State) => boolean
  /** `body` is the parsed JSON of an error answer, or its text. */
  readonly classify: (provider: string, status: number, headers: Headers, body: unknown) => ProviderError
}

/** Lower-case header names. */
export type Headers = Readonly<Record<string, string>>
