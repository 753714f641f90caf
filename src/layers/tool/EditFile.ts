/** edit_file: changes places in a file, by SEARCH/REPLACE blocks, a unified diff, a V4A patch, or one exact text for another. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/Optional.ts"
import type { Edits } from "../../domain/diff/Edit.ts"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import { Diff } from "../../services/Diff.ts"
import { define } from "../../services/Tool.ts"
import * as FileChange from "./FileChange.ts"

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "The file." }),
  diff: Schema.optionalKey(Schema.String.annotate({
    description: `Blocks, each:
------- SEARCH
exact lines of the file
=======
replacement lines
+++++++ REPLACE
Or a unified diff or V4A patch of this file.`
  })),
  old_text: Schema.optionalKey(Schema.String.annotate({ description: "Instead of diff: text that occurs once." })),
  new_text: Schema.optionalKey(Schema.String.annotate({ description: "The replacement of old_text." })),
  replace_all: Schema.optionalKey(Schema.Boolean.annotate({ description: "Replace every occurrence of old_text." }))
})

type Params = typeof params.Type

export const EditFile = define({
  name: "edit_file",
  description:
    "Edit a file with SEARCH/REPLACE blocks in diff, or with old_text and new_text. Copy the text to find exactly, just enough to be unique. All blocks apply, or none. Returns the changed lines.",
  params,
  plain: ["path", "new_text", "replace_all"],
  aliases: ["replace_in_file", "str_replace", "edit", "search_replace"],
  paramAliases: {
    file_path: "path",
    filename: "path",
    old_string: "old_text",
    old_str: "old_text",
    new_string: "new_text",
    new_str: "new_text",
    patch: "diff"
  },
  raw: ["diff", "old_text", "new_text"],
  kind: "edit",
  tags: ["edit"],
  access: ({ path }, { cwd }) => [Access.edit(PathName.relativePath(cwd, path), "modify")],
  preview: (params) => change(params).pipe(Effect.map(({ diff }) => diff), Effect.orElseSucceed(() => "")),
  failure: (params) => FileChange.failure(change(params)),
  intends: (params) => FileChange.intents(change(params)),
  run: Effect.fn("edit_file")((params: Params) =>
    change(params).pipe(Effect.flatMap(FileChange.save), Effect.catch((outcome) => Effect.succeed(outcome)))
  )
})

const change = (params: Params) =>
  Effect.flatMap(FileChange.open(params.path), (original) => FileChange.prepare(params, original, draft(params, original)))

const draft = Effect.fnUntraced(function*(params: Params, original: FileChange.OpenFile) {
  const edits = parse(yield* Diff, params)
  if (Result.isFailure(edits)) return yield* FileChange.refuse(params.path, edits.failure)
  return yield* FileChange.edit(original, edits.success)
})

const parse = (diff: Diff["Service"], { diff: text, new_text, old_text, path, replace_all }: Params): Result.Result<Edits, string> => {
  if (text !== undefined && text.trim() !== "") return Result.mapError(diff.parse(text, path), ErrorReport.forModel)
  if (old_text === undefined || new_text === undefined) return Result.fail("edit_file needs either diff, or both old_text and new_text.")
  const input = { old_text, new_text, ...optional({ replace_all }) }
  return Result.mapError(diff.exact(input), ErrorReport.forModel)
}
