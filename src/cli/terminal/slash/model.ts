/** `/model` and `/effort`: the model and how much it thinks, by name or from a list. */
import * as Effect from "effect/Effect"
import * as Model from "../../../domain/provider/Model.ts"
import * as ReasoningEffort from "../../../domain/provider/ReasoningEffort.ts"
import { UsageError } from "../../process/CliError.ts"
import * as AvailableModels from "../../start/AvailableModels.ts"
import { thousands } from "../../render/text/BlockLines.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

export const model = (context: SlashContext, name: string) => name === "" ? chooseModel(context, "Choose a model") : use(context, name)

/** Lets the user choose a model, of one provider or of all. The list begins at the model `selected`, or at the current one. */
export const chooseModel = Effect.fnUntraced(function*(context: SlashContext, title: string, provider?: string, selected?: string) {
  const { conversation, store } = context
  const current = Model.title(yield* conversation.model)
  const models = (yield* AvailableModels.list).filter((model) => provider === undefined || model.provider === provider)
  const titles = models.map(Model.title)
  const names = titles.map((title) => title === current ? `${title} (current)` : title)
  const width = Math.max(...names.map(({ length }) => length))
  const rows = models.map((one, i) => row(names[i]!.padEnd(width), one))
  if (rows.length === 0) return yield* ScreenStore.note(store, `Model: ${current}. To switch, type /model provider/model.`)
  const choice = yield* ScreenStore.pick(store, title, rows, Math.max(0, titles.indexOf(selected ?? current)))
  if (choice !== undefined) yield* use(context, titles[choice]!)
})

/** No effort is sent. */
const unset = "default"

export const effort = Effect.fnUntraced(function*(context: SlashContext, level: string) {
  const { conversation, store } = context
  const current = yield* conversation.model
  const levels = ReasoningEffort.levels(current)
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

const row = (name: string, { price, window }: Model.Model): string => {
  const cost = price === undefined ? "" : `  $${price.input}/$${price.output} per M tokens`
  return `${name} ${`${thousands(window)} window`.padStart(12)}${cost}`
}
