/** read_file: a file's text with line numbers, a page at a time. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Notebook from "../../domain/tool/Notebook.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import { define, ToolContext } from "../../services/Tool.ts"
import * as UserMessage from "../../domain/message/UserMessage.ts"
import { Storage } from "../../services/Storage.ts"
import { type TextFile, Workspace } from "../../services/Workspace.ts"
import * as Digest from "../storage/Digest.ts"

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "The file." }),
  start_line: Schema.optionalKey(Schema.Int.annotate({ description: "First line, from 1." })),
  end_line: Schema.optionalKey(Schema.Int.annotate({ description: "Last line, inclusive." }))
})

export const ReadFile = define({
  name: "read_file",
  description:
    "Read a file, up to 2,000 lines and 48,000 characters; read on with start_line. Lines are returned as `12 | text`; number and bar are not part of the file. PDF, docx, xlsx and ipynb become text; images are shown.",
  params,
  plain: ["path", "start_line", "end_line"],
  aliases: ["read", "view_file"],
  paramAliases: { file_path: "path", filename: "path", file: "path", offset: "start_line", from_line: "start_line", to_line: "end_line" },
  kind: "read",
  idempotent: true,
  tags: ["read"],
  access: ({ path }, { cwd }) => [Access.read(PathName.relativePath(cwd, path))],
  run: Effect.fn("read_file")(function*({ end_line, path, start_line }) {
    const lines: Lines = { from: start_line ?? 1, to: end_line ?? Infinity }
    const blob = UserMessage.blob(path)
    if (blob !== undefined) return yield* readAttachment(blob, lines)
    const workspace = yield* Workspace
    const name = PathName.relativePath((yield* ToolContext).cwd, path)
    return yield* workspace.readText(path).pipe(
      Effect.flatMap((file) => isDocument(file) ? readBinary(path, name, lines) : Effect.succeed(textOutcome(file, path, name, lines))),
      Effect.catchIf(({ reason }) => reason === "Binary" || reason === "NotText", (error) => readBinary(path, name, lines, error)),
      Effect.catch((error) => Effect.succeed(ToolReport.fileOutcome(error)))
    )
  })
})

interface Lines {
  readonly from: number
  readonly to: number
}

/** Some PDFs contain only text. */
const isDocument = ({ text }: TextFile): boolean => text.startsWith("%PDF-")

const textOutcome = ({ hash, text }: TextFile, path: string, name: string, lines: Lines): Outcome.Outcome => {
  const cells = /\.ipynb$/i.test(path) ? Notebook.text(text) : undefined
  const page = TextPage.of(cells ?? text, lines)
  const outcome = page.isEmpty ? Outcome.mistaken(page.text)
    : Outcome.succeeded(cells === undefined ? page.text : `${page.text}\n${FileKind.note("a notebook")}`)
  return {
    ...outcome,
    touched: [{ path: name, kind: "read", hash, ...(page.extent === undefined || cells !== undefined ? {} : { content: page.extent }) }]
  }
}

/** A document as text, an image as it is; for anything else the original `error`. */
const readBinary = Effect.fnUntraced(function*(path: string, name: string, lines: Lines, error?: FileError) {
  const bytes = yield* (yield* Workspace).readBytes(path)
  const kind = FileKind.of(path, bytes)
  const hash = Digest.sha256(bytes)
  const touched = [{ path: name, kind: "read" as const, hash }]
  if (kind === undefined) return error === undefined ? Outcome.failed(`${path}: it can't be read.`) : ToolReport.fileOutcome(error)
  if (kind._tag === "Image") {
    const outcome = Outcome.succeeded(`${path} is an image (${kind.mediaType}, ${bytes.length} bytes).`)
    const { store } = yield* Effect.promise(() => import("../image/FitImage.ts"))
    return yield* store(bytes, kind.mediaType).pipe(
      Effect.map((image): Outcome.Outcome => ({ ...outcome, touched, content: [...outcome.content, image] })),
      Effect.catch(({ message }) => Effect.succeed(Outcome.failed(`${path}: ${message}`)))
    )
  }
  const { read } = yield* Effect.promise(() => import("../documents/Documents.ts"))
  return yield* read(kind.document, bytes).pipe(
    Effect.map(({ isTruncated, text, description }): Outcome.Outcome => {
      const page = TextPage.of(text, lines)
      return {
        ...(page.isEmpty ? Outcome.mistaken(page.text) : Outcome.succeeded(`${page.text}\n${FileKind.note(description, isTruncated)}`)),
        touched
      }
    }),
    Effect.catch(({ message }) => Effect.succeed(Outcome.failed(`${path} can't be read as ${kind.document.toUpperCase()}: ${message}.`)))
  )
})

/** A page of a text that the user attached: not a file, but stored with the session. */
const readAttachment = Effect.fnUntraced(function*(blob: string, lines: Lines) {
  const { getBlob } = yield* Storage
  return yield* getBlob(blob).pipe(
    Effect.map((bytes) => {
      const page = TextPage.of(new TextDecoder().decode(bytes), lines)
      return page.isEmpty ? Outcome.mistaken(page.text) : Outcome.succeeded(page.text)
    }),
    Effect.orElseSucceed(() => Outcome.mistaken("No such attachment. Use the name exactly as given."))
  )
})
