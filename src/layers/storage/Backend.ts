/** What a storage back-end offers: one line of `builtin`, one run of the conformance suite. */
import type * as Layer from "effect/Layer"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Storage } from "../../services/Storage.ts"

/** `durable`: whoever opens the same folder later, or at the same time in another process, sees the same sessions. */
export interface Backend {
  readonly name: string
  readonly durable: boolean
  /** Opens the store of a data folder, and makes it where there is none. */
  readonly layer: (folder: string) => Layer.Layer<Storage, LogError>
}
