/** Searches the workspace's code by words and by meaning. Without a layer there is none. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A sentence that says what to do. */
export class CodeSearchError extends Data.TaggedError("CodeSearchError")<{ readonly message: string }> {}

/** Part of a file, its lines counted from 1. */
export interface CodeHit {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The best hits first; `notes` say what was not searched. */
export interface CodeSearchResult {
  readonly hits: ReadonlyArray<CodeHit>
  readonly notes: ReadonlyArray<string>
}

export const CodeSearch = Context.Reference<{
  /** `folder` is relative to the working folder; `.` for all of it. */
  readonly search: (query: string, folder: string, limit: number) => Effect.Effect<CodeSearchResult, CodeSearchError>
}>("dacapo/CodeSearch", {
  defaultValue: () => ({
    search: () => Effect.fail(new CodeSearchError({ message: "Code search is not set up (\"codeSearch\" in the settings)." }))
  })
})
