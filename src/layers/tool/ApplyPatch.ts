/** apply_patch: changes, adds, deletes and moves several files by one patch, all of them or none. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Outcome as FileOutcome } from "../../domain/diff/ApplyAll.ts"
import * as Detect from "../../domain/diff/DetectFormat.ts"
import type { Edits, FileEdit } from "../../domain/diff/Edit.ts"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import * as Access from "../../domain/tool/Access.ts"
import type { Intent } from "../../domain/tool/EditIntent.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import type { Touch } from "../../domain/workspace/Touch.ts"
import { Diff } from "../../services/Diff.ts"
import { define, ToolContext } from "../../services/Tool.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as FileChange from "./FileChange.ts"
import { type Held, type Write, writeAll } from "./WriteFiles.ts"

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
      Effect.map(({ files }) => files.flatMap(intents)),
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
  readonly opened: Held | null
}

/** Every file's next content, or the one outcome that says why nothing is done. */
const changes = Effect.fnUntraced(function*({ patch }: Params) {
  const diff = yield* Diff
  const { cwd } = yield* ToolContext
  const edits = parse(patch, cwd)
  if (Result.isFailure(edits)) return yield* refuse(edits.failure)
  const reads = new Map(edits.success.files.flatMap((edit): Array<readonly [string, boolean]> => {
    const to = movesTo(edit)
    return [[edit.path!, needsText(edit)], ...(to === undefined ? [] : [[to, false] as const])]
  }))
  yield* distinct([...reads.keys()])
  const found = yield* Effect.forEach(reads, ([path, asText]): Effect.Effect<Found, Outcome.Outcome, Workspace | ToolContext> =>
    asText ? FileChange.open(path) : FileChange.openAny(path))
  const opened = new Map(found.map(({ before, name }) => [name, before]))
  const texts = Object.fromEntries([...opened].flatMap(([name, file]) => file === null ? [] : [[name, file.text ?? ""]]))
  const applied = diff.applyAll(texts, edits.success)
  if (Result.isFailure(applied)) return yield* refuse(ErrorReport.forModel(applied.failure))
  return {
    files: applied.success.map((file): Change => ({ ...file, opened: opened.get(file.path) ?? null })),
    notes: edits.success.warnings
  }
})

interface Found {
  readonly name: string
  readonly before: Held | null
}

/** Files that are only made, moved or deleted may hold anything. */
const needsText = (edit: FileEdit): boolean =>
  edit._tag === "Update" || edit._tag === "Delete" ? edit.blocks !== undefined && edit.blocks.length > 0 : edit._tag !== "Add"

/** Links may give one file two names: then each edit would undo the other. */
const distinct = Effect.fnUntraced(function*(paths: ReadonlyArray<string>) {
  const workspace = yield* Workspace
  const names = new Map<string, string>()
  for (const path of paths) {
    const real = yield* Effect.mapError(workspace.resolve(path), ToolReport.fileOutcome)
    const other = names.get(real)
    if (other !== undefined) return yield* refuse(`${other} and ${path} are one file: change it under one of these names.`)
    names.set(real, path)
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

/** A file that moves is moved and then changed, so that its mode stays. */
const writes = ({ after, before, moveTo, opened, path }: Change): ReadonlyArray<Write> => {
  const text = opened?.text === undefined ? null : opened
  const set = (path: string, after: string): Write => ({ _tag: "Set", path, before: text, after, encoding: text?.encoding })
  if (opened !== null && after === null) return [{ _tag: "Remove", path, before: opened }]
  if (opened === null || moveTo === undefined) return after === null ? [] : [set(path, after)]
  return [{ _tag: "Move", path, before: opened, to: moveTo }, ...(after === null || after === before ? [] : [set(moveTo, after)])]
}

const intents = ({ after, before, moveTo, opened, path }: Change): ReadonlyArray<Intent> => {
  const encoding = opened?.text === undefined ? undefined : opened.encoding
  if (moveTo === undefined || opened === null) return FileChange.intent(path, opened, after, encoding)
  const moved = after === before ? [{ path: moveTo, before: null, after: opened.hash }] : FileChange.intent(moveTo, null, after, encoding)
  return [...FileChange.intent(path, opened, null), ...moved]
}

const touches = ({ after, before, moveTo, path }: Change, hashes: ReadonlyMap<string, string | null>): ReadonlyArray<Touch> => {
  const hash = (path: string) => hashes.get(path) ?? null
  if (moveTo !== undefined) {
    return [{ path, kind: "deleted", hash: null }, { path: moveTo, kind: "created", hash: hash(moveTo) }]
  }
  return [{ path, kind: after === null ? "deleted" : before === null ? "created" : "modified", hash: hash(path) }]
}

const told = ({ after, before, hunks, moveTo, opened, path, warnings }: Change): string => {
  if (after === null) return `Deleted ${path}.`
  const moved = moveTo === undefined ? [] : [`Moved ${path} to ${moveTo}.`]
  if (moveTo !== undefined && after === before) return moved.join("")
  const notes = warnings.map((warning) => `Note: ${warning}`)
  const text = opened?.text === undefined ? null : opened
  return [...moved, FileChange.told({ path: moveTo ?? path, before: text, after, hunks, notes })].join("\n")
}
