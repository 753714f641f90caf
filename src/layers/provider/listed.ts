/** For a server whose list of models tells all of each: one question, whoever asks. An empty list denies nothing. */
import * as Effect from "effect/Effect"
import type { Model } from "../../domain/provider/Model.ts"
import type { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { Endpoint } from "../../services/Route.ts"
import { denied } from "./denied.ts"

type Told = Readonly<Record<string, unknown>>

export const listed = <E extends ProviderError>(endpoint: Endpoint, all: Effect.Effect<ReadonlyArray<Told>, E>, toModel: (told: Told) => Model) => ({
  describe: (id: string): Effect.Effect<Model | null, ProviderError> =>
    Effect.flatMap(all, (models) => {
      if (models.length === 0) return Effect.succeed(null)
      const model = models.find((model) => model.id === id)
      return model === undefined
        ? Effect.fail(denied(endpoint, id, models.map(({ id }) => String(id))))
        : Effect.succeed(toModel(model))
    }),
  models: Effect.map(all, (models) => models.map(toModel))
})
