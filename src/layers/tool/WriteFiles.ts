/** Several files written, moved or removed as one: when one of them fails, what was done to the others is put back. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import { type TextFile, Workspace } from "../../services/Workspace.ts"

/** What is done to one file. `before` is what it is now: null where there is none, its hash alone where it is no text. */
export type Write =
  | { readonly _tag: "Set"; readonly path: string; readonly before: TextFile | null; readonly after: string; readonly encoding?: TextFile["encoding"] | undefined }
  | { readonly _tag: "Move"; readonly path: string; readonly before: Held; readonly to: string }
  | { readonly _tag: "Remove"; readonly path: string; readonly before: Held }

/** A file that is there; of one that is no text only the SHA-256 of its bytes is known. */
export type Held = TextFile | (Pick<TextFile, "hash"> & { readonly text?: never })

/**
 * The SHA-256 of each file afterwards, null where it is gone. Removals come last, those of texts first, for a text that
 * was read can be put back. Half of it is never left behind: an interrupt waits for the change that is being made, and
 * what was made is put back.
 */
export const writeAll = (
  writes: ReadonlyArray<Write>
): Effect.Effect<ReadonlyMap<string, string | null>, Outcome, Workspace> =>
  Effect.uninterruptibleMask((interruptible) => Effect.gen(function*() {
    const workspace = yield* Workspace
    const hashes = new Map<string, string | null>()
    const begun: Array<Write> = []
    const made: Array<string> = []
    const exit = yield* Effect.exit(Effect.forEach(writes.toSorted((a, b) => rank(a) - rank(b)), (write) =>
      Effect.gen(function*() {
        made.push(...yield* interruptible(missingFolders(workspace, write)))
        begun.push(write)
        for (const [path, hash] of yield* perform(workspace, write)) hashes.set(path, hash)
      }), { discard: true }))
    if (Exit.isSuccess(exit)) return hashes
    const lost = yield* Effect.filter(begun.reverse(), (write) => Effect.map(putBack(workspace, write), (done) => !done))
    yield* Effect.forEach(made.reverse(), (folder) => Effect.ignore(workspace.removeFolder(folder)))
    const error = Cause.findErrorOption(exit.cause)
    if (Option.isNone(error)) return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
    return yield* Effect.fail(failure(error.value, lost))
  }))

const rank = ({ _tag, before }: Write): number => _tag !== "Remove" ? 0 : before.text === undefined ? 2 : 1

/** The folders that a new file has yet to get, the outermost first. */
const missingFolders = (workspace: Workspace["Service"], write: Write): Effect.Effect<ReadonlyArray<string>> => {
  if (write._tag === "Remove" || write._tag === "Set" && write.before !== null) return Effect.succeed([])
  const names = (write._tag === "Move" ? write.to : write.path).split("/").slice(0, -1)
  const folders = names.map((_, i) => names.slice(0, i + 1).join("/")).filter((folder) => folder !== "" && folder !== ".")
  return Effect.filter(folders, (folder) =>
    Effect.match(workspace.stat(folder), { onFailure: ({ reason }) => reason === "NotFound", onSuccess: () => false }))
}

/** Does it; gives the hashes of the files that it touches. */
const perform = (workspace: Workspace["Service"], write: Write): Effect.Effect<ReadonlyArray<readonly [string, string | null]>, FileError> => {
  switch (write._tag) {
    case "Set":
      return Effect.map(workspace.writeText(write.path, write.after, write.encoding), (hash) => [[write.path, hash]])
    case "Move":
      return Effect.as(workspace.move(write.path, write.to), [[write.path, null], [write.to, write.before.hash]])
    case "Remove":
      return Effect.as(workspace.remove(write.path), [[write.path, null]])
  }
}

/** Whether the file is again what it was: a write that failed may have changed it or not. */
const putBack = (workspace: Workspace["Service"], write: Write): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const { before, path } = write
    const now = yield* workspace.stat(path).pipe(
      Effect.catch((error) => error.reason === "NotFound" ? Effect.succeed(null) : Effect.fail(error))
    )
    if (write._tag === "Move") {
      if (now === null) yield* workspace.move(write.to, path)
    } else if (before === null) {
      if (now !== null) yield* workspace.remove(path)
    } else if (before.text === undefined) {
      return now !== null
    } else if (now === null || (yield* workspace.readText(path)).hash !== before.hash) {
      yield* workspace.writeText(path, before.text, before.encoding)
    }
    return true
  }).pipe(Effect.orElseSucceed(() => false))

const failure = (error: FileError, lost: ReadonlyArray<Write>): Outcome => {
  const outcome = ToolReport.fileOutcome(error)
  const state = lost.length === 0
    ? "No file was changed: what was written before it failed is put back."
    : `These files could not be put back, read them before you go on: ${lost.map(({ path }) => path).join(", ")}.`
  return { ...outcome, content: [...outcome.content, { _tag: "Text", text: state }] }
}
