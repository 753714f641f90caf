/** `dacapo models [term...] [--refresh]`: lists models of the catalogue and of local servers, with window and price. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import { alternatives } from "../../domain/provider/SimilarNames.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import * as CatalogueFile from "../../layers/provider/CatalogueFile.ts"
import * as FetchLive from "../../layers/provider/transport/FetchLive.ts"
import * as LocalModels from "../../layers/provider/LocalModels.ts"
import { Settings } from "../../services/Settings.ts"
import * as Keys from "../../services/Keys.ts"
import * as Route from "../../services/Route.ts"
import { InputError } from "../process/CliError.ts"
import type { Run } from "../Command.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import { thousands } from "../render/text/BlockLines.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values: { baseUrl, outputFormat = "text", refresh }, args: terms }) {
  const { stderr, stdout } = yield* Host
  const { records } = yield* AgentLayers
  const listing = yield* list(terms, refresh === true, baseUrl).pipe(Effect.provide(Layer.provideMerge(FetchLive.layer, records)))
  if (refresh === true) {
    yield* Effect.ignore(stderr.write(`Updated the model catalogue to ${listing.date} (${listing.hash.slice(0, 12)}).\n`))
  }
  if (outputFormat === "text" && listing.providers.every(({ models }) => models.length === 0)) {
    return yield* new InputError({
      message: `No model name contains "${terms.join(" ")}". ` +
        "Run `dacapo models` to list all models, or add --refresh to update the catalogue."
    })
  }
  yield* stdout.write(
    outputFormat === "text"
      ? listing.providers.filter(({ models }) => terms.length === 0 || models.length > 0)
        .map(({ address, from, models, route }) => [`${heading(route, address, from)}\n`, ...models.map(row)].join("")).join("\n")
      : StreamJson.line(listing.providers.flatMap(({ models }) => models))
  )
  return 0
})

const list = Effect.fnUntraced(function*(terms: ReadonlyArray<string>, refresh: boolean, baseUrl: string | undefined) {
  const { cwd, environment: { variables } } = yield* Host
  const settings = yield* (yield* Settings).load(cwd)
  const { date, entries, hash } = yield* refresh ? CatalogueFile.refresh(settings) : CatalogueFile.load
  const served = yield* LocalModels.models(builtin, baseUrl === undefined ? {} : { baseUrl })
  const providers = yield* Effect.forEach(builtin, (route) =>
    Effect.map(Keys.find(route.keys, variables, Redacted.make), (key) => ({
      route,
      address: Route.address(route, variables, { flag: baseUrl, setting: settings.providers?.[route.name]?.baseUrl }) || route.baseUrl,
      from: key?.source,
      models: [...Catalogue.models(route.catalogue ?? route.name, route.name, entries), ...served.get(route.name) ?? []]
        .filter((model) => terms.every((term) => Model.title(model).includes(term)))
    })))
  return { date, hash, providers }
})

/** A provider, its address unless it is this machine as usual, and where its key comes from. */
const heading = (
  { baseUrl, keyOptional, keys, local, name, place, title }: Route.Route,
  address: string,
  from: string | undefined
): string =>
  `${title} (${name}/…)${local && address === baseUrl ? "" : ` at ${address}`}: ` +
  (from !== undefined
    ? `key from ${from}`
    : keys.length === 0
    ? "needs no key"
    : place !== undefined
    ? `needs an account; set ${alternatives([...keys, ...place.keys])}`
    : keyOptional === true
    ? "needs no key, unless the server requires one"
    : `no key; set ${alternatives(keys)}`)

const row = (model: Model.Model): string => {
  const { maxOutput, nativeTools, price, window } = model
  const cost = price === undefined ? "price unknown" : `$${price.input} in, $${price.output} out per million tokens`
  const sizes = `${thousands(window).padStart(6)} window ${thousands(maxOutput).padStart(6)} output`
  return `  ${Model.title(model).padEnd(44)} ${sizes}  ${cost}${nativeTools ? "" : "  (XML tools)"}\n`
}
