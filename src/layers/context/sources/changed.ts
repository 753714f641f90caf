/** Files that someone else changed since this session saw them, checked before each request. */
import * as Effect from "effect/Effect"
import type { ChangedFile } from "../../../domain/session/SessionEvent.ts"
import { define } from "../../../services/Source.ts"
import { Workspace } from "../../../services/Workspace.ts"

/** The number of files checked concurrently. */
const concurrency = 16

export const changed = define({
  name: "changed",
  isFixed: false,
  gather: Effect.fn("changed")(function*({ files }) {
    if (files.size === 0) return {}
    const { hash } = yield* Workspace
    /** Null if the file does not exist, undefined if that is unknown. */
    const now = (path: string) => Effect.catch(hash(path), ({ reason }) => Effect.succeed(reason === "NotFound" ? null : undefined))
    const changes = yield* Effect.forEach(
      files,
      ([path, lastHash]) =>
        Effect.map(
          now(path),
          (hash): ReadonlyArray<ChangedFile> =>
            hash === undefined || hash === lastHash ? [] : [{ path, kind: hash === null ? "deleted" : "modified", hash }]
        ),
      { concurrency }
    )
    return { changed: changes.flat() }
  })
})
