/** models.dev's list of all models (https://models.dev/api.json), reduced to what our catalogue contains. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Entries, Entry } from "./Catalogue.ts"

const optional = Schema.optionalKey
const Rates = {
  input: Schema.Finite,
  output: Schema.Finite,
  reasoning: optional(Schema.Finite),
  cache_read: optional(Schema.Finite),
  cache_write: optional(Schema.Finite)
}

const Model = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  attachment: optional(Schema.Boolean),
  reasoning: optional(Schema.Boolean),
  tool_call: optional(Schema.Boolean),
  temperature: optional(Schema.Boolean),
  release_date: optional(Schema.String),
  reasoning_options: optional(Schema.Array(Schema.Struct({
    type: Schema.String,
    values: optional(Schema.Array(Schema.NullOr(Schema.String))),
    min: optional(Schema.Int),
    max: optional(Schema.Int)
  }))),
  interleaved: optional(Schema.Union([Schema.Boolean, Schema.Struct({ field: Schema.String })])),
  modalities: optional(Schema.Struct({ input: Schema.Array(Schema.String) })),
  limit: Schema.Struct({ context: positive(), input: optional(positive()), output: positive() }),
  cost: optional(Schema.Struct({
    ...Rates,
    tiers: optional(Schema.Array(Schema.Struct({ tier: Schema.Struct({ type: optional(Schema.String), size: Schema.Int }), ...Rates }))),
    context_over_200k: optional(Schema.Struct(Rates))
  }))
})

function positive() {
  return Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)))
}

const Provider = Schema.Struct({ models: Schema.Record(Schema.String, Schema.Unknown) })
const Api = Schema.Record(Schema.String, Schema.Unknown)

const api = Schema.decodeUnknownOption(Api)
const provider = Schema.decodeUnknownOption(Provider)
const model = Schema.decodeUnknownOption(Model)

/** The names of our providers at models.dev, where they differ. */
const names: Readonly<Record<string, string>> = {
  fireworks: "fireworks-ai",
  gemini: "google",
  moonshot: "moonshotai",
  qwen: "alibaba",
  together: "togetherai",
  zhipu: "zai"
}

/** The models of these providers; a model that can't be read is skipped. Empty if the JSON is not such a list. */
export const read = (json: unknown, providers: ReadonlyArray<string>): Entries => {
  const entries = Option.getOrElse(api(json), () => ({}) as typeof Api.Type)
  return Object.fromEntries(providers.flatMap((name) => {
    const match = provider(entries[names[name] ?? name])
    if (Option.isNone(match)) return []
    const models = Object.entries(match.value.models).flatMap(([id, entry]): ReadonlyArray<readonly [string, Entry]> =>
      Option.match(model(entry), { onNone: () => [], onSome: (entry) => [[id, entry]] })
    )
    return models.length === 0 ? [] : [[name, { id: name, name, models: Object.fromEntries(models) }]]
  }))
}
