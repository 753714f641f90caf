/** read_file: a file's text with line numbers, a page at a time. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import { define, ToolContext } from "../../services/Tool.ts"
import * as Saying from "../../domain/message/Saying.ts"
import { Storage } from "../../services/Storage.ts"
import { Workspace } from "../../services/Workspace.ts"

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "The file, relative to the working folder." }),
  start_line: Schema.optionalKey(Schema.Int.annotate({ description: "First line to read, from 1." })),
  end_line: Schema.optionalKey(Schema.Int.annotate({ description: "Last line to read, inclusive." }))
})

export const ReadFile = define({
  name: "read_file",
  description:
    "Read a text file. Lines come as `12 | text`; the number and bar are not part of the file. At most 2,000 lines and 48,000 characters a call: ask for the rest with start_line.",
  params,
  aliases: ["read", "view_file"],
  paramAliases: { file_path: "path", filename: "path", file: "path", offset: "start_line", from_line: "start_line", to_line: "end_line" },
  kind: "read",
  idempotent: true,
  tags: ["read"],
  access: ({ path }, { cwd }) => [Access.read(PathName.of(cwd, path))],
  run: Effect.fn("read_file")(function*({ end_line, path, start_line }) {
    const blob = Saying.blob(path)
    if (blob !== undefined) return yield* attached(blob, { from: start_line ?? 1, to: end_line ?? Infinity })
    const workspace = yield* Workspace
    const name = PathName.of((yield* ToolContext).cwd, path)
    return yield* workspace.readText(path).pipe(
      Effect.map(({ hash, text }): Outcome.Outcome => {
        const page = TextPage.of(text, { from: start_line ?? 1, to: end_line ?? Infinity })
        return {
          ...(page.empty ? Outcome.mistaken(page.text) : Outcome.succeeded(page.text)),
          touched: [{ path: name, kind: "read", hash, ...(page.extent === undefined ? {} : { content: page.extent }) }]
        }
      }),
      Effect.catch((error) => Effect.succeed(ToolReport.fileOutcome(error)))
    )
  })
})

/** A page of a text that the user attached: it is no file, and is kept with the session. */
const attached = Effect.fnUntraced(function*(blob: string, lines: { readonly from: number; readonly to: number }) {
  const { getBlob } = yield* Storage
  return yield* getBlob(blob).pipe(
    Effect.map((bytes) => {
      const page = TextPage.of(new TextDecoder().decode(bytes), lines)
      return page.empty ? Outcome.mistaken(page.text) : Outcome.succeeded(page.text)
    }),
    Effect.orElseSucceed(() => Outcome.mistaken("There is no such attachment: use the name exactly as it was given."))
  )
})
