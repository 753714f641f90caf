/** count_lines: counts the lines of a file. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../src/domain/tool/Access.ts"
import * as Outcome from "../../src/domain/tool/Outcome.ts"
import * as ToolReport from "../../src/domain/tool/ToolReport.ts"
import * as PathName from "../../src/domain/workspace/PathName.ts"
import { define, ToolContext } from "../../src/services/Tool.ts"
import { Workspace } from "../../src/services/Workspace.ts"

export const CountLines = define({
  name: "count_lines",
  description: "Count the lines of a text file.",
  params: Schema.Struct({
    path: Schema.String.annotate({ description: "The file, relative to the working directory." }),
    blank: Schema.optionalKey(Schema.Boolean.annotate({ description: "Count blank lines too (default true)." }))
  }),
  paramAliases: { file_path: "path" },
  kind: "read",
  tags: ["read"],
  access: ({ path }, { cwd }) => [Access.read(PathName.relativePath(cwd, path))],
  run: Effect.fn("count_lines")(function*({ blank = true, path }) {
    const workspace = yield* Workspace
    const { cwd } = yield* ToolContext
    return yield* workspace.readText(path).pipe(
      Effect.map(({ hash, text }): Outcome.Outcome => ({
        ...Outcome.succeeded(`${text.split("\n").filter((line) => blank || line.trim() !== "").length} lines`),
        touched: [{ path: PathName.relativePath(cwd, path), kind: "read", hash }]
      })),
      Effect.catch((error) => Effect.succeed(ToolReport.fileOutcome(error)))
    )
  })
})
