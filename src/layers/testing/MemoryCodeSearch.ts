/** A code search over the files of the workspace: the lines that contain words of the query. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CodeChunks from "../../domain/search/CodeChunks.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import { CodeSearch, CodeSearchError } from "../../services/lookup/CodeSearch.ts"
import { Workspace } from "../../services/Workspace.ts"

/** The maximum number of files that are read. */
const maxFiles = 1_000

/** A hit is one line; those with most of the words come first. `failure` is why every search fails. */
export const layer = (failure?: string): Layer.Layer<never, never, Workspace> =>
  Layer.effect(
    CodeSearch,
    Effect.gen(function*() {
      const { names, readText, roots } = yield* Workspace
      const search = Effect.fnUntraced(function*(query: string, folder: string, limit: number) {
        if (failure !== undefined) return yield* new CodeSearchError({ message: failure })
        const words = CodeChunks.queryWords(query)
        const inside = PathName.relativePath(roots[0] ?? "/", folder)
        const paths = (yield* names(maxFiles)).filter((path) => inside === "." || path === inside || path.startsWith(`${inside}/`))
        const ranked = yield* Effect.forEach(paths, (path) =>
          readText(path).pipe(
            Effect.map(({ text }) =>
              text.split("\n").flatMap((line, i) => {
                const lineWords = new Set(CodeChunks.queryWords(line))
                const score = words.filter((word) => lineWords.has(word)).length
                return score === 0 ? [] : [{ score, hit: { path, start: i + 1, end: i + 1, text: line } }]
              })
            ),
            Effect.orElseSucceed(() => [])
          ))
        return { hits: ranked.flat().sort((a, b) => b.score - a.score).slice(0, limit).map(({ hit }) => hit), notes: [] }
      })
      return { search }
    })
  )
