/** `efferent models [word]`: what is known, what it holds and what it costs. */
import * as Effect from "effect/Effect"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import type { Route } from "../../services/Route.ts"
import type { Run } from "../Commands.ts"
import { Host } from "../Host.ts"
import * as Json from "../render/Json.ts"
import { thousands } from "../render/Lines.ts"

export const run: Run = Effect.fnUntraced(function*({ values: { outputFormat = "text" }, words }) {
  const { environment: { variables }, stdout } = yield* Host
  const found = builtin.map((route) => ({
    route,
    models: Catalogue.models(route.catalogue ?? route.name, route.name).filter((model) => words.every((word) => Model.title(model).includes(word)))
  }))
  yield* stdout.write(outputFormat === "text"
    ? found.filter(({ models }) => words.length === 0 || models.length > 0)
      .map(({ models, route }) => [`${head(route, variables)}\n`, ...models.map(row)].join("")).join("\n")
    : Json.line(found.flatMap(({ models }) => models)))
  return 0
})

/** A provider, and whether its key is there. */
const head = ({ baseUrl, keys, local, name, title }: Route, variables: Readonly<Record<string, string | undefined>>): string => {
  const key = keys.find((key) => (variables[key] ?? "") !== "")
  return `${title} (${name}/…)${local ? "" : ` at ${baseUrl}`}: ` +
    (keys.length === 0 ? "needs no key" : key === undefined ? `no key, set ${keys.join(" or ")}` : `key from ${key}`)
}

const row = (model: Model.Model): string => {
  const { maxOutput, nativeTools, price, window } = model
  const cost = price === undefined ? "no price known" : `$${price.input} in, $${price.output} out a million tokens`
  return `  ${Model.title(model).padEnd(44)} ${thousands(window).padStart(6)} window ${thousands(maxOutput).padStart(6)} output  ${cost}${nativeTools ? "" : "  (XML tools)"}\n`
}
