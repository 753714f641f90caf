/** `efferent auth`: keys of providers are kept, forgotten, and told where they are; none is ever shown. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { near } from "../../domain/provider/Near.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import * as Keys from "../../services/Keys.ts"
import type { Route } from "../../services/Route.ts"
import { InputError, UsageError } from "../CliError.ts"
import type { Given, Run } from "../Commands.ts"
import { Host } from "../Host.ts"
import * as Json from "../render/Json.ts"
import * as Secret from "../Secret.ts"
import { Wiring } from "../Wiring.ts"

export const run: Run = Effect.fnUntraced(function*({ values: { outputFormat = "text" }, words: [action = "status", name, ...rest] }: Given) {
  if (rest.length > 0) return yield* new UsageError({ message: "auth takes one provider." })
  const { records } = yield* Wiring
  const act = action === "login" ? login(yield* route(name)) : action === "logout" ? logout(yield* route(name)) : status(outputFormat)
  return yield* Effect.provide(act, records)
})

/** The provider that is meant: one that takes a key. */
const route = Effect.fnUntraced(function*(name: string | undefined) {
  const keyed = builtin.filter(({ keys }) => keys.length > 0)
  if (name === undefined) return yield* new UsageError({ message: "Which provider? `efferent auth login anthropic`, for example." })
  const found = keyed.find((route) => route.name === name)
  if (found !== undefined) return found
  const names = near(name, keyed.map(({ name }) => name))
  return yield* new UsageError({
    message: `There is no provider "${name}" that takes a key.${names.length === 0 ? " `efferent auth status` lists them." : ` Did you mean ${names.join(" or ")}?`}`
  })
})

const login = Effect.fnUntraced(function*({ keys: [variable = "", ...others], title }: Route) {
  const { environment: { variables }, stdout } = yield* Host
  const kept = yield* Keys.Keys
  const key = yield* Secret.ask(`Key for ${title}: `)
  if (key === "") return yield* new InputError({ message: "There was no key on standard input: nothing is kept." })
  if (/\s/.test(key)) return yield* new InputError({ message: "A key has no spaces and no line ends in it: nothing is kept." })
  const where = yield* kept.save(variable, Redacted.make(key, { label: variable }))
  const first = [variable, ...others].find((name) => (variables[name] ?? "") !== "")
  yield* stdout.write(`The key for ${title} is kept in ${where}.\n` + (first === undefined ? "" : `But ${first} is set in the environment, and goes before it.\n`))
  return 0
})

const logout = Effect.fnUntraced(function*({ keys, title }: Route) {
  const { environment: { variables }, stdout } = yield* Host
  const kept = yield* Keys.Keys
  const gone = yield* Effect.forEach(keys, kept.remove)
  const left = keys.find((name) => (variables[name] ?? "") !== "")
  yield* stdout.write(
    `${gone.includes(true) ? `The key for ${title} is forgotten.` : `There was no key for ${title}.`}\n` +
      (left === undefined ? "" : `${left} is still set in the environment.\n`)
  )
  return 0
})

const status = Effect.fnUntraced(function*(format: string) {
  const { stdout } = yield* Host
  const rows = yield* found
  yield* stdout.write(format === "text" ? rows.map(line).join("") : Json.line(rows))
  return 0
})

interface Row {
  readonly provider: string
  readonly keys: ReadonlyArray<string>
  /** Where its key was found, in words; null where there is none. */
  readonly from: string | null
}

/** Every provider that takes a key, and where its key is. */
export const found = Effect.gen(function*() {
  const { environment: { variables } } = yield* Host
  return yield* Effect.forEach(builtin.filter(({ keys }) => keys.length > 0), ({ keys, name }) =>
    Effect.map(Keys.find(keys, variables, Redacted.make), (key): Row => ({ provider: name, keys, from: key?.from ?? null })))
})

const line = ({ from, keys, provider }: Row): string =>
  `${from === null ? " " : "✓"} ${provider.padEnd(22)} ${from ?? `none; ${keys.join(" or ")} is not set`}\n`
