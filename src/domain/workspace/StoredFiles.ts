/** Files that a session's log carries: git packs, stored as blobs that its events name. */
import * as Schema from "effect/Schema"
import { BlobHash } from "../message/Message.ts"

/**
 * The checked-out commit of the user's own repository; `branch` is null for a detached HEAD. `pack` is the blob of the commits that
 * earlier events do not carry. The parents of the commits in `shallow` are not carried.
 */
export const StoredRepository = Schema.Struct({
  branch: Schema.NullOr(Schema.String),
  head: Schema.String,
  shallow: Schema.Array(Schema.String),
  pack: Schema.optionalKey(BlobHash)
}).annotate({ identifier: "StoredRepository" })
export type StoredRepository = typeof StoredRepository.Type

/** What a log carries so far: the newest checkpoint with a pack, and the newest state of the user's repository. */
export interface StoredFiles {
  readonly checkpoint: string
  readonly repository?: StoredRepository
}
