/** apply_patch: changes, adds, deletes and moves several files by one patch, all of them or none. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Outcome as FileOutcome } from "../../domain/diff/ApplyAll.ts"
import * as Detect from "../../domain/diff/Detect.ts"
import type { Edits, FileEdit } from "../../domain/diff/Edit.ts"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import type { Touch } from "../../domain/workspace/Touch.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import { Diff } from "../../services/Diff.ts"
import { define, ToolContext } from "../../services/Tool.ts"
import type { TextFile } from "../../services/Workspace.ts"
import * as FileChange from "./FileChange.ts"
import { type Write, writeAll } from "./WriteAll.ts"

const params = Schema.Struct({
  patch: Schema.String.annotate({
    description: `The patch:
*** Begin Patch
*** Update File: path/of/a.ts
@@ a line above the change, where the lines below are not unique
 a line that stays
-a line that goes
+a line that comes
*** Add File: path/of/new.ts
+every line of it
*** Delete File: path/of/old.ts
*** End Patch
\`*** Move to: path\` under an Update renames the file.`
  })
})

type Params = typeof params.Type

export const ApplyPatch = define({
  name: "apply_patch",
  description:
    "Change, add, delete or move several files with one patch. Paths are relative to the working folder. Three lines of context around each change are enough. All of it applies, or none does. You get the changed lines back.",
  params,
  aliases: ["patch"],
  paramAliases: { input: "patch", diff: "patch", patch_text: "patch" },
  raw: ["patch"],
  kind: "edit",
  destructive: true,
  tags: ["edit"],
  access: ({ patch }, { cwd }) =>
    Result.match(parse(patch, cwd), { onFailure: () => [], onSuccess: ({ files }) => files.flatMap(accessOf) }),
  preview: (params) =>
    Effect.flatMap(changes(params), printed).pipe(Effect.catch(() => Effect.succeed(""))),
  intends: (params) =>
    changes(params).pipe(
      Effect.map(({ files }) => files.flatMap(writes).flatMap((write) => FileChange.intent(write.path, write.before, write.after, write.encoding))),
      Effect.orElseSucceed(() => [])
    ),
  run: Effect.fn("apply_patch")((params: Params) =>
    Effect.flatMap(changes(params), save).pipe(Effect.catch((outcome) => Effect.succeed(outcome)))
  )
})

/** The edits under the names that files have in a session: what is judged is what is done. */
const parse = (patch: string, cwd: string): Result.Result<Edits, string> =>
  Result.flatMap(Result.mapError(Detect.parseAny(patch), ErrorReport.forModel), (edits) =>
    edits.files.some(({ path }) => path === undefined)
      ? Result.fail("The patch does not name its file. Use `*** Update File: path`, or edit_file with its path.")
      : Result.succeed({ ...edits, files: edits.files.map((edit) => named(edit, cwd)) }))

const named = (edit: FileEdit, cwd: string): FileEdit => ({
  ...edit,
  path: PathName.of(cwd, edit.path!),
  ...("moveTo" in edit && edit.moveTo !== undefined ? { moveTo: PathName.of(cwd, edit.moveTo) } : {})
})

const accessOf = (edit: FileEdit): ReadonlyArray<Access.Access> => {
  const path = edit.path!
  const moveTo = movesTo(edit)
  if (moveTo !== undefined) return [Access.edit(path, "delete"), Access.edit(moveTo, "create")]
  return [Access.edit(path, edit._tag === "Add" ? "create" : edit._tag === "Delete" ? "delete" : "modify")]
}

const movesTo = (edit: FileEdit): string | undefined => "moveTo" in edit && edit.moveTo !== edit.path ? edit.moveTo : undefined

/** What becomes of one file; `opened` is how it is now. */
interface Change extends FileOutcome {
  readonly opened: TextFile | null
}

/** Every file's next content, or the one outcome that says why nothing is done. */
const changes = Effect.fnUntraced(function*({ patch }: Params) {
  const diff = yield* Diff
  const { cwd } = yield* ToolContext
  const edits = parse(patch, cwd)
  if (Result.isFailure(edits)) return yield* refuse(edits.failure)
  const paths = new Set(edits.success.files.flatMap((edit) => [edit.path!, movesTo(edit) ?? edit.path!]))
  const opened = new Map((yield* Effect.forEach(paths, FileChange.open)).map(({ before, name }) => [name, before]))
  const texts = Object.fromEntries([...opened].flatMap(([name, file]) => file === null ? [] : [[name, file.text]]))
  const applied = diff.applyAll(texts, edits.success)
  if (Result.isFailure(applied)) return yield* refuse(ErrorReport.forModel(applied.failure))
  return {
    files: applied.success.map((file): Change => ({ ...file, opened: opened.get(file.path) ?? null })),
    notes: edits.success.warnings
  }
})

const refuse = (why: string): Effect.Effect<never, Outcome.Outcome> =>
  Effect.fail(Outcome.mistaken(`No file was changed.\n${why}`))

type Changes = Effect.Success<ReturnType<typeof changes>>

/** All of it as one unified diff. */
const printed = ({ files }: Changes) =>
  Effect.map(Diff, (diff) =>
    files.map(({ after, before, moveTo, path }) => diff.print(moveTo ?? path, before, after, path)).join(""))

const save = Effect.fnUntraced(function*(changes: Changes) {
  const hashes = yield* writeAll(changes.files.flatMap(writes))
  const display = yield* printed(changes)
  return {
    ...Outcome.succeeded([...changes.notes.map((note) => `Note: ${note}`), ...changes.files.map(told)].join("\n")),
    touched: changes.files.flatMap((change) => touches(change, hashes)),
    display
  }
})

const writes = ({ after, moveTo, opened, path }: Change): ReadonlyArray<Write> =>
  moveTo === undefined
    ? [{ path, before: opened, after, encoding: opened?.encoding }]
    : [{ path: moveTo, before: null, after, encoding: opened?.encoding }, { path, before: opened, after: null }]

const touches = ({ after, before, moveTo, path }: Change, hashes: ReadonlyMap<string, string | null>): ReadonlyArray<Touch> => {
  const hash = (path: string) => hashes.get(path) ?? null
  if (moveTo !== undefined) {
    return [{ path, kind: "deleted", hash: null }, { path: moveTo, kind: "created", hash: hash(moveTo) }]
  }
  return [{ path, kind: after === null ? "deleted" : before === null ? "created" : "modified", hash: hash(path) }]
}

const told = ({ after, hunks, moveTo, opened, path, warnings }: Change): string => {
  if (after === null) return `Deleted ${path}.`
  const notes = warnings.map((warning) => `Note: ${warning}`)
  const moved = moveTo === undefined ? [] : [`Moved ${path} to ${moveTo}.`]
  return [...moved, FileChange.told({ path: moveTo ?? path, before: opened, after, hunks, notes })].join("\n")
}
