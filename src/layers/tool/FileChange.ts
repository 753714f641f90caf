/** What the tools that change a file have in common: the file's current state, the rejection of stale edits, and the write. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Edits, Hunk } from "../../domain/diff/Edit.ts"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { EditIntent } from "../../domain/tool/EditIntent.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as Encoding from "../../domain/workspace/Encoding.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import { Diff } from "../../services/Diff.ts"
import { sha256 } from "../storage/Digest.ts"
import { ToolContext } from "../../services/Tool.ts"
import { type TextFile, Workspace } from "../../services/Workspace.ts"
import * as PreparedEdit from "./PreparedEdit.ts"
import type { FileVersion } from "./WriteFiles.ts"

/** A file to be changed; `before` is null if it does not exist yet. */
export interface OpenFile {
  readonly path: string
  readonly name: string
  readonly before: TextFile | null
}

/** The file's next text and what to say of it. */
export interface Draft extends OpenFile {
  readonly after: string
  readonly notes: ReadonlyArray<string>
  /** Which lines changed, for the model to see; empty if it wrote the complete file itself. */
  readonly hunks: ReadonlyArray<Hunk>
}

/** The same with its unified diff. */
export interface Change extends Draft {
  readonly diff: string
}

/** The file as it stands. Fails for what is no text, and for a file that someone else changed since this session saw it. */
export const open = (path: string): Effect.Effect<OpenFile, Outcome.Outcome, Workspace | ToolContext> =>
  openWith(path, (workspace) => workspace.readText(path))

/** The same for a file whose content does not matter: for one that is not text, its hash. */
export const openAny = (path: string) =>
  openWith<FileVersion>(path, (workspace) =>
    workspace.readText(path).pipe(
      Effect.catch((error) =>
        error.reason === "Binary" || error.reason === "NotText"
          ? Effect.map(workspace.readBytes(path), (bytes) => ({ hash: sha256(bytes) }))
          : Effect.fail(error)
      )
    ))

const openWith = Effect.fnUntraced(
  function*<A extends FileVersion>(path: string, read: (workspace: Workspace["Service"]) => Effect.Effect<A, FileError>) {
    const workspace = yield* Workspace
    const { cwd, files } = yield* ToolContext
    const name = PathName.relativePath(cwd, path)
    const before = yield* read(workspace).pipe(
      Effect.catch((error) => error.reason === "NotFound" ? Effect.succeed(null) : Effect.fail(ToolReport.fileOutcome(error)))
    )
    const lastReadHash = files.get(name)
    if (before !== null && typeof lastReadHash === "string" && lastReadHash !== before.hash) {
      return yield* Effect.fail(Outcome.failed(
        `${path} changed on disk since you last read it. Read it again before you edit it, and preserve those changes.`
      ))
    }
    return { path, name, before }
  }
)

/** The file with edits applied to its content. */
export const edit = Effect.fnUntraced(function*(original: OpenFile, edits: Edits): Effect.fn.Return<Draft, Outcome.Outcome, Diff> {
  const diff = yield* Diff
  const { before, path } = original
  if (edits.files.some((file) => file._tag === "Delete" || (file._tag === "Update" && file.moveTo !== undefined))) {
    return yield* refuse(path, "An edit only changes the content of a file. To move or delete it, use apply_patch.")
  }
  const result = diff.apply(before?.text ?? "", edits)
  if (Result.isFailure(result)) {
    return yield* refuse(
      path,
      before === null ? "The file does not exist. Create it with write_file." : ErrorReport.forModel(result.failure)
    )
  }
  const { content, hunks, warnings } = result.success
  return { ...original, after: content, hunks, notes: warnings.map((warning) => `Note: ${warning}`) }
})

/** The model wrote an edit that can't be applied. */
export const refuse = (path: string, reason: string): Effect.Effect<never, Outcome.Outcome> =>
  Effect.fail(Outcome.mistaken(`${path} was not changed.\n${reason}`))

/** What a call changes in a file, computed once while the file stays as it is. */
export const prepare = <R>(params: object, { before, name }: OpenFile, draft: Effect.Effect<Draft, Outcome.Outcome, R>) =>
  PreparedEdit.prepare(
    params,
    [before],
    Effect.gen(function*(): Effect.fn.Return<Change, Outcome.Outcome, Diff | R> {
      const diff = yield* Diff
      const change = yield* draft
      return { ...change, diff: diff.print(name, before?.text ?? null, change.after) }
    })
  )

/** The intended result as hashes; none if the text can't be written in the file's encoding. */
export const intent = (
  path: string,
  before: FileVersion | null,
  after: string | null,
  encoding?: TextFile["encoding"]
): ReadonlyArray<EditIntent> => {
  const bytes = after === null ? null : Encoding.encode(after, encoding ?? "utf-8")
  return bytes === undefined ? [] : [{ path, before: before?.hash ?? null, after: bytes === null ? null : sha256(bytes) }]
}

/** The same for a change that may be rejected: then there is none. */
export const intents = <R>(change: Effect.Effect<Change, Outcome.Outcome, R>): Effect.Effect<ReadonlyArray<EditIntent>, never, R> =>
  change.pipe(
    Effect.map(({ after, before, name }) => intent(name, before, after, before?.encoding)),
    Effect.orElseSucceed(() => [])
  )

/** Why a change can't be made; undefined if it can. */
export const failure = <A, R>(change: Effect.Effect<A, Outcome.Outcome, R>): Effect.Effect<Outcome.Outcome | undefined, never, R> =>
  Effect.match(change, { onFailure: (outcome) => outcome, onSuccess: () => undefined })

/** Writes the change, all or nothing, and reports what it did. */
export const save = Effect.fnUntraced(function*(change: Change): Effect.fn.Return<Outcome.Outcome, Outcome.Outcome, Workspace> {
  const workspace = yield* Workspace
  const { after, before, diff, name, path } = change
  if (before?.text === after) {
    return {
      ...Outcome.succeeded(`${path} already has this content; nothing was written.`),
      touched: [{ path: name, kind: "read", hash: before.hash }]
    }
  }
  const hash = yield* workspace.writeText(path, after, before?.encoding).pipe(
    Effect.mapError(ToolReport.fileOutcome)
  )
  return {
    ...Outcome.succeeded(describe(change)),
    touched: [{
      path: name,
      kind: before === null ? "created" : "modified",
      hash,
      ...(change.hunks.length === 0 ? { content: "all" as const } : {})
    }],
    display: diff
  }
})

/** Limits: lines shown around a change, and lines shown in total. */
const region = { around: 3, lines: 200 }

/** What was done, and the changed lines as they now read. */
export const describe = ({ after, before, hunks, notes, path }: Omit<Draft, "name">): string => {
  const lines = TextPage.split(after)
  const verb = before === null ? "Created" : "Changed"
  return [
    `${verb} ${path} (${lines.length} line${lines.length === 1 ? "" : "s"}).`,
    ...notes,
    ...(hunks.length === 0 || before === null ? [] : ["It now reads:", ...regions(lines, hunks)])
  ].join("\n")
}

/** The changed lines with their context; adjacent regions are merged. */
const regions = (lines: ReadonlyArray<string>, hunks: ReadonlyArray<Hunk>): ReadonlyArray<string> => {
  const spans: Array<{ from: number; to: number }> = []
  for (const { newLines, newStart } of [...hunks].sort((a, b) => a.newStart - b.newStart)) {
    const from = Math.max(1, newStart - region.around)
    const to = Math.min(lines.length, newStart + Math.max(newLines, 1) - 1 + region.around)
    const last = spans.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else spans.push({ from, to })
  }
  const excerpt = spans.flatMap(({ from, to }, i) => [...(i === 0 ? [] : ["…"]), ...TextPage.numberLines(lines, from, to)])
  return excerpt.length <= region.lines ? excerpt
    : [...excerpt.slice(0, region.lines), `[… ${excerpt.length - region.lines} more changed lines]`]
}
