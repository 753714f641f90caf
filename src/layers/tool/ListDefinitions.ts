/** list_definitions: the definitions in source files, as the lines that contain them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Languages from "../../domain/definitions/Languages.ts"
import type { Definition } from "../../domain/definitions/Outline.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import { Definitions } from "../../services/Definitions.ts"
import { define } from "../../services/Tool.ts"
import { Workspace } from "../../services/Workspace.ts"

/** `bytes`: larger files are generated, and no one reads their definitions. */
const limits = { files: 200, bytes: 1024 * 1024, line: 300, characters: 48_000 }

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "A source file or a folder." })
})

export const ListDefinitions = define({
  name: "list_definitions",
  description:
    "List classes, functions and types, with line numbers, of a source file or the files directly in a folder. Cheaper than reading.",
  params,
  plain: ["path"],
  aliases: ["list_code_definition_names", "list_symbols"],
  paramAliases: { file_path: "path", file: "path", directory: "path", folder: "path" },
  accept: (raw) => raw.path === undefined || raw.path === "" ? { ...raw, path: "." } : raw,
  kind: "read",
  idempotent: true,
  tags: ["read"],
  access: ({ path }, { cwd }) => [Access.read(PathName.relativePath(cwd, path))],
  run: Effect.fn("list_definitions")(
    function*({ path }) {
      const workspace = yield* Workspace
      const { kind } = yield* workspace.stat(path)
      if (kind !== "directory") return Outcome.succeeded(Truncate.middle(yield* definitionsIn(path), limits.characters))
      const { isTruncated, entries } = yield* workspace.list(path, { depth: 1, limit: limits.files * 5 })
      const sources = entries.filter((entry) => entry.kind === "file" && Languages.of(entry.path) !== undefined)
      if (sources.length === 0) return Outcome.succeeded(`No file in ${path} is in a supported language.`)
      const outlines = yield* Effect.forEach(
        sources.slice(0, limits.files),
        (entry) => Effect.catch(definitionsIn(entry.path), skipFile(entry.path)),
        { concurrency: 4 }
      )
      const notice = isTruncated || sources.length > limits.files ? ["[More files exist: name one.]"] : []
      return Outcome.succeeded([Truncate.middle(outlines.join("\n\n"), limits.characters), ...notice].join("\n\n"))
    },
    Effect.catch((error: FileError) => Effect.succeed(ToolReport.fileOutcome(error)))
  )
})

/** A file's name, and the lines with definitions. */
const definitionsIn = Effect.fnUntraced(function*(path: string) {
  const language = Languages.of(path)
  if (language === undefined) return `${path}: unsupported language. Read the file instead.`
  const workspace = yield* Workspace
  const { size } = yield* workspace.stat(path)
  if (size > limits.bytes) return `${path}: too large to parse (${size} bytes). Search it instead.`
  const { text } = yield* workspace.readText(path)
  const definitions = yield* Definitions
  const lines = TextPage.split(text)
  return yield* definitions.of(language, text.replace(/^\uFEFF/, "")).pipe(
    Effect.map((items) =>
      items.length === 0 ? `${path}: no definitions found.` : [path, ...items.map((one) => definitionLine(lines, one))].join("\n")
    ),
    Effect.catch(({ message }) => Effect.succeed(`${path}: ${message}`))
  )
})

const definitionLine = (lines: ReadonlyArray<string>, { depth, line }: Definition): string =>
  `${line} | ${"  ".repeat(depth)}${Truncate.line((lines[line - 1] ?? "").trim(), limits.line)}`

const skipFile = (path: string) => (error: FileError) => Effect.succeed(`${path}: ${error.message}`)
