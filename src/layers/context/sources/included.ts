/** A rules file with included files expanded in place. */
import * as Effect from "effect/Effect"
import * as RulesFiles from "../../../domain/context/RulesFiles.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { SmallFiles } from "./SmallFile.ts"

interface ExpandedText {
  readonly text: string
  readonly notes: ReadonlyArray<string>
}

/** Relative to the including file, only inside `root`; `chain` are the including files. A notice replaces what can't be included. */
export const expandIncludes = (
  path: string,
  text: string,
  root: string,
  chain: ReadonlyArray<string> = []
): Effect.Effect<ExpandedText, never, SmallFiles> =>
  Effect.gen(function*() {
    const includes = RulesFiles.find(text)
    if (includes.length === 0) return { text, notes: [] }
    const notes: Array<string> = []
    const expansions = yield* Effect.forEach(includes, (include) =>
      Effect.map(expandInclude(include, path, root, [...chain, path]), ({ notes: more, text }) => {
        notes.push(...more)
        return { ...include, text }
      }))
    return { text: RulesFiles.replaceIncludes(text, expansions), notes }
  })

/** A sentence as a clause. */
const asClause = (why: string): string => `${why.charAt(0).toLowerCase()}${why.slice(1).replace(/\.$/, "")}`

/** Without a text if this is not a reference to a file: `@types/node` in a sentence. */
const expandInclude = Effect.fnUntraced(function*(
  { isAlone, path }: RulesFiles.Include,
  from: string,
  root: string,
  chain: ReadonlyArray<string>
): Effect.fn.Return<{ readonly text: string | undefined; readonly notes: ReadonlyArray<string> }, never, SmallFiles> {
  const files = yield* SmallFiles
  const refuse = (why: string) => ({ text: `[@${path} was not included: ${why}.]`, notes: [`@${path} was not included: ${why}.`] })
  if (path.startsWith("~")) return refuse("it is outside the workspace")
  const target = PathName.normalizePath(path.startsWith("/") ? path : `${from.slice(0, from.lastIndexOf("/"))}/${path}`)
  const real = yield* files.realPath(target)
  if (!Root.contains(root, target) && !Root.contains(root, real)) return refuse("it is outside the workspace")
  if (!Root.contains(root, real)) return refuse("it is a link that leads out of the workspace")
  if (chain.includes(target))
    return refuse(
      `it includes itself (${[...chain.slice(chain.indexOf(target)), target].map((file) => PathName.relativePath(root, file)).join(" → ")})`
    )
  if (chain.length > RulesFiles.maxDepth) return refuse(`includes are nested more than ${RulesFiles.maxDepth} deep`)
  const read = yield* files.read(target)
  if (read._tag === "Missing") return isAlone || /\.\w+$/.test(path) ? refuse("the file does not exist") : { text: undefined, notes: [] }
  if (read._tag === "Folder") return refuse("it is a folder")
  if (read._tag === "Closed") return refuse(asClause(read.why))
  if (read._tag === "TooLarge") return refuse(`it has ${read.bytes} bytes`)
  const inner = yield* expandIncludes(target, read.text, root, chain)
  return { text: `<file path=${JSON.stringify(PathName.relativePath(root, target))}>\n${inner.text.trim()}\n</file>`, notes: inner.notes }
})
