/** search_files: lines that match a regular expression. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import * as ToolReport from "../../domain/tool/ToolReport.ts"
import { define } from "../../services/Tool.ts"
import { Workspace, type SearchResult } from "../../services/Workspace.ts"

const limits = { hits: 300, line: 500, context: 20, characters: 48_000 }

const params = Schema.Struct({
  path: Schema.String.annotate({ description: "The folder or file to search." }),
  regex: Schema.String.annotate({ description: "Matched line by line." }),
  file_pattern: Schema.optionalKey(
    Schema.String.annotate({ description: "A glob, such as `**/*.css`." })
  ),
  context: Schema.optionalKey(Schema.Int.annotate({ description: "Lines around each match." }))
})

export const SearchFiles = define({
  name: "search_files",
  description:
    "Search files line by line for a regular expression. Returns up to 300 matches as `path:12: text`, context as `path-11- text`. Skips ignored and closed files, such as .env, unless path names one.",
  params,
  plain: ["path", "regex", "context"],
  aliases: ["grep", "grep_search", "search"],
  paramAliases: { pattern: "regex", query: "regex", directory: "path", include: "file_pattern", glob: "file_pattern" },
  accept: (raw) => raw.path === undefined || raw.path === "" ? { ...raw, path: "." } : raw,
  kind: "read",
  idempotent: true,
  tags: ["read"],
  access: ({ path }, { cwd }) => [Access.read(PathName.relativePath(cwd, path))],
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

/** Hits in order, `--` between pieces that are not adjacent. */
const render = ({ isTruncated, hits }: SearchResult): string => {
  if (hits.length === 0) return "No matches found."
  const lines: Array<string> = []
  let previous: SearchResult["hits"][number] | undefined
  const hasContext = hits.some(({ match }) => !match)
  for (const hit of hits) {
    if (hasContext && previous !== undefined && (previous.path !== hit.path || previous.line + 1 !== hit.line)) lines.push("--")
    const mark = hit.match ? ":" : "-"
    lines.push(`${hit.path}${mark}${hit.line}${mark} ${Truncate.line(hit.text, limits.line)}`)
    previous = hit
  }
  const count = fittingLineCount(lines)
  const isCut = isTruncated || count < lines.length
  return [...lines.slice(0, count), ...(isCut ? ["[More matches exist: narrow the expression or the path.]"] : [])].join("\n")
}

/** How many of the lines fit the character limit of one call. */
const fittingLineCount = (lines: ReadonlyArray<string>): number => {
  let characters = 0
  const end = lines.findIndex((line) => (characters += line.length + 1) > limits.characters)
  return end === -1 ? lines.length : end
}
