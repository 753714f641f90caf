/** The contract of a storage back-end. Each is listed in `builtin` and passes the conformance suite. */
import type * as Layer from "effect/Layer"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Storage } from "../../services/Storage.ts"

/** `durable`: the sessions are visible to later processes and to other processes that open the same place. */
export interface Backend {
  readonly name: string
  readonly durable: boolean
  /** Opens the store at a place, a data folder or an address, and creates it if there is none. */
  readonly layer: (place: string) => Layer.Layer<Storage, LogError>
}
