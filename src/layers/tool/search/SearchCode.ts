/** search_code: parts of files that match a description, by words and, with embeddings, by meaning. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../../domain/tool/Access.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import * as Truncate from "../../../domain/tool/Truncate.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import { CodeSearch, type CodeHit } from "../../../services/lookup/CodeSearch.ts"
import { define } from "../../../services/Tool.ts"

/** Hits of a call, lines and characters that are shown of each. */
const limits = { hits: 10, lines: 14, line: 200, query: 1_000 }

const params = Schema.Struct({
  query: Schema.String.annotate({ description: "What the code does, in a few words: names, terms, a question." }),
  path: Schema.optionalKey(Schema.String.annotate({ description: "Only search this folder, relative to the working directory." }))
})

export const SearchCode = define({
  name: "search_code",
  description:
    "Find the parts of source files that best match a description, such as `where are retries delayed`. Returns the beginnings of the ten best definitions with their lines; read more with read_file. Use search_files for exact text.",
  params,
  aliases: ["codebase_search", "semantic_search"],
  paramAliases: { question: "query", directory: "path", folder: "path" },
  kind: "read",
  idempotent: true,
  tags: ["read"],
  isEnabled: ({ code }) => code === true,
  access: ({ path = "." }, { cwd }) => [Access.read(PathName.relativePath(cwd, path === "" ? "." : path))],
  run: Effect.fn("search_code")(function*({ path = ".", query }) {
    if (query.trim() === "" || query.length > limits.query) return Outcome.mistaken(`The query must have 1 to ${limits.query} characters.`)
    return yield* (yield* CodeSearch).search(query, path === "" ? "." : path, limits.hits).pipe(
      Effect.map(({ hits, notes }) =>
        Outcome.succeeded(
          [...(hits.length === 0 ? ["No matches found."] : hits.map(render)), ...notes.map((note) => `[${note}]`)].join("\n\n")
        )
      ),
      Effect.catch(({ message }) => Effect.succeed(Outcome.failed(message)))
    )
  })
})

const render = ({ end, path, start, text }: CodeHit): string => {
  const lines = text.split("\n")
  const firstLines = lines.slice(0, limits.lines).map((line, i) => `${start + i} | ${Truncate.line(line, limits.line)}`)
  return [
    `${PathName.singleLinePath(path)}:${start}-${end}`,
    ...firstLines,
    ...(lines.length > limits.lines ? [`[${lines.length - limits.lines} more lines]`] : [])
  ]
    .join("\n")
}
