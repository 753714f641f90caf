/** What the tools that change a file have in common: the file as it is, the refusal of a stale one, and the write. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Edits, Hunk } from "../../domain/diff/Edit.ts"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Intent } from "../../domain/tool/EditIntent.ts"
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
import type { Held } from "./WriteFiles.ts"

/** A file to be changed; `before` is null where there is none yet. */
export interface Opened {
  readonly path: string
  readonly name: string
  readonly before: TextFile | null
}

/** The file's next text and what to say of it. */
export interface Change extends Opened {
  readonly after: string
  readonly notes: ReadonlyArray<string>
  /** Which lines changed, where the model should see them; empty: it wrote the whole file itself. */
  readonly hunks: ReadonlyArray<Hunk>
}

/** The file as it stands. Fails for what is no text, and for a file that someone else changed since this session saw it. */
export const open = (path: string): Effect.Effect<Opened, Outcome.Outcome, Workspace | ToolContext> =>
  opened(path, (workspace) => workspace.readText(path))

/** The same of a file whose content does not matter: of one that is no text, its hash. */
export const openAny = (path: string) =>
  opened<Held>(path, (workspace) =>
    workspace.readText(path).pipe(
      Effect.catch((error) =>
        error.reason === "Binary" || error.reason === "NotText"
          ? Effect.map(workspace.readBytes(path), (bytes) => ({ hash: sha256(bytes) }))
          : Effect.fail(error)
      )
    ))

const opened = Effect.fnUntraced(function*<A extends Held>(path: string, read: (workspace: Workspace["Service"]) => Effect.Effect<A, FileError>) {
  const workspace = yield* Workspace
  const { cwd, files } = yield* ToolContext
  const name = PathName.of(cwd, path)
  const before = yield* read(workspace).pipe(
    Effect.catch((error) => error.reason === "NotFound" ? Effect.succeed(null) : Effect.fail(ToolReport.fileOutcome(error)))
  )
  const seen = files.get(name)
  if (before !== null && typeof seen === "string" && seen !== before.hash) {
    return yield* Effect.fail(Outcome.failed(
      `${path} was changed by someone else since you last read it. Read it again before you change it, and keep what was changed.`
    ))
  }
  return { path, name, before }
})

/** The file with edits applied to its content. */
export const edit = Effect.fnUntraced(function*(opened: Opened, edits: Edits): Effect.fn.Return<Change, Outcome.Outcome, Diff> {
  const diff = yield* Diff
  const { before, path } = opened
  if (edits.files.some((file) => file._tag === "Delete" || (file._tag === "Update" && file.moveTo !== undefined))) {
    return yield* refuse(path, "An edit changes the content of a file; to move or delete it use apply_patch.")
  }
  const applied = diff.apply(before?.text ?? "", edits)
  if (Result.isFailure(applied)) {
    return yield* refuse(path, before === null ? "There is no such file: write_file makes a new one." : ErrorReport.forModel(applied.failure))
  }
  const { content, hunks, warnings } = applied.success
  return { ...opened, after: content, hunks, notes: warnings.map((warning) => `Note: ${warning}`) }
})

/** The model wrote an edit that can't be made. */
export const refuse = (path: string, why: string): Effect.Effect<never, Outcome.Outcome> =>
  Effect.fail(Outcome.mistaken(`${path} was not changed, it is as it was.\n${why}`))

/** The change as a unified diff. */
export const print = Effect.fnUntraced(function*({ after, before, name }: Change) {
  const diff = yield* Diff
  return diff.print(name, before?.text ?? null, after)
})

/** What a file is to become, as hashes; none where the text can't be written in its encoding. */
export const intent = (path: string, before: Held | null, after: string | null, encoding?: TextFile["encoding"]): ReadonlyArray<Intent> => {
  const bytes = after === null ? null : Encoding.encode(after, encoding ?? "utf-8")
  return bytes === undefined ? [] : [{ path, before: before?.hash ?? null, after: bytes === null ? null : sha256(bytes) }]
}

/** The same of a change that may be refused: then there is none. */
export const intents = <R>(change: Effect.Effect<Change, Outcome.Outcome, R>): Effect.Effect<ReadonlyArray<Intent>, never, R> =>
  change.pipe(
    Effect.map(({ after, before, name }) => intent(name, before, after, before?.encoding)),
    Effect.orElseSucceed(() => [])
  )

/** Writes the change, all or nothing, and tells what it did. */
export const save = Effect.fnUntraced(function*(change: Change): Effect.fn.Return<Outcome.Outcome, Outcome.Outcome, Workspace | Diff> {
  const workspace = yield* Workspace
  const { after, before, name, path } = change
  if (before?.text === after) {
    return { ...Outcome.succeeded(`${path} has this content already: nothing was written.`), touched: [{ path: name, kind: "read", hash: before.hash }] }
  }
  const hash = yield* workspace.writeText(path, after, before?.encoding).pipe(
    Effect.mapError(ToolReport.fileOutcome)
  )
  const display = yield* print(change)
  return {
    ...Outcome.succeeded(told(change)),
    touched: [{ path: name, kind: before === null ? "created" : "modified", hash, ...(change.hunks.length === 0 ? { content: "all" as const } : {}) }],
    display
  }
})

/** Lines around a change that are shown with it, and how many are shown in all. */
const region = { around: 3, lines: 200 }

/** What was done, and the changed lines as they now read. */
export const told = ({ after, before, hunks, notes, path }: Omit<Change, "name">): string => {
  const lines = TextPage.split(after)
  const verb = before === null ? "Created" : "Changed"
  return [
    `${verb} ${path} (${lines.length} line${lines.length === 1 ? "" : "s"}).`,
    ...notes,
    ...(hunks.length === 0 || before === null ? [] : ["It now reads:", ...regions(lines, hunks)])
  ].join("\n")
}

/** The changed lines with their neighbours; regions that touch are one. */
const regions = (lines: ReadonlyArray<string>, hunks: ReadonlyArray<Hunk>): ReadonlyArray<string> => {
  const spans: Array<{ from: number; to: number }> = []
  for (const { newLines, newStart } of [...hunks].sort((a, b) => a.newStart - b.newStart)) {
    const from = Math.max(1, newStart - region.around)
    const to = Math.min(lines.length, newStart + Math.max(newLines, 1) - 1 + region.around)
    const last = spans.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to)
    else spans.push({ from, to })
  }
  const shown = spans.flatMap(({ from, to }, i) => [...(i === 0 ? [] : ["…"]), ...TextPage.numbered(lines, from, to)])
  return shown.length <= region.lines ? shown : [...shown.slice(0, region.lines), `[… ${shown.length - region.lines} more changed lines]`]
}
