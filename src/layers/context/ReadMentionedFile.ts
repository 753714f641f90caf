/** What the mention of a path brings: a text with its lines, a document as text or as it is, a picture, a folder's entries. */
import * as Effect from "effect/Effect"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import * as Saying from "../../domain/message/UserMessage.ts"
import { speaker } from "../../domain/session/Session.ts"
import * as Notebook from "../../domain/tool/Notebook.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import type { Touch } from "../../domain/workspace/Touch.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as Picture from "../image/FitImage.ts"
import { sha256 } from "../storage/Digest.ts"
import { notice, shown, type At } from "./MentionPart.ts"

type File = Extract<Mention.Mention, { readonly _tag: "file" }>

/** Undefined where nothing of that name is there and it may be no path at all. */
export const read = Effect.fnUntraced(function*(mention: File, at: At) {
  const blob = Saying.blob(mention.path)
  if (blob !== undefined) return yield* kept(mention, blob, at)
  const found = yield* Effect.result(find(mention))
  if (found._tag === "Failure") {
    return found.failure.reason === "NotFound" && !mention.sure ? undefined : notice(mention, ErrorReport.forPeople(found.failure))
  }
  const { info: { kind, path, size }, lines } = found.success
  if (kind === "directory") return yield* folder(mention, path)
  if (kind !== "file") return notice(mention, "it is no file.")
  if (size > Saying.limits.attachment) return notice(mention, `it has ${Math.round(size / 1024 / 1024)} MB, and an attachment may have 20.`)
  return yield* content(mention, path, lines, at)
})

/** The path as it was written, and where nothing is there, without the lines that it ends with (`a.ts:10-20`). */
const find = Effect.fnUntraced(function*(mention: File) {
  const whole = yield* Effect.result(look(mention.path))
  if (whole._tag === "Success") return { info: whole.success, lines: Mention.whole }
  const some = whole.failure.reason === "NotFound" ? Mention.lines(mention.path) : undefined
  if (some === undefined) return yield* whole.failure
  return { info: yield* look(some.path), lines: some }
})

/** `/src/a.ts` is a file of the workspace, as other tools have it; an absolute path is one too. */
const look = Effect.fnUntraced(function*(path: string) {
  const { stat } = yield* Workspace
  const within = path.replace(/^\/+/, "")
  const inside = path.startsWith("/") && within !== "" ? yield* Effect.orElseSucceed(stat(within), () => undefined) : undefined
  return inside ?? (yield* stat(path))
})

const content = (mention: File, path: string, lines: Mention.Lines, at: At) =>
  Effect.flatMap(Workspace, ({ readText }) => readText(path)).pipe(
    Effect.flatMap(({ hash, text }) => text.startsWith("%PDF-") ? asIs(mention, path, lines, at) : Effect.succeed(textOf(path, hash, text, lines, at))),
    Effect.catchTag("FileError", (error) =>
      error.reason === "Binary" || error.reason === "NotText" ? asIs(mention, path, lines, at, ErrorReport.forPeople(error)) : Effect.succeed(notice(mention, ErrorReport.forPeople(error))))
  )

/** With its lines' numbers; what is told of a notebook are no lines of the file. */
const textOf = (path: string, hash: string, text: string, lines: Mention.Lines, at: At): Content => {
  const cells = /\.ipynb$/i.test(path) ? Notebook.text(text) : undefined
  const page = TextPage.of(cells ?? text, lines)
  return file(path, cells === undefined ? page.text : `${page.text}\n${FileKind.note("a notebook")}`, [
    touch(at, path, hash, cells === undefined && page.extent !== undefined ? { content: page.extent } : {})
  ])
}

const touch = ({ session: { cwd } }: At, path: string, hash: string, shows: Pick<Touch, "content"> = {}): Touch =>
  ({ path: PathName.of(cwd, path), kind: "read", hash, ...shows })

const file = (path: string, text: string, touched: ReadonlyArray<Touch>): Content =>
  ({ _tag: "Text", text: `<file path=${JSON.stringify(path)}>\n${text}\n</file>`, origin: "mention", touched })

/** A picture, and a PDF for a model that reads them, as they are; other documents as text. `why` nothing else can be read. */
const asIs = Effect.fnUntraced(function*(mention: File, path: string, lines: Mention.Lines, at: At, why = "it is no text.") {
  const read = yield* Effect.result(Effect.flatMap(Workspace, ({ readBytes }) => readBytes(path)))
  if (read._tag === "Failure") return notice(mention, ErrorReport.forPeople(read.failure))
  const bytes = read.success
  const kind = FileKind.of(path, bytes)
  if (kind === undefined) return notice(mention, why)
  if (kind._tag === "Image") {
    return yield* pictured(mention, { bytes, mediaType: kind.mediaType }, at)
  }
  if (kind.document === "pdf" && lines === Mention.whole && speaker(at.session).model.documents) {
    const blob = yield* at.putBlob(bytes)
    return { _tag: "Document", mediaType: "application/pdf", blob, name: path.slice(path.lastIndexOf("/") + 1) } satisfies Content
  }
  const documents = yield* Effect.promise(() => import("../documents/Documents.ts"))
  return yield* documents.read(kind.document, bytes).pipe(
    Effect.map(({ cut, text, what }) => file(path, `${TextPage.of(text, lines).text}\n${FileKind.note(what, cut)}`, [touch(at, path, sha256(bytes))])),
    Effect.catch(({ message }) => Effect.succeed(notice(mention, `it can't be read as ${kind.document.toUpperCase()}: ${message}.`)))
  )
})

/** A picture that was pasted or dropped: its bytes are kept already. */
const kept = Effect.fnUntraced(function*(mention: File, blob: string, at: At) {
  const bytes = yield* Effect.result(at.getBlob(blob))
  const kind = bytes._tag === "Success" ? FileKind.of("", bytes.success) : undefined
  return bytes._tag === "Success" && kind?._tag === "Image"
    ? yield* pictured(mention, { bytes: bytes.success, mediaType: kind.mediaType }, at)
    : notice(mention, "it is no picture that is kept here.")
})

const pictured = (mention: File, picture: Picture.Picture, { putBlob }: At) =>
  Picture.fit(picture).pipe(
    Effect.flatMap(({ bytes, mediaType }) => Effect.map(putBlob(bytes), (blob): Content => ({ _tag: "Image", mediaType, blob }))),
    Effect.catchTag("PictureError", ({ message }) => Effect.succeed(notice(mention, message)))
  )

const folder = Effect.fnUntraced(function*(mention: File, path: string) {
  const { list } = yield* Workspace
  return yield* list(path, { depth: 2, limit: 200 }).pipe(
    Effect.map(({ cut, entries }) =>
      shown(mention, [...entries.map(({ kind, path }) => PathName.line(kind === "directory" ? `${path}/` : path)), ...(cut ? ["[… and more]"] : [])].join("\n") || "(empty)")),
    Effect.catch((error) => Effect.succeed(notice(mention, ErrorReport.forPeople(error))))
  )
})
