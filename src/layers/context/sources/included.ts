/** A rules file with the files that it includes in their places. */
import * as Effect from "effect/Effect"
import * as Include from "../../../domain/context/Include.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import * as Root from "../../../domain/workspace/Root.ts"
import { SmallFiles } from "./SmallFile.ts"

interface Included {
  readonly text: string
  readonly notes: ReadonlyArray<string>
}

/** Relative to the including file, inside `root` alone; `chain` are the files that led here. What can't be included is a notice in its place. */
export const included = (
  path: string,
  text: string,
  root: string,
  chain: ReadonlyArray<string> = []
): Effect.Effect<Included, never, SmallFiles> =>
  Effect.gen(function*() {
    const includes = Include.find(text)
    if (includes.length === 0) return { text, notes: [] }
    const notes: Array<string> = []
    const found = yield* Effect.forEach(includes, (include) =>
      Effect.map(one(include, path, root, [...chain, path]), ({ notes: more, text }) => {
        notes.push(...more)
        return { ...include, text }
      }))
    return { text: Include.put(text, found), notes }
  })

/** Without a text where the words name no file and are not meant to: `@types/node` in a sentence. */
const one = Effect.fnUntraced(function*(
  { alone, path }: Include.Include,
  from: string,
  root: string,
  chain: ReadonlyArray<string>
): Effect.fn.Return<{ readonly text: string | undefined; readonly notes: ReadonlyArray<string> }, never, SmallFiles> {
  const files = yield* SmallFiles
  const refuse = (why: string) => ({ text: `[@${path} is not included: ${why}.]`, notes: [`@${path} is not included: ${why}.`] })
  if (path.startsWith("~")) return refuse("it lies outside the workspace")
  const target = PathName.normal(path.startsWith("/") ? path : `${from.slice(0, from.lastIndexOf("/"))}/${path}`)
  const real = yield* files.realPath(target)
  if (!Root.contains(root, target) && !Root.contains(root, real)) return refuse("it lies outside the workspace")
  if (!Root.contains(root, real)) return refuse("it is a link that leads out of the workspace")
  if (chain.includes(target)) return refuse(`it includes itself (${[...chain.slice(chain.indexOf(target)), target].map((file) => PathName.of(root, file)).join(" → ")})`)
  if (chain.length > Include.deepest) return refuse(`files include files at most ${Include.deepest} deep`)
  const read = yield* files.read(target)
  if (read._tag === "Missing") return alone || /\.\w+$/.test(path) ? refuse("there is no such file") : { text: undefined, notes: [] }
  if (read._tag === "Folder") return refuse("it is a folder")
  if (read._tag === "TooLarge") return refuse(`it has ${read.bytes} bytes`)
  const inner = yield* included(target, read.text, root, chain)
  return { text: `<file path=${JSON.stringify(PathName.of(root, target))}>\n${inner.text.trim()}\n</file>`, notes: inner.notes }
})
