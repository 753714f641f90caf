/** write_file: a new file, or the complete content of an existing one. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as OmittedCode from "../../domain/tool/OmittedCode.ts"
import { Diff } from "../../services/Diff.ts"
import { define } from "../../services/Tool.ts"
import * as FileChange from "./FileChange.ts"

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "The file." }),
  content: Schema.String.annotate({ description: "The complete content, without placeholders." })
})

type Params = typeof params.Type

export const WriteFile = define({
  name: "write_file",
  description: "Create a file, with missing folders, or replace all of it. Use edit_file to change parts.",
  params,
  plain: ["path", "content"],
  aliases: ["write_to_file", "create_file", "write"],
  paramAliases: { file_path: "path", filename: "path", text: "content", contents: "content" },
  raw: ["content"],
  kind: "edit",
  destructive: true,
  idempotent: true,
  tags: ["edit"],
  access: ({ path }, { cwd, files }) => {
    const name = PathName.relativePath(cwd, path)
    return [Access.edit(name, typeof files.get(name) === "string" ? "modify" : "create")]
  },
  preview: (params) => change(params).pipe(Effect.map(({ diff }) => diff), Effect.orElseSucceed(() => "")),
  failure: (params) => FileChange.failure(change(params)),
  intends: (params) => FileChange.intents(change(params)),
  run: Effect.fn("write_file")((params: Params) =>
    change(params).pipe(Effect.flatMap(FileChange.save), Effect.catch((outcome) => Effect.succeed(outcome)))
  )
})

const change = (params: Params) =>
  Effect.flatMap(FileChange.open(params.path), (original) => FileChange.prepare(params, original, draft(params, original)))

const draft = Effect.fnUntraced(function*({ content, path }: Params, original: FileChange.OpenFile) {
  if (hasEditMarkers(content)) return yield* applyAsEdit(original, content)
  const placeholder = original.before === null ? undefined : OmittedCode.findOmittedCode(original.before.text, content)
  if (placeholder !== undefined) {
    return yield* FileChange.refuse(
      path,
      `Line ${placeholder.line} of the content, ${
        JSON.stringify(placeholder.text)
      }, is a placeholder for code that would be lost. Write the complete file, or change parts of it with edit_file.`
    )
  }
  return { ...original, after: content, hunks: [], notes: [] }
})

/** Edits sent as content would destroy the file: they are applied as edits, or rejected. */
const applyAsEdit = Effect.fnUntraced(function*(original: FileChange.OpenFile, content: string) {
  const edits = (yield* Diff).parse(content, original.path)
  if (Result.isFailure(edits)) {
    return yield* FileChange.refuse(
      original.path,
      `The content is an edit rather than a file, and can't be parsed as an edit: ${ErrorReport.forModel(edits.failure)}`
    )
  }
  const change = yield* FileChange.edit(original, edits.success)
  return { ...change, notes: ["Note: the content was an edit, so it was applied as one. Use edit_file for edits.", ...change.notes] }
})

const firstMarker = /^\s*(?:(?:-{3,}|<{3,}) ?SEARCH>?|\*\*\* Begin Patch)\s*$/
const lastMarker = /^\s*(?:(?:\+{3,}|>{3,}) ?REPLACE>?|\*\*\* End Patch)\s*$/

const hasEditMarkers = (content: string): boolean => {
  const text = content.trim()
  const end = text.indexOf("\n")
  return end !== -1 && firstMarker.test(text.slice(0, end)) && lastMarker.test(text.slice(text.lastIndexOf("\n") + 1))
}
