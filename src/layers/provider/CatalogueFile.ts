/** The catalogue as it was last renewed: kept in the cache, over the one that came with dacapo. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as ModelsDev from "../../domain/provider/ModelsDev.ts"
import { Environment } from "../../services/Environment.ts"
import { Fetch } from "../../services/Fetch.ts"
import { replace } from "../settings/ReplaceFile.ts"
import * as Digest from "../storage/Digest.ts"
import * as Refusal from "./Refusal.ts"

/** `date` as YYYY-MM-DD; `hash` names these very figures, and goes into the log with every model that is described by them. */
export interface Known {
  readonly date: string
  readonly hash: string
  readonly entries: Catalogue.Entries
}

const File = Schema.fromJsonString(Schema.Struct({ date: Schema.String, providers: Schema.Unknown }))
const decode = Schema.decodeUnknownOption(File)

/** Hashed when it is asked for: most runs never are. */
const known = (date: string, entries: Catalogue.Entries): Known => ({
  date,
  entries,
  get hash() {
    return Digest.ofJson(entries)
  }
})

/** Newer figures over older ones, model by model: what a list dropped may still be running. */
const over = (entries: Catalogue.Entries): Catalogue.Entries => ({
  ...Catalogue.vendored,
  ...Object.fromEntries(Object.entries(entries).map(([provider, { id, models, name }]) =>
    [provider, { id, name, models: { ...Catalogue.vendored[provider]?.models, ...models } }]))
})

const place = Effect.map(Environment, ({ folders }) => join(folders.cache, "models.json"))

/** A renewed one that is damaged, or older than our own, is passed over. */
export const load = Effect.gen(function*() {
  const file = yield* place
  const text = yield* Effect.promise(() => readFile(file, "utf8").catch(() => ""))
  const kept = text === "" ? Option.none() : decode(text)
  return Option.isNone(kept) || kept.value.date < Catalogue.date
    ? known(Catalogue.date, Catalogue.vendored)
    : known(kept.value.date, over(kept.value.providers as Catalogue.Entries))
})

/** Renews it from models.dev, or from where DACAPO_MODELS_URL says. */
export const refresh = Effect.gen(function*() {
  const { variables } = yield* Environment
  const fetch = yield* Fetch
  const file = yield* place
  const url = variables["DACAPO_MODELS_URL"] || "https://models.dev/api.json"
  const failed = (message: string) => new SettingsError({ where: url, message })
  const json = yield* Effect.tryPromise({
    try: async (signal): Promise<unknown> => {
      const response = await fetch(url, { signal })
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      return await response.json()
    },
    catch: (error) => failed(`the list of models can't be had: ${Refusal.why(error)}.`)
  }).pipe(Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.fail(failed("the list of models did not come within 30 s.")) }))
  const entries = ModelsDev.read(json, Object.keys(Catalogue.vendored))
  if (Object.keys(entries).length === 0) return yield* failed("there is no list of models that dacapo can read.")
  const date = DateTime.formatIsoDate(yield* DateTime.now)
  yield* replace(file, JSON.stringify({ source: url, date, providers: entries }))
  return known(date, over(entries))
})
