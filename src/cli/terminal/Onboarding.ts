/** Prompts before a conversation starts: which session, which model, and whether to trust the folder. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import type { ResolvedAgent } from "../../layers/context/ResolvedAgent.ts"
import * as FetchLive from "../../layers/provider/transport/FetchLive.ts"
import * as LocalModels from "../../layers/provider/LocalModels.ts"
import { Settings } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import * as FindSession from "../start/FindSession.ts"
import * as TrustChanges from "../start/TrustChanges.ts"
import * as ChooseOne from "./ChooseOne.ts"
import * as Auth from "../commands/Auth.ts"
import type * as DrawLoop from "./DrawLoop.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as SessionRow from "../render/text/SessionRow.ts"
import * as View from "../render/view/View.ts"
import * as SessionOptions from "../start/SessionOptions.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

/**
 * `--resume` without an id, or with a name that no session has: choose one of this folder's sessions. Returns the flags with its id;
 * undefined if the user cancels.
 */
export const chooseSession = Effect.fnUntraced(function*(values: Values, cwd: string, display: DrawLoop.Options, unknownName?: string) {
  if (values.resume !== "") return values
  const { records } = yield* AgentLayers
  const sessions = yield* Effect.provide(FindSession.listed(cwd), records)
  if (sessions.length < (unknownName === undefined ? 2 : 1)) return values
  const now = yield* Clock.currentTimeMillis
  const choice = yield* ChooseOne.choose(
    display,
    `${unknownName === undefined ? "" : `No session is called "${unknownName}". `}Choose a session to resume`,
    sessions.map((session) => SessionRow.of(session, now))
  )
  return choice === undefined ? undefined : { ...values, resume: sessions[choice]!.id }
})

/** The choice to watch the demo instead. */
export const demo = "demo"

/**
 * Without a configured model or key: choose a model of a local server, which is saved as the setting `model`; enter an API key,
 * which is saved; or watch the demo. Returns the flags with the model; undefined if the user cancels.
 */
export const chooseModel = Effect.fnUntraced(function*(values: Values, cwd: string, display: DrawLoop.Options, profile?: ResolvedAgent) {
  const { records } = yield* AgentLayers
  if (yield* hasModel(values, cwd, profile)) return values
  const localModels = yield* Effect.provide(LocalModels.models(builtin, {}), Layer.provideMerge(FetchLive.layer, records))
  const models = [...localModels.values()].flat().map(Model.title)
  const alternatives = ["Watch the demo, which needs no key", "Enter an API key"]
  const title = models.length === 0 ? "No model is configured, and no local model server is running. What do you want to do?"
    : "No model is configured. Choose a model"
  const choice = yield* ChooseOne.choose(
    display,
    title,
    [...models.map((model) => `${model} (local)`), ...alternatives],
    "Welcome to dacapo, a coding agent that asks before it acts."
  )
  if (choice === undefined) return undefined
  if (choice === models.length) return demo
  return choice < models.length ? yield* saveModel(values, cwd, models[choice]!) : yield* addKey(values, cwd, display)
})

/** Whether a flag, a setting or a key selects a model. */
const hasModel = Effect.fnUntraced(function*(values: Values, cwd: string, profile?: ResolvedAgent) {
  const { environment } = yield* Host
  const options = Effect.gen(function*() {
    const settings = yield* (yield* Settings).load(cwd)
    return yield* SessionOptions.resolve(values, "interactive", environment, { cwd, profile, settings })
  })
  return (yield* Effect.provide(Effect.option(options), (yield* AgentLayers).records))._tag === "Some"
})

/** Saves the model as a setting. */
const saveModel = Effect.fnUntraced(function*(values: Values, cwd: string, name: string) {
  const { stdout } = yield* Host
  const file = yield* Effect.provide(
    Effect.flatMap(Settings, (settings) => settings.set(cwd, ["model"], name)),
    (yield* AgentLayers).records
  )
  yield* stdout.write(`Default model saved to ${View.line(file)}: ${View.line(name)}\n`)
  return { ...values, model: name }
})

/** Asks for a provider's API key, and for a model where the key alone selects none. */
const addKey = Effect.fnUntraced(function*(values: Values, cwd: string, display: DrawLoop.Options) {
  const { stdout } = yield* Host
  const route = yield* Auth.chooseProvider(display)
  if (route === undefined) return undefined
  yield* Effect.provide(Auth.login(route), (yield* AgentLayers).records)
  if (yield* hasModel(values, cwd)) return values
  const models = Catalogue.models(route.catalogue ?? route.name, route.name).map(Model.title)
  if (models.length === 0) {
    yield* stdout.write(`Now choose one of its models: dacapo --model ${route.name}/…\n`)
    return undefined
  }
  const choice = yield* ChooseOne.choose(display, `Which ${route.title} model do you want to use?`, models)
  return choice === undefined ? undefined : yield* saveModel(values, cwd, models[choice]!)
})

/** Asks whether to trust a folder whose files affect the agent: once, and again when those files change. The answer is saved. */
export const confirmTrust = Effect.fnUntraced(function*(cwd: string, display: DrawLoop.Options) {
  const { records } = yield* AgentLayers
  const { all: pending, holds: isTrusted, unanswered } = yield* Effect.provide(
    Effect.flatMap(
      Trust,
      (trust) => Effect.all({ all: trust.items(cwd), holds: trust.isTrusted(cwd), unanswered: trust.pendingItems(cwd) })
    ),
    records
  )
  if (unanswered.length === 0) return
  const summary = TrustChanges.describe(unanswered)
  const choice = yield* isTrusted
    ? ChooseOne.choose(display, `Some files have changed since you trusted this folder: ${summary}. Do you trust the changes?`, [
      "No, ignore the changed files (`dacapo trust` accepts them later)",
      "Yes, I trust the changes"
    ])
    : ChooseOne.choose(display, `Do you trust this folder? Its files affect the agent: ${summary}.`, [
      "No, ignore these files (`dacapo trust` accepts them later)",
      "Yes, I trust this folder"
    ])
  if (choice === undefined) return
  yield* Effect.provide(
    Effect.flatMap(Trust, (trust) => trust.change(cwd, choice === 1 ? "trusted" : isTrusted ? "unchanged" : "refused", pending)),
    records
  )
})
