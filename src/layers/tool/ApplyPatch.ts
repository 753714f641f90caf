/** apply_patch: changes, adds, deletes and moves several files by one patch, all of them or none. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { FileChange as FileOutcome } from "../../domain/diff/ApplyAll.ts"
import * as DetectFormat from "../../domain/diff/DetectFormat.ts"
import type { Edits, FileEdit } from "../../domain/diff/Edit.ts"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import * as Access from "../../domain/tool/Access.ts"
import type { EditIntent } from "../../domain/tool/EditIntent.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import type { Touch } from "../../domain/workspace/Touch.ts"
import { Diff } from "../../services/Diff.ts"
import { define, ToolContext } from "../../services/Tool.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as FileChange from "./FileChange.ts"
import * as PreparedEdit from "./PreparedEdit.ts"
import { type FileVersion, type Write, writeFiles } from "./WriteFiles.ts"

const params = Schema.Struct({
  patch: Schema.String.annotate({
    description: `In this format:
*** Begin Patch
*** Update File: path/of/a.ts
@@ a line above the change, if the lines below are not unique
 unchanged line
-removed line
+added line
*** Add File: path/of/new.ts
+every line of the new file
*** Delete File: path/of/old.ts
*** End Patch
\`*** Move to: path\` below an Update File line renames it.`
  })
})

type Params = typeof params.Type

export const ApplyPatch = define({
  name: "apply_patch",
  description:
    "Edit, add, delete or move files with one patch, three lines of context around each change. All of it applies, or nothing. Returns the changed lines.",
  params,
  aliases: ["patch"],
  paramAliases: { input: "patch", diff: "patch", patch_text: "patch" },
  raw: ["patch"],
  kind: "edit",
  destructive: true,
  tags: ["edit"],
  access: (params, { cwd }) => Result.match(parse(params, cwd), { onFailure: () => [], onSuccess: ({ files }) => files.flatMap(accessOf) }),
  preview: (params) => changes(params).pipe(Effect.map(({ diff }) => diff), Effect.orElseSucceed(() => "")),
  failure: (params) => FileChange.failure(changes(params)),
  intends: (params) =>
    changes(params).pipe(
      Effect.map(({ files }) => files.flatMap(intents)),
      Effect.orElseSucceed(() => [])
    ),
  run: Effect.fn("apply_patch")((params: Params) =>
    Effect.flatMap(changes(params), save).pipe(Effect.catch((outcome) => Effect.succeed(outcome)))
  )
})

/** The edits under the names that files have in a session: what is judged is what is done. Parsed once for each call. */
const parse = (params: Params, cwd: string): Result.Result<Edits, string> => {
  const cached = parsedPatches.get(params)
  if (cached?.cwd === cwd) return cached.edits
  const edits = parsePatch(params.patch, cwd)
  parsedPatches.set(params, { cwd, edits })
  return edits
}

const parsedPatches = new WeakMap<Params, { readonly cwd: string; readonly edits: Result.Result<Edits, string> }>()

const parsePatch = (patch: string, cwd: string): Result.Result<Edits, string> =>
  Result.flatMap(
    Result.mapError(DetectFormat.parseAny(patch), ErrorReport.forModel),
    (edits) =>
      edits.files.some(({ path }) => path === undefined)
        ? Result.fail("The patch does not name its file. Start it with `*** Update File: path`, or use edit_file with a path.")
        : Result.succeed({ ...edits, files: edits.files.map((edit) => normalizePaths(edit, cwd)) })
  )

const normalizePaths = (edit: FileEdit, cwd: string): FileEdit => ({
  ...edit,
  path: PathName.relativePath(cwd, edit.path!),
  ...("moveTo" in edit && edit.moveTo !== undefined ? { moveTo: PathName.relativePath(cwd, edit.moveTo) } : {})
})

const accessOf = (edit: FileEdit): ReadonlyArray<Access.Access> => {
  const path = edit.path!
  const moveTo = moveTarget(edit)
  if (moveTo !== undefined) return [Access.edit(path, "delete"), Access.edit(moveTo, "create")]
  return [Access.edit(path, edit._tag === "Add" ? "create" : edit._tag === "Delete" ? "delete" : "modify")]
}

const moveTarget = (edit: FileEdit): string | undefined => "moveTo" in edit && edit.moveTo !== edit.path ? edit.moveTo : undefined

/** The outcome for one file; `original` is its current state. */
interface Change extends FileOutcome {
  readonly original: FileVersion | null
}

/** Every file's next content, or the one outcome that says why nothing is done. */
const changes = Effect.fnUntraced(function*(params: Params) {
  const { cwd } = yield* ToolContext
  const edits = parse(params, cwd)
  if (Result.isFailure(edits)) return yield* refuse(edits.failure)
  const reads = new Map(edits.success.files.flatMap((edit): Array<readonly [string, boolean]> => {
    const to = moveTarget(edit)
    return [[edit.path!, needsText(edit)], ...(to === undefined ? [] : [[to, false] as const])]
  }))
  yield* distinct([...reads.keys()])
  const originals = yield* Effect.forEach(
    reads,
    ([path, isText]): Effect.Effect<Original, Outcome.Outcome, Workspace | ToolContext> =>
      isText ? FileChange.open(path) : FileChange.openAny(path)
  )
  return yield* PreparedEdit.prepare(params, originals.map(({ before }) => before), compute(edits.success, originals))
})

const compute = Effect.fnUntraced(function*(edits: Edits, originals: ReadonlyArray<Original>) {
  const diff = yield* Diff
  const originalsByName = new Map(originals.map(({ before, name }) => [name, before]))
  const texts = Object.fromEntries([...originalsByName].flatMap(([name, file]) => file === null ? [] : [[name, file.text ?? ""]]))
  const result = diff.applyAll(texts, edits)
  if (Result.isFailure(result)) return yield* refuse(ErrorReport.forModel(result.failure))
  return {
    files: result.success.map((file): Change => ({ ...file, original: originalsByName.get(file.path) ?? null })),
    notes: edits.warnings,
    diff: result.success.map(({ moveTo, newContent, oldContent, path }) => diff.print(moveTo ?? path, oldContent, newContent, path)).join(
      ""
    )
  }
})

interface Original {
  readonly name: string
  readonly before: FileVersion | null
}

/** Files that are only created, moved or deleted may have any content. */
const needsText = (edit: FileEdit): boolean =>
  edit._tag === "Update" || edit._tag === "Delete" ? edit.blocks !== undefined && edit.blocks.length > 0 : edit._tag !== "Add"

/** Links may give one file two names: then each edit would undo the other. */
const distinct = Effect.fnUntraced(function*(paths: ReadonlyArray<string>) {
  const workspace = yield* Workspace
  const names = new Map<string, string>()
  for (const path of paths) {
    const real = yield* Effect.mapError(workspace.resolve(path), ToolReport.fileOutcome)
    const other = names.get(real)
    if (other !== undefined) return yield* refuse(`${other} and ${path} are the same file. Change it under one of these names only.`)
    names.set(real, path)
  }
})

const refuse = (reason: string): Effect.Effect<never, Outcome.Outcome> => Effect.fail(Outcome.mistaken(`No file was changed.\n${reason}`))

/** What becomes of all files, and that as one unified diff. */
type Changes = Effect.Success<ReturnType<typeof compute>>

const save = Effect.fnUntraced(function*(changes: Changes) {
  const hashes = yield* writeFiles(changes.files.flatMap(writes))
  return {
    ...Outcome.succeeded([...changes.notes.map((note) => `Note: ${note}`), ...changes.files.map(describeChange)].join("\n")),
    touched: changes.files.flatMap((change) => touches(change, hashes)),
    display: changes.diff
  }
})

/** A file that moves is moved first and then changed, so that its mode stays. */
const writes = ({ newContent, oldContent, moveTo, original, path }: Change): ReadonlyArray<Write> => {
  const text = original?.text === undefined ? null : original
  const set = (path: string, after: string): Write => ({ _tag: "Set", path, before: text, after, encoding: text?.encoding })
  if (original !== null && newContent === null) return [{ _tag: "Remove", path, before: original }]
  if (original === null || moveTo === undefined) return newContent === null ? [] : [set(path, newContent)]
  return [
    { _tag: "Move", path, before: original, to: moveTo },
    ...(newContent === null || newContent === oldContent ? [] : [set(moveTo, newContent)])
  ]
}

const intents = ({ newContent, oldContent, moveTo, original, path }: Change): ReadonlyArray<EditIntent> => {
  const encoding = original?.text === undefined ? undefined : original.encoding
  if (moveTo === undefined || original === null) return FileChange.intent(path, original, newContent, encoding)
  const targetIntents = newContent === oldContent ? [{ path: moveTo, before: null, after: original.hash }]
    : FileChange.intent(moveTo, null, newContent, encoding)
  return [...FileChange.intent(path, original, null), ...targetIntents]
}

const touches = ({ newContent, oldContent, moveTo, path }: Change, hashes: ReadonlyMap<string, string | null>): ReadonlyArray<Touch> => {
  const hash = (path: string) => hashes.get(path) ?? null
  if (moveTo !== undefined) {
    return [{ path, kind: "deleted", hash: null }, { path: moveTo, kind: "created", hash: hash(moveTo) }]
  }
  return [{ path, kind: newContent === null ? "deleted" : oldContent === null ? "created" : "modified", hash: hash(path) }]
}

const describeChange = ({ newContent, oldContent, hunks, moveTo, original, path, warnings }: Change): string => {
  if (newContent === null) return `Deleted ${path}.`
  const moveNotice = moveTo === undefined ? [] : [`Moved ${path} to ${moveTo}.`]
  if (moveTo !== undefined && newContent === oldContent) return moveNotice.join("")
  const notes = warnings.map((warning) => `Note: ${warning}`)
  const text = original?.text === undefined ? null : original
  return [...moveNotice, FileChange.describe({ path: moveTo ?? path, before: text, after: newContent, hunks, notes })].join("\n")
}
