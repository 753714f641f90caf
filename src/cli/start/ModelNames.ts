/** Model names without a provider, as other tools write them: `sonnet`, `claude-sonnet-4-5`. */
import * as Catalogue from "../../domain/provider/Catalogue.ts"

/** Where a name is looked up, in this order, after the provider of the current model. */
const providers = ["anthropic", "openai", "gemini"]

/** `provider/model` of the catalogue; a name that nobody has stays as it is, and is reported where it is used. */
export const qualify = (name: string, currentModel: string | undefined): string => {
  if (name.includes("/")) return name
  const { effort, id } = Catalogue.parse(name)
  const current = currentModel === undefined ? [] : [Catalogue.parse(currentModel).provider]
  const candidates = [...current, ...providers].map((provider) => Catalogue.resolveAlias(id, `${provider}/`))
  const match = candidates.find((candidate) => candidate !== undefined)
  return match === undefined ? name : effort === undefined ? match : `${match}:${effort}`
}
