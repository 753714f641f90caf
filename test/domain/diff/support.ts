/** What the tests of the edit engine share: an edit's outcome in one word or one text, and blocks without their noise. */
import * as Result from "effect/Result"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as ApplyPatch from "../../../src/domain/diff/ApplyPatch.ts"
import type { Edits } from "../../../src/domain/diff/Edit.ts"
import type { EditError } from "../../../src/domain/diff/EditError.ts"
import * as ExactEdit from "../../../src/domain/diff/ExactEdit.ts"
import * as SearchReplace from "../../../src/domain/diff/SearchReplace.ts"
import * as UnifiedDiff from "../../../src/domain/diff/UnifiedDiff.ts"

type Parsed = Result.Result<Edits, EditError>

/** What the edit made, or why it did not apply. */
export interface Outcome {
  readonly content?: string
  readonly reasons?: ReadonlyArray<string>
  readonly message?: string
  readonly strategies?: ReadonlyArray<string>
  readonly warnings?: ReadonlyArray<string>
}

export const apply = (content: string, parsed: Parsed, options: Apply.Options = {}): Outcome =>
  Result.match(Result.flatMap(parsed, (edits) => Apply.apply(content, edits, options)), {
    onSuccess: ({ content, hunks, warnings }): Outcome => ({
      content,
      strategies: hunks.map(({ strategy }) => strategy),
      warnings
    }),
    onFailure: ({ failures, message }): Outcome => ({ reasons: failures.map(({ reason }) => reason), message })
  })

export const searchReplace = (content: string, diff: string, options?: Apply.Options): Outcome =>
  apply(content, SearchReplace.parse(diff), options)

export const unified = (content: string, diff: string): Outcome => apply(content, UnifiedDiff.parse(diff))

export const patch = (content: string, body: string): Outcome =>
  apply(content, ApplyPatch.parse(`*** Begin Patch\n*** Update File: a\n${body}\n*** End Patch`))

export const exact = (
  content: string,
  old_text: string,
  new_text: string,
  options: Apply.Options & { readonly replace_all?: boolean } = {}
): Outcome => {
  const { replace_all = false, ...rest } = options
  return apply(content, ExactEdit.parse({ old_text, new_text, replace_all }), rest)
}

/** One SEARCH/REPLACE block; each side is text that ends with a newline, or is empty. */
export const block = (search: string, replace: string): string =>
  `------- SEARCH\n${search}=======\n${replace}+++++++ REPLACE\n`

/** Text cut into pieces of the given lengths, over and over. */
export const cut = (text: string, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = Math.max(1, lengths[i % lengths.length] ?? 1)
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}
