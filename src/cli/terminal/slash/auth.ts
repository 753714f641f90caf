/** `/login` and `/logout`: the API key of a provider. It is typed outside of the conversation and is not shown. */
import * as Effect from "effect/Effect"
import * as DefaultModel from "../../../domain/provider/DefaultModel.ts"
import * as Model from "../../../domain/provider/Model.ts"
import { builtin } from "../../../layers/provider/builtin.ts"
import { AgentLayers } from "../../process/AgentLayers.ts"
import * as Auth from "../../commands/Auth.ts"
import * as ScreenStore from "../ScreenStore.ts"
import { chooseModel } from "./model.ts"
import { requireLocal, type SlashContext } from "./SlashContext.ts"
import { subcommand } from "./subcommand.ts"

export const login = Effect.fnUntraced(function*(context: SlashContext, name: string) {
  const { lendTerminal, store } = context
  yield* requireLocal(context, "keys")
  const { records } = yield* AgentLayers
  const routes = Auth.loginRoutes
  const choice = name === "" ? yield* ScreenStore.pick(store, Auth.providerQuestion, routes.map(Auth.providerLabel)) : undefined
  if (name === "" && choice === undefined) return
  const owner = choice === undefined ? yield* Auth.findKeyed("login", name) : routes[choice]!
  yield* lendTerminal(Effect.provide(Auth.login(owner), records))
  const route = builtin.find((one) => one.name === owner.name)
  if (route === undefined) return yield* ScreenStore.note(store, `Key for ${owner.title} saved.`)
  const model = DefaultModel.find(route.catalogue ?? route.name, route.name)
  yield* chooseModel(
    context,
    `Key saved. Choose a model, or press Esc to stay with the current one`,
    route.name,
    model && Model.title(model)
  )
})

export const logout = Effect.fnUntraced(function*(context: SlashContext, name: string) {
  yield* requireLocal(context, "keys")
  if (name !== "") return yield* subcommand(context, ["auth", "logout", name])
  const { records } = yield* AgentLayers
  const sources = yield* Effect.provide(Effect.all([Auth.keySources, Auth.searchKeySources]), records)
  const rows = sources.flat().flatMap(({ from, provider }) => from === null ? [] : [{ from, provider }])
  if (rows.length === 0) return yield* ScreenStore.note(context.store, "No key is saved or set.")
  const width = Math.max(...rows.map(({ provider }) => provider.length))
  const choice = yield* ScreenStore.pick(
    context.store,
    "Delete the saved key of which provider?",
    rows.map(({ from, provider }) => `${provider.padEnd(width)}  ${from}`)
  )
  if (choice !== undefined) yield* subcommand(context, ["auth", "logout", rows[choice]!.provider])
})
