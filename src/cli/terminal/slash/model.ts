/** `/model` and `/effort`: the model and how much it thinks, by name or from a list. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Catalogue from "../../../domain/provider/Catalogue.ts"
import * as Model from "../../../domain/provider/Model.ts"
import { efforts } from "../../../domain/provider/ModelRequest.ts"
import { builtin } from "../../../layers/provider/builtin.ts"
import * as CatalogueFile from "../../../layers/provider/CatalogueFile.ts"
import * as FetchLive from "../../../layers/provider/transport/FetchLive.ts"
import * as LocalModels from "../../../layers/provider/LocalModels.ts"
import * as Keys from "../../../services/Keys.ts"
import { AgentLayers } from "../../process/AgentLayers.ts"
import { UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import { thousands } from "../../render/text/BlockLines.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

export const model = (context: SlashContext, name: string) => name === "" ? chooseModel(context, "Choose a model") : use(context, name)

/** Lets the user choose a model, of one provider or of all. The list begins at the model `selected`, or at the current one. */
export const chooseModel = Effect.fnUntraced(function*(context: SlashContext, title: string, provider?: string, selected?: string) {
  const { conversation, store } = context
  const current = Model.title(yield* conversation.model)
  const models = (yield* availableModels).filter((model) => provider === undefined || model.provider === provider)
  const titles = models.map(Model.title)
  const rows = models.map((one, i) => row(one, current === titles[i]))
  if (rows.length === 0) return yield* ScreenStore.note(store, `Model: ${current}. To switch, type /model provider/model.`)
  const choice = yield* ScreenStore.pick(store, title, rows, Math.max(0, titles.indexOf(selected ?? current)))
  if (choice !== undefined) yield* use(context, titles[choice]!)
})

/** No effort is sent. */
const unset = "default"

export const effort = Effect.fnUntraced(function*(context: SlashContext, level: string) {
  const { conversation, store } = context
  const current = yield* conversation.model
  const values = current.effort?.kind === "named" ? current.effort.values : current.effort === undefined ? [] : efforts
  const levels = efforts.filter((effort) => values.includes(effort))
  if (levels.length === 0) return yield* ScreenStore.note(store, `${Model.title(current)} has no effort to set.`)
  const choices = [unset, ...levels]
  const valid = choices.find((effort) => effort === level)
  if (level !== "" && valid === undefined) {
    return yield* new UsageError({ message: `"${level}" is not a valid effort; expected one of ${choices.join(", ")}.` })
  }
  const inEffect = current.think ?? unset
  const choice = valid ?? (yield* Effect.map(
    ScreenStore.pick(
      store,
      `How much should ${Model.title(current)} think?`,
      choices.map((effort) => `${effort}${effort === unset ? ": as the provider sets it" : ""}${effort === inEffect ? " (current)" : ""}`),
      Math.max(0, choices.indexOf(inEffect))
    ),
    (index) => index === undefined ? undefined : choices[index]
  ))
  if (choice !== undefined) yield* use(context, choice === unset ? Model.title(current) : `${Model.title(current)}:${choice}`)
})

const use = ({ conversation, store }: SlashContext, name: string) =>
  Effect.flatMap(conversation.switchModel(name), (title) => ScreenStore.note(store, `Model set to ${title}.`))

/** The models that can be used now: those of local servers, and of providers with a key. */
const availableModels = Effect.gen(function*() {
  const { environment: { variables } } = yield* Host
  const { records } = yield* AgentLayers
  const list = Effect.gen(function*() {
    const { entries } = yield* CatalogueFile.load
    const local = yield* LocalModels.models(builtin, {})
    const withKey = yield* Effect.filter(
      builtin,
      ({ keys }) => Effect.map(Keys.find(keys, variables, Redacted.make), (key) => key !== undefined)
    )
    return [
      ...[...local.values()].flat(),
      ...withKey.flatMap((route) => Catalogue.models(route.catalogue ?? route.name, route.name, entries))
    ]
  })
  return yield* Effect.provide(list, Layer.provideMerge(FetchLive.layer, records))
})

const row = (model: Model.Model, isCurrent: boolean): string => {
  const { price, window } = model
  const cost = price === undefined ? "" : `$${price.input}/$${price.output}`
  return `${Model.title(model).padEnd(40)} ${`${thousands(window)} window`.padStart(12)}  ${cost}${isCurrent ? " (current)" : ""}`
}
