/** The plug-in contract of a provider: a protocol, an endpoint, and how it authenticates. */
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Chunk } from "../domain/message/Chunk.ts"
import type { Model } from "../domain/provider/Model.ts"
import type { ModelRequest } from "../domain/provider/ModelRequest.ts"
import type { ProviderError } from "../domain/provider/ProviderError.ts"

/**
 * - `name` stands before the slash in `provider/model`. `wire` is the name of the protocol that it speaks.
 * - `keys` are the environment variables that may hold its key, the first found wins. With `keyOptional`, or with none
 *   named, it also runs without one.
 * - `catalogue` is the name under which the catalogue keeps its models, where that is another.
 * - `catalogueId` gives the catalogue's name for a model that has another one here.
 * - `baseUrl` is the default endpoint, `baseUrlVariable` the variable that overrides it. Where the endpoint depends on a
 *   place (a region, a project), `baseUrl` shows it with `<…>` in it, and `place` makes it from variables.
 */
export interface Route {
  readonly name: string
  readonly title: string
  readonly wire: string
  readonly keys: ReadonlyArray<string>
  readonly keyOptional?: boolean
  readonly baseUrl: string
  readonly baseUrlVariable?: string
  readonly local: boolean
  readonly catalogue?: string
  readonly catalogueId?: (id: string) => string
  readonly place?: Place
  /** How this route answers; given where to and with which key when it is first used. */
  readonly connect: (endpoint: Endpoint) => Connection
}

/** Variables of the environment. */
export type Variables = Readonly<Record<string, string | undefined>>

/** `keys` are the variables that tell where, `address` is undefined while one of them is missing. */
export interface Place {
  readonly keys: ReadonlyArray<string>
  readonly address: (variables: Variables) => string | undefined
}

/** Whether a route speaks to anyone: a script does not. */
export const hasServer = ({ baseUrl, baseUrlVariable }: Route): boolean => baseUrl !== "" || baseUrlVariable !== undefined

/**
 * `idleMs`: silence for longer than this breaks an answer. `variables`: the environment's, for what a route reads beside its key
 * (regions, projects, credentials of several parts).
 */
export interface Endpoint {
  readonly provider: string
  readonly baseUrl: string
  readonly key: Redacted.Redacted | undefined
  readonly idleMs: number
  readonly variables: Variables
  /** What SDKs send with: from a layer, so that cassettes and faults work for all. It puts on what the user adds. */
  readonly fetch: typeof globalThis.fetch
  /** Puts on what the user adds, for who signs before sending; twice is once. */
  readonly added: (request: Outgoing) => Outgoing
}

/** A request as it leaves. */
export interface Outgoing {
  readonly url: URL
  readonly headers: Headers
  readonly body: RequestInit["body"] | undefined
}

/** A route to one address with one key: what a request is on the wire, and sending it. */
export interface Connection {
  readonly encode: (request: ModelRequest, model: Model) => Schema.Json
  readonly send: (body: Schema.Json, request: Sent) => Stream.Stream<Chunk, ProviderError>
  /** What the server itself says of a model; null when it says nothing, `UnknownModel` when it denies it. */
  readonly describe?: (id: string) => Effect.Effect<Model | null, ProviderError>
  /** Models that the server itself lists, where it does. */
  readonly models?: Effect.Effect<ReadonlyArray<Model>, ProviderError>
}

/** What a transport needs beside the body. */
export interface Sent {
  readonly model: Model
  readonly request: ModelRequest
}
