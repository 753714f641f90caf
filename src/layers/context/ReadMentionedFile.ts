/** The content of a mentioned path: a text with line numbers, a document as text or as it is, an image, a folder's entries. */
import * as Effect from "effect/Effect"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import * as UserMessage from "../../domain/message/UserMessage.ts"
import { activeModel } from "../../domain/session/Session.ts"
import * as Notebook from "../../domain/tool/Notebook.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import type { Touch } from "../../domain/workspace/Touch.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as FitImage from "../image/FitImage.ts"
import { sha256 } from "../storage/Digest.ts"
import { notice, mentionText, type MentionContext } from "./MentionPart.ts"

type File = Extract<Mention.Mention, { readonly _tag: "file" }>

/** Undefined if the path does not exist and may not be a path at all. */
export const read = Effect.fnUntraced(function*(mention: File, at: MentionContext) {
  const blob = UserMessage.blob(mention.path)
  if (blob !== undefined) return yield* storedImage(mention, blob, at)
  const target = yield* Effect.result(find(mention))
  if (target._tag === "Failure") {
    return target.failure.reason === "NotFound" && !mention.isExplicit ? undefined : notice(mention, ErrorReport.forPeople(target.failure))
  }
  const { info: { kind, path, size }, lines } = target.success
  if (kind === "directory") return yield* folder(mention, path)
  if (kind !== "file") return notice(mention, "it is not a file.")
  if (size > UserMessage.limits.attachment)
    return notice(mention, `it has ${Math.round(size / 1024 / 1024)} MB; the limit for attachments is 20 MB.`)
  return yield* content(mention, path, lines, at)
})

/** The path as written or, if that does not exist, without the line numbers at its end (`a.ts:10-20`). */
const find = Effect.fnUntraced(function*(mention: File) {
  const direct = yield* Effect.result(statPath(mention.path))
  if (direct._tag === "Success") return { info: direct.success, lines: Mention.allLines }
  const range = direct.failure.reason === "NotFound" ? Mention.lines(mention.path) : undefined
  if (range === undefined) return yield* direct.failure
  return { info: yield* statPath(range.path), lines: range }
})

/** `/src/a.ts` is a file of the workspace, as in other tools; an absolute path works too. */
const statPath = Effect.fnUntraced(function*(path: string) {
  const { stat } = yield* Workspace
  const relative = path.replace(/^\/+/, "")
  const workspaceInfo = path.startsWith("/") && relative !== "" ? yield* Effect.orElseSucceed(stat(relative), () => undefined) : undefined
  return workspaceInfo ?? (yield* stat(path))
})

const content = (mention: File, path: string, lines: Mention.Lines, at: MentionContext) =>
  Effect.flatMap(Workspace, ({ readText }) => readText(path)).pipe(
    Effect.flatMap(({ hash, text }) =>
      text.startsWith("%PDF-") ? readBinary(mention, path, lines, at) : Effect.succeed(textOf(path, hash, text, lines, at))
    ),
    Effect.catchTag(
      "FileError",
      (error) =>
        error.reason === "Binary" || error.reason === "NotText" ? readBinary(mention, path, lines, at, ErrorReport.forPeople(error))
          : Effect.succeed(notice(mention, ErrorReport.forPeople(error)))
    )
  )

/** With line numbers; lines of a converted notebook are not lines of the file. */
const textOf = (path: string, hash: string, text: string, lines: Mention.Lines, at: MentionContext): Content => {
  const cells = /\.ipynb$/i.test(path) ? Notebook.text(text) : undefined
  const page = TextPage.of(cells ?? text, lines)
  return file(path, cells === undefined ? page.text : `${page.text}\n${FileKind.note("a notebook")}`, [
    touch(at, path, hash, cells === undefined && page.extent !== undefined ? { content: page.extent } : {})
  ])
}

const touch = ({ session: { cwd } }: MentionContext, path: string, hash: string, content: Pick<Touch, "content"> = {}): Touch => ({
  path: PathName.relativePath(cwd, path),
  kind: "read",
  hash,
  ...content
})

const file = (path: string, text: string, touched: ReadonlyArray<Touch>): Content => ({
  _tag: "Text",
  text: `<file path=${JSON.stringify(path)}>\n${text}\n</file>`,
  origin: "mention",
  touched
})

/** An image, and a PDF for a model that reads them, as they are; other documents as text. `why` nothing else can be read. */
const readBinary = Effect.fnUntraced(
  function*(mention: File, path: string, lines: Mention.Lines, at: MentionContext, why = "it is not text.") {
    const read = yield* Effect.result(Effect.flatMap(Workspace, ({ readBytes }) => readBytes(path)))
    if (read._tag === "Failure") return notice(mention, ErrorReport.forPeople(read.failure))
    const bytes = read.success
    const kind = FileKind.of(path, bytes)
    if (kind === undefined) return notice(mention, why)
    if (kind._tag === "Image") {
      return yield* imagePart(mention, { bytes, mediaType: kind.mediaType }, at)
    }
    if (kind.document === "pdf" && lines === Mention.allLines && activeModel(at.session).model.documents) {
      const blob = yield* at.putBlob(bytes)
      return { _tag: "Document", mediaType: "application/pdf", blob, name: path.slice(path.lastIndexOf("/") + 1) } satisfies Content
    }
    const documents = yield* Effect.promise(() => import("../documents/Documents.ts"))
    return yield* documents.read(kind.document, bytes).pipe(
      Effect.map(({ isTruncated, text, description }) =>
        file(path, `${TextPage.of(text, lines).text}\n${FileKind.note(description, isTruncated)}`, [touch(at, path, sha256(bytes))])
      ),
      Effect.catch(({ message }) => Effect.succeed(notice(mention, `it can't be read as ${kind.document.toUpperCase()}: ${message}.`)))
    )
  }
)

/** A pasted or dropped image: its bytes are stored already. */
const storedImage = Effect.fnUntraced(function*(mention: File, blob: string, at: MentionContext) {
  const bytes = yield* Effect.result(at.getBlob(blob))
  const kind = bytes._tag === "Success" ? FileKind.of("", bytes.success) : undefined
  return bytes._tag === "Success" && kind?._tag === "Image"
    ? yield* imagePart(mention, { bytes: bytes.success, mediaType: kind.mediaType }, at)
    : notice(mention, "it is not a stored image.")
})

const imagePart = (mention: File, image: FitImage.Image, { putBlob }: MentionContext) =>
  FitImage.fit(image).pipe(
    Effect.flatMap(({ bytes, mediaType }) => Effect.map(putBlob(bytes), (blob): Content => ({ _tag: "Image", mediaType, blob }))),
    Effect.catchTag("ImageError", ({ message }) => Effect.succeed(notice(mention, message)))
  )

const folder = Effect.fnUntraced(function*(mention: File, path: string) {
  const { list } = yield* Workspace
  return yield* list(path, { depth: 2, limit: 200 }).pipe(
    Effect.map(({ isTruncated, entries }) =>
      mentionText(
        mention,
        [
          ...entries.map(({ kind, path }) => PathName.singleLinePath(kind === "directory" ? `${path}/` : path)),
          ...(isTruncated ? ["[… and more]"] : [])
        ].join("\n") || "(empty)"
      )
    ),
    Effect.catch((error) => Effect.succeed(notice(mention, ErrorReport.forPeople(error))))
  )
})
