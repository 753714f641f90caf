/** Finds a session by its id, the start of its id, its name, or `latest`. */
import * as Effect from "effect/Effect"
import { optional } from "../../domain/Optional.ts"
import { LogError } from "../../domain/session/LogError.ts"
import { Storage, type Summary } from "../../services/Storage.ts"
import { UsageError } from "../process/CliError.ts"

/** With `cwd`, `latest` is the latest session of that folder, otherwise of all folders. */
export const find = Effect.fnUntraced(function*(name: string, cwd?: string): Effect.fn.Return<Summary, LogError, Storage> {
  const storage = yield* Storage
  if (name === "latest") {
    const options = { parent: null, ...optional({ cwd }) } as const
    const [newest] = yield* storage.list({ ...options, limit: 1 })
    // Archived sessions are rarely the newest.
    const latest = newest?.archived !== true ? newest : (yield* storage.list(options)).find(({ archived }) => archived !== true)
    if (latest !== undefined) return latest
    const scope = cwd === undefined ? "" : ` in the folder ${cwd}`
    return yield* notFound(name, `No sessions yet${scope}.`, [])
  }
  const [exact] = yield* storage.list({ id: name })
  if (exact !== undefined) return exact
  const all = yield* storage.list({})
  const isId = /^[0-9a-f-]+$/i.test(name)
  const matches = all.filter(({ id, title }) => (isId && id.startsWith(name.toLowerCase())) || title === name)
  if (matches.length === 1) return matches[0]!
  return yield* matches.length === 0
    ? notFound(name, `No session is called ${name}. Run \`dacapo sessions list\` to list the sessions.`, [])
    : notFound(
      name,
      `${matches.length} sessions ${isId ? "begin with" : "are called"} ${name}. Use a longer id.`,
      matches.slice(0, 3).map(({ id }) => id)
    )
})

const notFound = (session: string, message: string, similar: ReadonlyArray<string>): LogError =>
  new LogError({ session, message, reason: { _tag: "NotFound", near: similar } })

// Event numbers on the command line.

/** Parses an event number. */
export const parse = (text: string): Effect.Effect<number, UsageError> =>
  /^\d{1,12}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new UsageError({ message: `"${text}" is not a valid event number; expected 0 or more.` }))
