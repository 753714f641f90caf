/**
 * Any LanguageModel of `effect/ai` as a route: for models on a wire that dacapo lacks, and for programs that already have one.
 *
 *     Live.layer({ routes: [EffectAi.route(yield* LanguageModel.LanguageModel, { name: "mine", window: 200_000 })], … })
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import { assumed, type Model } from "../../domain/provider/Model.ts"
import type { Route } from "../../services/Route.ts"

/** `name` is the provider, before the slash. The rest describes the model; the defaults are cautious, with native tool calls. */
export interface Options extends Partial<Omit<Model, "provider" | "id" | "name">> {
  readonly name: string
  readonly title?: string
}

/** A route to a model of `effect/ai`; its models are named `name/model`. */
export const route = (model: LanguageModel.LanguageModel, { name, title = name, ...facts }: Options): Route => ({
  name,
  title,
  wire: "effect-ai",
  keys: [],
  baseUrl: "",
  local: false,
  connect: async () => ({
    ...(await import("./sdk/EffectAiModel.ts")).connect(model, name),
    describe: (id) => Effect.succeed({ ...assumed(name, id, { local: false }), nativeTools: true, ...facts })
  })
})
