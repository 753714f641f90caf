/** `dacapo models [word] [--refresh]`: what is known and what local servers have, what it holds and what it costs. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import * as CatalogueFile from "../../layers/provider/CatalogueFile.ts"
import * as FetchLive from "../../layers/provider/transport/FetchLive.ts"
import * as Served from "../../layers/provider/LocalModels.ts"
import * as Keys from "../../services/Keys.ts"
import type { Route } from "../../services/Route.ts"
import { InputError } from "../process/CliError.ts"
import type { Run } from "../Commands.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import { thousands } from "../render/text/BlockLines.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values: { baseUrl, outputFormat = "text", refresh }, words }) {
  const { stderr, stdout } = yield* Host
  const { records } = yield* Wiring
  const found = yield* list(words, refresh === true, baseUrl).pipe(Effect.provide(Layer.provideMerge(FetchLive.layer, records)))
  if (refresh === true) yield* Effect.ignore(stderr.write(`The catalogue is of ${found.date} now (${found.hash.slice(0, 12)}).\n`))
  if (outputFormat === "text" && found.providers.every(({ models }) => models.length === 0)) {
    return yield* new InputError({ message: `No model has "${words.join(" ")}" in its name: \`dacapo models\` lists all that are known, and --refresh asks for newer ones.` })
  }
  yield* stdout.write(outputFormat === "text"
    ? found.providers.filter(({ models }) => words.length === 0 || models.length > 0)
      .map(({ from, models, route }) => [`${head(route, from)}\n`, ...models.map(row)].join("")).join("\n")
    : Json.line(found.providers.flatMap(({ models }) => models)))
  return 0
})

const list = Effect.fnUntraced(function*(words: ReadonlyArray<string>, refresh: boolean, baseUrl: string | undefined) {
  const { environment: { variables } } = yield* Host
  const { date, entries, hash } = yield* refresh ? CatalogueFile.refresh : CatalogueFile.load
  const served = yield* Served.models(builtin, baseUrl === undefined ? {} : { baseUrl })
  const providers = yield* Effect.forEach(builtin, (route) =>
    Effect.map(Keys.find(route.keys, variables, Redacted.make), (key) => ({
      route,
      from: key?.from,
      models: [...Catalogue.models(route.catalogue ?? route.name, route.name, entries), ...served.get(route.name) ?? []]
        .filter((model) => words.every((word) => Model.title(model).includes(word)))
    })))
  return { date, hash, providers }
})

/** A provider, and whether its key is there. */
const head = ({ baseUrl, keyOptional, keys, local, name, title }: Route, from: string | undefined): string =>
  `${title} (${name}/…)${local ? "" : ` at ${baseUrl}`}: ` +
  (from !== undefined ? `key from ${from}` : keys.length === 0 || keyOptional === true ? "needs no key" : `no key, set ${keys.join(" or ")}`)

const row = (model: Model.Model): string => {
  const { maxOutput, nativeTools, price, window } = model
  const cost = price === undefined ? "no price known" : `$${price.input} in, $${price.output} out a million tokens`
  return `  ${Model.title(model).padEnd(44)} ${thousands(window).padStart(6)} window ${thousands(maxOutput).padStart(6)} output  ${cost}${nativeTools ? "" : "  (XML tools)"}\n`
}
