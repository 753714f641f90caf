/** Any model behind one stream. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { TimedChunk } from "../domain/message/Chunk.ts"
import type { Model } from "../domain/provider/Model.ts"
import type { ModelRequest } from "../domain/provider/ModelRequest.ts"
import type { ProviderError } from "../domain/provider/ProviderError.ts"

/** A request in the format of its wire: `body` is what is hashed into the log, and sent. */
export interface PreparedRequest {
  readonly model: Model
  /** The source of `body`; it maps sent tool names to ours. */
  readonly request: ModelRequest
  readonly body: Schema.Json
}

export class Provider extends Context.Service<Provider, {
  /** What `provider/id` is and can do. Fails with `UnknownModel` and near names, or `Auth` if its key is missing. */
  readonly describe: (name: string) => Effect.Effect<Model, ProviderError>
  /** Pure: the same request gives the same bytes. */
  readonly prepare: (model: Model, request: ModelRequest) => Effect.Effect<PreparedRequest, ProviderError>
  /** One attempt; retries are the caller's. Ends after exactly one Finish, or fails. */
  readonly stream: (prepared: PreparedRequest) => Stream.Stream<TimedChunk, ProviderError>
}>()("dacapo/Provider") {}
