/** Several files written, moved or deleted as one: if one of them fails, the others are restored. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import { type TextFile, Workspace } from "../../services/Workspace.ts"

/** The operation on one file. `before` is its current state: null if it does not exist, only its hash if it is not text. */
export type Write =
  | {
    readonly _tag: "Set"
    readonly path: string
    readonly before: TextFile | null
    readonly after: string
    readonly encoding?: TextFile["encoding"] | undefined
  }
  | { readonly _tag: "Move"; readonly path: string; readonly before: FileVersion; readonly to: string }
  | { readonly _tag: "Remove"; readonly path: string; readonly before: FileVersion }

/** An existing file; for one that is not text only the SHA-256 of its bytes is known. */
export type FileVersion = TextFile | (Pick<TextFile, "hash"> & { readonly text?: never })

/**
 * The SHA-256 of each file afterwards, null if it was deleted. Deletions come last, those of texts first, because a
 * text that was read can be restored. It never ends halfway: an interrupt waits for the current change, and finished
 * ones are restored.
 */
export const writeFiles = (
  writes: ReadonlyArray<Write>
): Effect.Effect<ReadonlyMap<string, string | null>, Outcome, Workspace> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.gen(function*() {
      const workspace = yield* Workspace
      const hashes = new Map<string, string | null>()
      const attempts: Array<Write> = []
      const newFolders: Array<string> = []
      const exit = yield* Effect.exit(Effect.forEach(writes.toSorted((a, b) => rank(a) - rank(b)), (write) =>
        Effect.gen(function*() {
          newFolders.push(...yield* interruptible(missingFolders(workspace, write)))
          attempts.push(write)
          for (const [path, hash] of yield* perform(workspace, write)) hashes.set(path, hash)
        }), { discard: true }))
      if (Exit.isSuccess(exit)) return hashes
      const failedRestores = yield* Effect.filter(attempts.reverse(), (write) => Effect.map(restore(workspace, write), (done) => !done))
      yield* Effect.forEach(newFolders.reverse(), (folder) => Effect.ignore(workspace.removeFolder(folder)))
      const error = Cause.findErrorOption(exit.cause)
      if (Option.isNone(error)) return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
      return yield* Effect.fail(failure(error.value, failedRestores))
    })
  )

const rank = ({ _tag, before }: Write): number => _tag !== "Remove" ? 0 : before.text === undefined ? 2 : 1

/** The missing folders of a new file, the outermost first. */
const missingFolders = (workspace: Workspace["Service"], write: Write): Effect.Effect<ReadonlyArray<string>> => {
  if (write._tag === "Remove" || write._tag === "Set" && write.before !== null) return Effect.succeed([])
  const names = (write._tag === "Move" ? write.to : write.path).split("/").slice(0, -1)
  const folders = names.map((_, i) => names.slice(0, i + 1).join("/")).filter((folder) => folder !== "" && folder !== ".")
  return Effect.filter(
    folders,
    (folder) => Effect.match(workspace.stat(folder), { onFailure: ({ reason }) => reason === "NotFound", onSuccess: () => false })
  )
}

/** Performs it; returns the hashes of the affected files. */
const perform = (
  workspace: Workspace["Service"],
  write: Write
): Effect.Effect<ReadonlyArray<readonly [string, string | null]>, FileError> => {
  switch (write._tag) {
    case "Set":
      return Effect.map(workspace.writeText(write.path, write.after, write.encoding), (hash) => [[write.path, hash]])
    case "Move":
      return Effect.as(workspace.move(write.path, write.to), [[write.path, null], [write.to, write.before.hash]])
    case "Remove":
      return Effect.as(workspace.remove(write.path), [[write.path, null]])
  }
}

/** Whether the file is in its previous state again: a failed write may have changed it or not. */
const restore = (workspace: Workspace["Service"], write: Write): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const { before, path } = write
    const current = yield* workspace.stat(path).pipe(
      Effect.catch((error) => error.reason === "NotFound" ? Effect.succeed(null) : Effect.fail(error))
    )
    if (write._tag === "Move") {
      if (current === null) yield* workspace.move(write.to, path)
    } else if (before === null) {
      if (current !== null) yield* workspace.remove(path)
    } else if (before.text === undefined) {
      return current !== null
    } else if (current === null || (yield* workspace.readText(path)).hash !== before.hash) {
      yield* workspace.writeText(path, before.text, before.encoding)
    }
    return true
  }).pipe(Effect.orElseSucceed(() => false))

const failure = (error: FileError, failedRestores: ReadonlyArray<Write>): Outcome => {
  const outcome = ToolReport.fileOutcome(error)
  const state = failedRestores.length === 0
    ? "No file was changed: everything written before the failure was restored."
    : `These files could not be restored. Read them before you continue: ${failedRestores.map(({ path }) => path).join(", ")}.`
  return { ...outcome, content: [...outcome.content, { _tag: "Text", text: state }] }
}
