/** write_file: a new file, or the whole content of one that is there. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as Placeholder from "../../domain/tool/OmittedCode.ts"
import { Diff } from "../../services/Diff.ts"
import { define } from "../../services/Tool.ts"
import * as FileChange from "./FileChange.ts"

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "The file, relative to the working folder; missing folders are made." }),
  content: Schema.String.annotate({ description: "The whole content: nothing left out, no placeholder." })
})

type Params = typeof params.Type

export const WriteFile = define({
  name: "write_file",
  description: "Write a whole file: a new one, or one that changes almost everywhere. To change places in a file use edit_file.",
  params,
  aliases: ["write_to_file", "create_file", "write"],
  paramAliases: { file_path: "path", filename: "path", text: "content", contents: "content" },
  raw: ["content"],
  kind: "edit",
  destructive: true,
  idempotent: true,
  tags: ["edit"],
  access: ({ path }, { cwd, files }) => {
    const name = PathName.of(cwd, path)
    return [Access.edit(name, typeof files.get(name) === "string" ? "modify" : "create")]
  },
  preview: (params) =>
    change(params).pipe(Effect.flatMap(FileChange.print), Effect.catch(() => Effect.succeed(""))),
  intends: (params) => FileChange.intents(change(params)),
  run: Effect.fn("write_file")((params: Params) =>
    change(params).pipe(Effect.flatMap(FileChange.save), Effect.catch((outcome) => Effect.succeed(outcome)))
  )
})

const change = Effect.fnUntraced(function*({ content, path }: Params) {
  const opened = yield* FileChange.open(path)
  if (hasEditMarkers(content)) return yield* asEdit(opened, content)
  const placeholder = opened.before === null ? undefined : Placeholder.find(opened.before.text, content)
  if (placeholder !== undefined) {
    return yield* FileChange.refuse(
      path,
      `Line ${placeholder.line} of the content, ${JSON.stringify(placeholder.text)}, stands for code that would be lost. Write the whole file, or change the places with edit_file.`
    )
  }
  return { ...opened, after: content, hunks: [], notes: [] }
})

/** Edits that were sent as content would destroy the file: they are applied as what they are, or refused. */
const asEdit = Effect.fnUntraced(function*(opened: FileChange.Opened, content: string) {
  const edits = (yield* Diff).parse(content, opened.path)
  if (Result.isFailure(edits)) {
    return yield* FileChange.refuse(opened.path, `Its content is an edit and not a file, and can't be read as one: ${ErrorReport.forModel(edits.failure)}`)
  }
  const change = yield* FileChange.edit(opened, edits.success)
  return { ...change, notes: ["Note: the content was an edit and was applied as one; use edit_file for edits.", ...change.notes] }
})

const first = /^\s*(?:(?:-{3,}|<{3,}) ?SEARCH>?|\*\*\* Begin Patch)\s*$/
const last = /^\s*(?:(?:\+{3,}|>{3,}) ?REPLACE>?|\*\*\* End Patch)\s*$/

const hasEditMarkers = (content: string): boolean => {
  const text = content.trim()
  const end = text.indexOf("\n")
  return end !== -1 && first.test(text.slice(0, end)) && last.test(text.slice(text.lastIndexOf("\n") + 1))
}
