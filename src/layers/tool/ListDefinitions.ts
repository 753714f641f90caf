/** list_definitions: what source files define, as the lines that define it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Languages from "../../domain/definitions/Languages.ts"
import type { Definition } from "../../domain/definitions/Outline.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Clip from "../../domain/tool/Clip.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import { Definitions } from "../../services/Definitions.ts"
import { define } from "../../services/Tool.ts"
import { Workspace } from "../../services/Workspace.ts"

/** `bytes`: larger files are made by programs, and no one reads their definitions. */
const limits = { files: 200, bytes: 1024 * 1024, line: 300, characters: 48_000 }

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "A source file, or a folder whose source files are listed, relative to the working folder." })
})

export const ListDefinitions = define({
  name: "list_definitions",
  description:
    "List what source files define: classes, functions, types, with their line numbers. Of a folder its own files, not those of folders in it. Cheaper than reading the files.",
  params,
  aliases: ["list_code_definition_names", "list_symbols"],
  paramAliases: { file_path: "path", file: "path", directory: "path", folder: "path" },
  accept: (raw) => raw.path === undefined || raw.path === "" ? { ...raw, path: "." } : raw,
  kind: "read",
  idempotent: true,
  tags: ["read"],
  access: ({ path }, { cwd }) => [Access.read(PathName.of(cwd, path))],
  run: Effect.fn("list_definitions")(
    function*({ path }) {
      const workspace = yield* Workspace
      const { kind } = yield* workspace.stat(path)
      if (kind !== "directory") return Outcome.succeeded(Clip.middle(yield* ofFile(path), limits.characters))
      const { cut, entries } = yield* workspace.list(path, { depth: 1, limit: limits.files * 5 })
      const sources = entries.filter((entry) => entry.kind === "file" && Languages.of(entry.path) !== undefined)
      if (sources.length === 0) return Outcome.succeeded(`No file in ${path} is of a language that is known here.`)
      const shown = yield* Effect.forEach(sources.slice(0, limits.files), (entry) => Effect.catch(ofFile(entry.path), passedOver(entry.path)), { concurrency: 4 })
      const more = cut || sources.length > limits.files ? ["[There are more files: name one.]"] : []
      return Outcome.succeeded([Clip.middle(shown.join("\n\n"), limits.characters), ...more].join("\n\n"))
    },
    Effect.catch((error: FileError) => Effect.succeed(ToolReport.fileOutcome(error)))
  )
})

/** A file's name, and the lines that define something. */
const ofFile = Effect.fnUntraced(function*(path: string) {
  const language = Languages.of(path)
  if (language === undefined) return `${path}: its language is not known here. Read it instead.`
  const workspace = yield* Workspace
  const { size } = yield* workspace.stat(path)
  if (size > limits.bytes) return `${path}: too large to be looked through (${size} bytes). Search it instead.`
  const { text } = yield* workspace.readText(path)
  const definitions = yield* Definitions
  const lines = TextPage.split(text)
  return yield* definitions.of(language, text.replace(/^\uFEFF/, "")).pipe(
    Effect.map((found) => found.length === 0 ? `${path}: defines nothing.` : [path, ...found.map((one) => shown(lines, one))].join("\n")),
    Effect.catch(({ message }) => Effect.succeed(`${path}: ${message}`))
  )
})

const shown = (lines: ReadonlyArray<string>, { depth, line }: Definition): string =>
  `${line} | ${"  ".repeat(depth)}${Clip.line((lines[line - 1] ?? "").trim(), limits.line)}`

const passedOver = (path: string) => (error: FileError) => Effect.succeed(`${path}: ${error.message}`)
