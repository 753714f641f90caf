/** `dacapo auth`: saves and deletes API keys of providers and search services, and shows where each was found. A key is never printed. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { alternatives, similarNames } from "../../domain/provider/SimilarNames.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import { type KeyedService, keyedServices } from "../../layers/search/KeyedServices.ts"
import * as Keys from "../../services/Keys.ts"
import type { Route } from "../../services/Route.ts"
import { InputError, UsageError, unknownAction } from "../process/CliError.ts"
import type { Invocation, Run } from "../Command.ts"
import type { Options } from "../terminal/DrawLoop.ts"
import type { Failure } from "../process/ExitCode.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"
import * as Wrap from "../render/text/Wrap.ts"
import * as PasswordPrompt from "../terminal/PasswordPrompt.ts"
import * as DefaultModel from "../../domain/provider/DefaultModel.ts"
import { type RecordServices, AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args: [action = "status", name, ...rest] }: Invocation) {
  if (rest.length > 0) return yield* new UsageError({ message: "`dacapo auth` takes one provider or search service." })
  const perform = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (perform === undefined) return yield* unknownAction("auth", action, Object.keys(actions))
  return yield* Effect.provide(perform(values, name), (yield* AgentLayers).records)
})

type Action = (values: Values, name: string | undefined) => Effect.Effect<number, Failure, Host | RecordServices | AgentLayers>

const actions: Readonly<Record<string, Action>> = {
  login: Effect.fnUntraced(function*(values, name) {
    const { stdin, stdout } = yield* Host
    const provider = name === undefined && stdin.tty && stdout.tty
      ? yield* chooseProvider(yield* (yield* loadChooseOne).displayOptions(values))
      : yield* findKeyed("login", name)
    return provider === undefined ? 0 : yield* login(provider)
  }),
  logout: (_, name) => Effect.flatMap(findKeyed("logout", name), logout),
  status: (values) => status(values.outputFormat ?? "text")
}

/** Draws a screen, so it is loaded when someone is asked. */
const loadChooseOne = Effect.promise(() => import("../terminal/ChooseOne.ts"))

const keyedRoutes = builtin.filter(({ keys }) => keys.length > 0)

/** The provider or search service with this name that takes a key. */
export const findKeyed = Effect.fnUntraced(function*(action: string, name: string | undefined) {
  if (name === undefined) return yield* new UsageError({ message: `Name a provider, for example \`dacapo auth ${action} anthropic\`.` })
  const match: KeyedService | undefined = [...keyedRoutes, ...keyedServices].find((one) => one.name === name)
  if (match !== undefined) return match
  const names = similarNames(name, [...keyedRoutes, ...keyedServices].map(({ name }) => name))
  return yield* new UsageError({
    message: `"${name}" is not a provider or search service that takes a key.` +
      (names.length === 0 ? " Run `dacapo auth status` to list them." : ` Did you mean ${alternatives(names)}?`)
  })
})

const preference = ({ name }: Route): number => DefaultModel.preferredProviders.indexOf(name) >>> 0

/** The providers that need a key, the preferred ones first. */
export const loginRoutes: ReadonlyArray<Route> = keyedRoutes.filter(({ keyOptional }) => keyOptional !== true)
  .toSorted((a, b) => preference(a) - preference(b))

export const providerQuestion = "Which provider is the key for?"

export const providerLabel = ({ name, title }: Route): string => `${title} (${name})`

/** Asks for one of the providers that need a key; undefined if cancelled. */
export const chooseProvider = (display: Options) =>
  Effect.map(
    Effect.flatMap(loadChooseOne, (ChooseOne) => ChooseOne.choose(display, providerQuestion, loginRoutes.map(providerLabel))),
    (choice) => choice === undefined ? undefined : loginRoutes[choice]
  )

/** Asks for a key and saves it. */
export const login = Effect.fnUntraced(function*({ keys: [variable = "", ...others], title }: KeyedService) {
  const { environment: { variables }, stdout } = yield* Host
  const keys = yield* Keys.Keys
  const key = yield* PasswordPrompt.readSecret(`Key for ${title}: `)
  if (key === "") return yield* new InputError({ message: "No key was entered. Nothing was saved." })
  if (/\s/.test(key)) return yield* new InputError({ message: "A key can't contain spaces or line breaks. Nothing was saved." })
  const location = yield* keys.save(variable, Redacted.make(key, { label: variable }))
  const environmentVariable = [variable, ...others].find((name) => (variables[name] ?? "") !== "")
  yield* stdout.write(
    `The key for ${title} is saved in ${View.line(location)}.\n` +
      (environmentVariable === undefined ? "" : `${environmentVariable} is also set in the environment and takes precedence.\n`)
  )
  return 0
})

const logout = Effect.fnUntraced(function*({ keys, title }: KeyedService) {
  const { environment: { variables }, stdout } = yield* Host
  const keyStore = yield* Keys.Keys
  const removals = yield* Effect.forEach(keys, keyStore.remove)
  const environmentVariable = keys.find((name) => (variables[name] ?? "") !== "")
  yield* stdout.write(
    `${removals.includes(true) ? `The key for ${title} is deleted.` : `No key for ${title} was saved.`}\n` +
      (environmentVariable === undefined ? "" : `${environmentVariable} is still set in the environment.\n`)
  )
  return 0
})

const status = Effect.fnUntraced(function*(format: string) {
  const { stdout } = yield* Host
  const rows = [...yield* keySources, ...yield* searchKeySources]
  yield* stdout.write(
    format === "text"
      ? table(rows, stdout.tty ? stdout.columns() : Infinity).map((line) => `${line}\n`).join("")
      : StreamJson.line(rows)
  )
  return 0
})

interface Row {
  readonly provider: string
  readonly keys: ReadonlyArray<string>
  /** Where the key was found, as text; null if there is none. */
  readonly from: string | null
}

const sourcesOf = (owners: ReadonlyArray<KeyedService>) =>
  Effect.gen(function*() {
    const { environment: { variables } } = yield* Host
    return yield* Effect.forEach(owners, ({ keys, name }) =>
      Effect.map(Keys.find(keys, variables, Redacted.make), (key): Row => ({ provider: name, keys, from: key?.source ?? null })))
  })

/** Every provider of models that takes a key, with the source of its key. */
export const keySources = sourcesOf(keyedRoutes)

/** The same for services that only search. */
export const searchKeySources = sourcesOf(keyedServices)

/** Providers with a key first, then the others. */
const table = (rows: ReadonlyArray<Row>, columns: number): ReadonlyArray<string> => {
  const line = (mark: string, { provider }: Row, text: string) => Wrap.row(`${mark} ${provider.padEnd(22)} `, text, columns)
  return [
    ...rows.flatMap((row) => row.from === null ? [] : line("✓", row, row.from)),
    ...Wrap.row("", "No key; set the variable or run `dacapo auth login <provider>`:", columns),
    ...rows.flatMap((row) => row.from === null ? line(" ", row, row.keys.join(" or ")) : [])
  ]
}
