/** `dacapo auth`: keys of providers are kept, forgotten, and told where they are; none is ever shown. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { near } from "../../domain/provider/SimilarNames.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import * as Keys from "../../services/Keys.ts"
import type { Route } from "../../services/Route.ts"
import * as Choose from "../terminal/ChooseOne.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import type { Given, Run } from "../Commands.ts"
import type { Options } from "../terminal/DrawLoop.ts"
import type { Failure } from "../process/ExitCode.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Wrap from "../render/text/Wrap.ts"
import * as Secret from "../terminal/PasswordPrompt.ts"
import * as Wanted from "../start/SessionOptions.ts"
import { type Records, Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [action = "status", name, ...rest] }: Given) {
  if (rest.length > 0) return yield* new UsageError({ message: "auth takes one provider." })
  const act = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (act === undefined) return yield* new UsageError({ message: `\`dacapo auth\` knows ${Object.keys(actions).join(", ")}; "${action}" is none of them.` })
  return yield* Effect.provide(act(values, name), (yield* Wiring).records)
})

const actions: Readonly<Record<string, (values: Values, name: string | undefined) => Effect.Effect<number, Failure, Host | Records | Wiring>>> = {
  login: Effect.fnUntraced(function*(values, name) {
    const { stdin, stdout } = yield* Host
    const meant = name === undefined && stdin.tty && stdout.tty ? yield* chosen(yield* Choose.look(values)) : yield* named("login", name)
    return meant === undefined ? 0 : yield* login(meant)
  }),
  logout: (_, name) => Effect.flatMap(named("logout", name), logout),
  status: (values) => status(values.outputFormat ?? "text")
}

const keyed = builtin.filter(({ keys }) => keys.length > 0)

/** The provider that a word means: one that takes a key. */
const named = Effect.fnUntraced(function*(action: string, name: string | undefined) {
  if (name === undefined) return yield* new UsageError({ message: `Which provider? \`dacapo auth ${action} anthropic\`, for example.` })
  const found = keyed.find((route) => route.name === name)
  if (found !== undefined) return found
  const names = near(name, keyed.map(({ name }) => name))
  return yield* new UsageError({
    message: `There is no provider "${name}" that takes a key.${names.length === 0 ? " `dacapo auth status` lists them." : ` Did you mean ${names.join(" or ")}?`}`
  })
})

/** One of those that need a key, the preferred first; undefined where none is wanted. */
export const chosen = Effect.fnUntraced(function*(look: Options) {
  const preferred = (route: Route) => Wanted.preferred.findIndex(({ model }) => model.startsWith(`${route.name}/`)) >>> 0
  const routes = keyed.filter(({ keyOptional }) => keyOptional !== true).toSorted((a, b) => preferred(a) - preferred(b))
  const choice = yield* Choose.one(look, "A key for which provider?", routes.map(({ name, title }) => `${title} (${name})`))
  return choice === undefined ? undefined : routes[choice]
})

/** Asks for a key and keeps it. */
export const login = Effect.fnUntraced(function*({ keys: [variable = "", ...others], title }: Route) {
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
  yield* stdout.write(format === "text" ? table(rows, stdout.tty ? stdout.columns() : Infinity).map((line) => `${line}\n`).join("") : Json.line(rows))
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

/** The keys that are there, then the others. */
const table = (rows: ReadonlyArray<Row>, columns: number): ReadonlyArray<string> => {
  const line = (mark: string, { provider }: Row, text: string) => Wrap.row(`${mark} ${provider.padEnd(22)} `, text, columns)
  return [
    ...rows.flatMap((row) => row.from === null ? [] : line("✓", row, row.from)),
    ...Wrap.row("", "Without a key; set the variable, or `dacapo auth login <provider>`:", columns),
    ...rows.flatMap((row) => row.from === null ? line(" ", row, row.keys.join(" or ")) : [])
  ]
}
