/** What is in the working folder when a session begins. */
import * as Effect from "effect/Effect"
import * as PathName from "../../../domain/workspace/PathName.ts"
import { Workspace } from "../../../services/Workspace.ts"
import { define } from "../../../services/Source.ts"

/** Entries that are told at most, and how deep. */
const limit = { depth: 3, limit: 150 }

export const tree = define({
  name: "tree",
  fixed: true,
  gather: Effect.fn("tree")(function*() {
    const { list } = yield* Workspace
    return yield* list(".", limit).pipe(
      Effect.map(({ entries }) => entries.length === 0 ? {} : { tree: entries.map(({ kind, path }) => PathName.line(kind === "directory" ? `${path}/` : path)) }),
      Effect.orElseSucceed(() => ({}))
    )
  })
})
