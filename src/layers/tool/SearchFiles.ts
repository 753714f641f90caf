/** search_files: lines that match a regular expression. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Clip from "../../domain/tool/Clip.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import { define } from "../../services/Tool.ts"
import { Workspace, type SearchResult } from "../../services/Workspace.ts"

const limits = { hits: 300, line: 500, context: 20, characters: 48_000 }

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "The folder or file to search, relative to the working folder." }),
  regex: Schema.String.annotate({ description: "A regular expression, matched against each line." }),
  file_pattern: Schema.optionalKey(Schema.String.annotate({ description: "Only files that this glob names, such as `*.ts` or `src/**/*.css`." })),
  context: Schema.optionalKey(Schema.Int.annotate({ description: "Lines to show around each hit." }))
})

export const SearchFiles = define({
  name: "search_files",
  description:
    "Search files for a regular expression. Hits come as `path:12: text`, lines around them as `path-11- text`; ignored files are left out. At most 300 hits a call.",
  params,
  aliases: ["grep", "grep_search", "search"],
  paramAliases: { pattern: "regex", query: "regex", directory: "path", include: "file_pattern", glob: "file_pattern" },
  accept: (raw) => raw.path === undefined || raw.path === "" ? { ...raw, path: "." } : raw,
  kind: "read",
  idempotent: true,
  tags: ["read"],
  access: ({ path }, { cwd }) => [Access.read(PathName.of(cwd, path))],
  run: Effect.fn("search_files")(function*({ context = 0, file_pattern, path, regex }) {
    const workspace = yield* Workspace
    const options = {
      context: Math.min(Math.max(0, context), limits.context),
      limit: limits.hits,
      ...(file_pattern === undefined || file_pattern.trim() === "" ? {} : { files: file_pattern.trim() })
    }
    return yield* workspace.search(path, regex, options).pipe(
      Effect.map((result) => Outcome.succeeded(render(result))),
      Effect.catch((error) => Effect.succeed(ToolReport.fileOutcome(error)))
    )
  })
})

/** Hits in the order they came, `--` between pieces that do not touch. */
const render = ({ cut, hits }: SearchResult): string => {
  if (hits.length === 0) return "No line matches."
  const lines: Array<string> = []
  let before: SearchResult["hits"][number] | undefined
  const hasContext = hits.some(({ match }) => !match)
  for (const hit of hits) {
    if (hasContext && before !== undefined && (before.path !== hit.path || before.line + 1 !== hit.line)) lines.push("--")
    const mark = hit.match ? ":" : "-"
    lines.push(`${hit.path}${mark}${hit.line}${mark} ${Clip.line(hit.text, limits.line)}`)
    before = hit
  }
  const kept = fitting(lines)
  const more = cut || kept < lines.length
  return [...lines.slice(0, kept), ...(more ? ["[There are more hits: make the expression or the folder narrower.]"] : [])].join("\n")
}

/** How many of the lines stay within the characters of one call. */
const fitting = (lines: ReadonlyArray<string>): number => {
  let characters = 0
  const end = lines.findIndex((line) => (characters += line.length + 1) > limits.characters)
  return end === -1 ? lines.length : end
}
