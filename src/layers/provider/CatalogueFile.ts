/** The model catalogue as last refreshed: stored in the cache folder, on top of the one that ships with dacapo. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Settings } from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as ModelsDev from "../../domain/provider/ModelsDev.ts"
import { Environment } from "../../services/Environment.ts"
import { Fetch } from "../../services/Fetch.ts"
import { replace } from "../settings/ReplaceFile.ts"
import * as Digest from "../storage/Digest.ts"
import * as HttpErrors from "./transport/HttpErrors.ts"

/** `date` is YYYY-MM-DD. `hash` identifies the entries; the log records it with every model that they describe. */
export interface CatalogueData {
  readonly date: string
  readonly hash: string
  readonly entries: Catalogue.Entries
}

const CatalogueJson = Schema.fromJsonString(Schema.Struct({ date: Schema.String, providers: Schema.Unknown }))
const decode = Schema.decodeUnknownOption(CatalogueJson)

/** The hash is computed on first use: most runs never need it. */
const catalogueOf = (date: string, entries: Catalogue.Entries): CatalogueData => ({
  date,
  entries,
  get hash() {
    return Digest.ofJson(entries)
  }
})

/** Newer entries over the vendored ones, model by model: a model that was dropped from the list may still be served. */
const withVendored = (entries: Catalogue.Entries): Catalogue.Entries => ({
  ...Catalogue.vendored,
  ...Object.fromEntries(
    Object.entries(entries).map((
      [provider, { id, models, name }]
    ) => [provider, { id, name, models: { ...Catalogue.vendored[provider]?.models, ...models } }])
  )
})

const cachePath = Effect.map(Environment, ({ folders }) => join(folders.cache, "models.json"))

/** Loads it. A stored catalogue that is damaged, or older than the vendored one, is ignored. */
export const load = Effect.gen(function*() {
  const file = yield* cachePath
  const text = yield* Effect.promise(() => readFile(file, "utf8").catch(() => ""))
  const stored = text === "" ? Option.none() : decode(text)
  return Option.isNone(stored) || stored.value.date < Catalogue.date
    ? catalogueOf(Catalogue.date, Catalogue.vendored)
    : catalogueOf(stored.value.date, withVendored(stored.value.providers as Catalogue.Entries))
})

/** The address that the user configured: in DACAPO_MODELS_URL, or as `catalogueUrl`. */
const configuredUrl = ({ catalogueUrl }: CatalogueSettings, variables: Readonly<Record<string, string | undefined>>): string | undefined =>
  variables["DACAPO_MODELS_URL"] || catalogueUrl

type CatalogueSettings = Pick<Settings, "catalogueUrl" | "catalogueRefresh">

/**
 * Refreshes it in the background if the stored one is not of today. Only from an address that the user configured: nothing else is
 * contacted unasked. A failure has no effect.
 */
export const refreshDaily = Effect.fnUntraced(function*(settings: CatalogueSettings) {
  const { variables } = yield* Environment
  if (settings.catalogueRefresh === false || configuredUrl(settings, variables) === undefined) return
  yield* Effect.sleep(refreshDelay)
  const file = yield* cachePath
  const text = yield* Effect.promise(() => readFile(file, "utf8").catch(() => ""))
  const today = DateTime.formatIsoDate(yield* DateTime.now)
  const isCurrent = Option.exists(decode(text), ({ date }) => date >= today)
  if (!isCurrent) yield* Effect.ignore(refresh(settings))
})

/** Late enough that starting, and most short runs, don't pay for it. */
const refreshDelay = "3 seconds"

/** Refreshes it from the configured address, by default from models.dev. */
export const refresh = Effect.fnUntraced(function*(settings: CatalogueSettings = {}) {
  const { variables } = yield* Environment
  const fetch = yield* Fetch
  const file = yield* cachePath
  const url = configuredUrl(settings, variables) ?? "https://models.dev/api.json"
  const failure = (message: string) => new SettingsError({ where: url, message })
  const json = yield* Effect.tryPromise({
    try: async (signal): Promise<unknown> => {
      const response = await fetch(url, { signal })
      if (!response.ok) throw new Error(`the server responded with status ${response.status}`)
      return await response.json()
    },
    catch: (error) => failure(`could not load the list of models: ${HttpErrors.failureReason(error)}.`)
  }).pipe(Effect.timeoutOrElse({
    duration: "30 seconds",
    orElse: () => Effect.fail(failure("could not load the list of models within 30 s."))
  }))
  const entries = ModelsDev.read(json, Object.keys(Catalogue.vendored))
  if (Object.keys(entries).length === 0) return yield* failure("the response is not a list of models that dacapo can read.")
  const date = DateTime.formatIsoDate(yield* DateTime.now)
  yield* replace(file, JSON.stringify({ source: url, date, providers: entries }))
  return catalogueOf(date, withVendored(entries))
})
