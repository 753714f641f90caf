/**
 * The files of a workspace as the editor shows them: text is read with its unsaved changes, and edits are made in the editor. What is
 * on disk decides about everything else: which paths may be reached, what is text, how it is encoded.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Encoding from "../../../domain/workspace/Encoding.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { Editor } from "../../../services/extension/Editor.ts"
import { type TextFile, Workspace } from "../../../services/Workspace.ts"
import * as FileFailure from "./FileFailure.ts"
import { sha256 } from "../../storage/Digest.ts"

/** The workspace itself if no editor offers its files. */
export const over = <E, R>(files: Layer.Layer<Workspace, E, R>): Layer.Layer<Workspace, E, R> =>
  Layer.provide(Layer.effect(Workspace, make), files)

const make = Effect.gen(function*() {
  const disk = yield* Workspace
  const { readText, writeText } = yield* Editor
  if (readText === undefined && writeText === undefined) return disk
  /** Files whose text in the editor was not the saved one when they were last read. */
  const unsaved = new Set<string>()

  const read = Effect.fnUntraced(function*(path: string) {
    const saved = yield* disk.readText(path)
    if (readText === undefined) return saved
    const target = yield* disk.resolve(path)
    const text = yield* readText(target).pipe(
      Effect.map((content) => likeSaved(content, saved.text)),
      // The editor does not know the file, or is gone: the saved text counts.
      Effect.orElseSucceed(() => saved.text)
    )
    const bytes = text === saved.text ? undefined : Encoding.encode(text, saved.encoding)
    if (bytes === undefined) {
      unsaved.delete(target)
      return saved
    }
    unsaved.add(target)
    return { ...saved, text, hash: sha256(bytes) } satisfies TextFile
  })

  return Workspace.of({
    ...disk,
    readText: read,
    hash: (path) =>
      Effect.flatMap(disk.resolve(path), (target) => unsaved.has(target) ? Effect.map(read(path), ({ hash }) => hash) : disk.hash(path)),
    // Uninterruptible: a caller that is told "interrupted" may not find the file changed a moment later.
    writeText: Effect.fnUntraced(function*(path, text, encoding = "utf-8") {
      const exists = yield* Effect.match(disk.stat(path), { onFailure: () => false, onSuccess: ({ kind }) => kind === "file" })
      const target = yield* disk.resolve(path)
      const isOpen = disk.roots.some((root) => Root.contains(root, target)) && !Root.isProtected(path) && !Root.isProtected(target)
      if (writeText === undefined || encoding !== "utf-8" || !isOpen) return yield* disk.writeText(path, text, encoding)
      // A new file is created here, with the checks of the disk, and shown by the editor.
      if (!exists) {
        const hash = yield* disk.writeText(path, text, encoding)
        yield* Effect.ignore(writeText(target, text))
        return hash
      }
      yield* Effect.mapError(
        writeText(target, text),
        ({ message }) => FileFailure.fail(path, "Other", `The editor could not write it: ${message}`)
      )
      unsaved.delete(target)
      return (yield* read(path)).hash
    }, Effect.uninterruptible)
  })
})

/** What an editor shows has no byte order mark, and may have other line endings than the file. */
const likeSaved = (content: string, saved: string): string => {
  const mark = saved.startsWith("\ufeff") && !content.startsWith("\ufeff") ? "\ufeff" : ""
  const hasReturns = saved.includes("\r\n") && !/(?<!\r)\n/.test(saved)
  return mark + (hasReturns && !content.includes("\r") ? content.replaceAll("\n", "\r\n") : content)
}
