/** The session that a word names: its id, the start of it, its name, or latest. */
import * as Effect from "effect/Effect"
import { LogError } from "../../domain/session/LogError.ts"
import { Storage, type Summary } from "../../services/Storage.ts"

/** `latest` is the latest of the folder `cwd`, or of all where `cwd` is absent. */
export const find = Effect.fnUntraced(function*(word: string, cwd?: string): Effect.fn.Return<Summary, LogError, Storage> {
  const storage = yield* Storage
  if (word === "latest") {
    const [latest] = yield* storage.list({ limit: 1, parent: null, ...(cwd === undefined ? {} : { cwd }) })
    if (latest !== undefined) return latest
    const where = cwd === undefined ? "" : ` for the folder ${cwd}`
    return yield* missing(word, `There is no session yet${where}.`, [])
  }
  const all = yield* storage.list({})
  const isId = /^[0-9a-f-]+$/i.test(word)
  const matching = all.filter(({ id, title }) => (isId && id.startsWith(word.toLowerCase())) || title === word)
  if (matching.length === 1) return matching[0]!
  return yield* matching.length === 0
    ? missing(word, `There is no session ${word}; \`dacapo sessions list\` shows those that are kept.`, [])
    : missing(word, `${matching.length} sessions ${isId ? "begin with" : "are called"} ${word}; their ids tell them apart.`, matching.slice(0, 3).map(({ id }) => id))
})

const missing = (session: string, message: string, near: ReadonlyArray<string>): LogError =>
  new LogError({ session, message, reason: { _tag: "NotFound", near } })
