/** Several files written or removed as one: when one of them fails, what was done to the others is put back. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import { type TextFile, Workspace } from "../../services/Workspace.ts"

/** One file: what it is now, and what it becomes; null is a file that is not there. */
export interface Write {
  readonly path: string
  readonly before: TextFile | null
  readonly after: string | null
  readonly encoding?: TextFile["encoding"] | undefined
}

/**
 * The SHA-256 of each file afterwards, null where it is gone. Removals come last, so that what is put back are texts
 * that were read. Not to be interrupted: half of it is never left behind.
 */
export const writeAll = (
  writes: ReadonlyArray<Write>
): Effect.Effect<ReadonlyMap<string, string | null>, Outcome, Workspace> =>
  Effect.gen(function*() {
    const workspace = yield* Workspace
    const hashes = new Map<string, string | null>()
    const begun: Array<Write> = []
    const ordered = [...writes.filter(({ after }) => after !== null), ...writes.filter(({ after }) => after === null)]
    const exit = yield* Effect.exit(Effect.forEach(ordered, (write) => {
      begun.push(write)
      return Effect.map(set(workspace, write.path, write.after, write.encoding), (hash) => hashes.set(write.path, hash))
    }, { discard: true }))
    if (Exit.isSuccess(exit)) return hashes
    const lost = yield* Effect.filter(begun.reverse(), (write) => Effect.map(putBack(workspace, write), (done) => !done))
    const error = Cause.findErrorOption(exit.cause)
    if (Option.isNone(error)) return yield* Effect.failCause(exit.cause as Cause.Cause<never>)
    return yield* Effect.fail(failure(error.value, lost))
  }).pipe(Effect.uninterruptible)

const set = (workspace: Workspace["Service"], path: string, text: string | null, encoding: TextFile["encoding"] | undefined) =>
  text === null ? Effect.as(workspace.remove(path), null) : workspace.writeText(path, text, encoding)

/** Whether the file is again what it was: a write that failed may have changed it or not. */
const putBack = (workspace: Workspace["Service"], { before, path }: Write): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const now = yield* workspace.readText(path).pipe(
      Effect.catch((error) => error.reason === "NotFound" ? Effect.succeed(null) : Effect.fail(error))
    )
    if (now?.hash !== before?.hash) yield* set(workspace, path, before?.text ?? null, before?.encoding)
    return true
  }).pipe(Effect.orElseSucceed(() => false))

const failure = (error: FileError, lost: ReadonlyArray<Write>): Outcome => {
  const outcome = ToolReport.fileOutcome(error)
  const state = lost.length === 0
    ? "No file was changed: what was written before it failed is put back."
    : `These files could not be put back, read them before you go on: ${lost.map(({ path }) => path).join(", ")}.`
  return { ...outcome, content: [...outcome.content, { _tag: "Text", text: state }] }
}
