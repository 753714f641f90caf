/** The user's favourite sessions on this machine, in a file beside the store: a mark changes no session. */
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { Environment } from "../../services/Environment.ts"
import { JsonFiles } from "../../services/JsonFiles.ts"
import { Storage, type Summary } from "../../services/Storage.ts"

const path = ["sessions"]

const open = Effect.gen(function*() {
  const { folders } = yield* Environment
  return yield* (yield* JsonFiles).at(join(folders.data, "favourites.json"), "Favourite sessions of dacapo, by id.")
})

const idsIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((id): id is string => typeof id === "string") : []

/** Their ids; none if the file can't be read. */
export const ids: Effect.Effect<ReadonlySet<string>, never, Environment | JsonFiles> = Effect.gen(function*() {
  const value = yield* (yield* open).value
  return new Set(typeof value === "object" && value !== null && "sessions" in value ? idsIn(value.sessions) : [])
}).pipe(Effect.orElseSucceed(() => new Set<string>()))

/** Marks sessions, and removes the mark of others; on disk when it returns. */
export const change = Effect.fnUntraced(
  function*({ add = [], remove = [] }: { readonly add?: ReadonlyArray<string>; readonly remove?: ReadonlyArray<string> }) {
    if (add.length + remove.length === 0) return
    yield* (yield* open).changeNow(path, (current) => {
      const others = idsIn(current).filter((id) => !remove.includes(id) && !add.includes(id))
      return [undefined, [...others, ...add]]
    })
  }
)

/** Favourites before the others, each in their order. */
export const first = <A extends { readonly id: string }>(sessions: ReadonlyArray<A>, favourites: ReadonlySet<string>): ReadonlyArray<A> =>
  sessions.toSorted((a, b) => Number(favourites.has(b.id)) - Number(favourites.has(a.id)))

/** How many sessions a list has. */
const maxListed = 1_000

/** The sessions of a folder to choose from, favourites first, then the newest: neither archived ones nor those of subagents. */
export const resumable = Effect.fnUntraced(function*(cwd: string) {
  const favourites = yield* ids
  const { list } = yield* Storage
  const all = yield* list({ cwd, parent: null, ...(favourites.size === 0 ? { limit: maxListed } : {}) })
  const sessions: ReadonlyArray<Summary> = first(all.filter(({ archived }) => archived !== true), favourites).slice(0, maxListed)
  return { sessions, favourites }
})

/** Saves the marks of a list of sessions, where they have changed; by index in the list. */
export const save = (sessions: ReadonlyArray<Summary>, favourites: ReadonlySet<string>, marks: ReadonlySet<number>) =>
  change({
    add: sessions.flatMap(({ id }, i) => marks.has(i) && !favourites.has(id) ? [id] : []),
    remove: sessions.flatMap(({ id }, i) => !marks.has(i) && favourites.has(id) ? [id] : [])
  })

/** The indexes of the favourites. */
export const marksOf = (sessions: ReadonlyArray<Summary>, favourites: ReadonlySet<string>): ReadonlySet<number> =>
  new Set(sessions.flatMap(({ id }, i) => favourites.has(id) ? [i] : []))
