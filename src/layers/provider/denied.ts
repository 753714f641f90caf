/** A model that the server's own list does not have. */
import { near } from "../../domain/provider/SimilarNames.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { Endpoint } from "../../services/Route.ts"

export const denied = ({ provider }: Endpoint, id: string, ids: ReadonlyArray<string>): ProviderError => {
  const names = (ids.length <= 5 ? ids : near(id, ids)).map((id) => `${provider}/${id}`)
  return new ProviderError({
    provider,
    message: `${provider} has no model "${id}".${names.length === 0 ? "" : ` ${ids.length <= 5 ? "It has" : "Did you mean"} ${names.join(", ")}${ids.length <= 5 ? "." : "?"}`}`,
    reason: { _tag: "UnknownModel", near: names }
  })
}
