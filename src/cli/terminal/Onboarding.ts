/** What is asked before a conversation begins, once each: which session, which model, whether the folder is trusted. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import { builtin } from "../../layers/provider/builtin.ts"
import type { Worker } from "../../layers/context/ResolvedAgent.ts"
import * as FetchLive from "../../layers/provider/transport/FetchLive.ts"
import * as Served from "../../layers/provider/LocalModels.ts"
import { Settings } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import { Trust } from "../../services/Trust.ts"
import * as Choose from "./ChooseOne.ts"
import * as Auth from "../commands/Auth.ts"
import type * as Drawing from "./DrawLoop.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as View from "../render/view/View.ts"
import * as Wanted from "../start/SessionOptions.ts"
import { Wiring } from "../process/AgentLayers.ts"

/** `--resume` alone: one of this folder's sessions. Gives the flags with its id; undefined where none is wanted. */
export const session = Effect.fnUntraced(function*(values: Values, cwd: string, look: Drawing.Options) {
  if (values.resume !== "") return values
  const { records } = yield* Wiring
  const all = yield* Effect.provide(Effect.flatMap(Storage, (storage) => storage.list({ cwd, limit: 200 })), records)
  if (all.length < 2) return values
  const rows = all.map(({ events, title, updated }) => `${new Date(updated).toISOString().slice(0, 16).replace("T", " ")}  ${`${events}`.padStart(5)} events  ${View.text(title).replaceAll("\n", " ")}`)
  const choice = yield* Choose.one(look, "Which session?", rows)
  return choice === undefined ? undefined : { ...values, resume: all[choice]!.id }
})

/** Where to look when nothing says which model is to answer. */
export const demo = "demo"

/**
 * Where nothing names a model and no key gives one: a model that a local server has, which is then kept as the setting
 * `model`; a key that is kept from now on; or the demo. Gives the flags with the model; undefined where none is wanted.
 */
export const model = Effect.fnUntraced(function*(values: Values, cwd: string, look: Drawing.Options, as?: Worker) {
  const { records } = yield* Wiring
  if (yield* known(values, cwd, as)) return values
  const served = yield* Effect.provide(Served.models(builtin, {}), Layer.provideMerge(FetchLive.layer, records))
  const models = [...served.values()].flat().map(Model.title)
  const others = ["Watch the demo: the real agent with a scripted model, no key needed", "Use a key of a provider"]
  const title = models.length === 0 ? "No model is set, and no local server answers. What now?" : "No model is set. Which one is to answer?"
  const choice = yield* Choose.one(look, title, [...models.map((model) => `${model}, on this machine`), ...others], "Welcome to dacapo, a coding agent that asks before it acts.")
  if (choice === undefined) return undefined
  if (choice === models.length) return demo
  return choice < models.length ? yield* kept(values, cwd, models[choice]!) : yield* withKey(values, cwd, look)
})

/** Whether something names a model, or a key does. */
const known = Effect.fnUntraced(function*(values: Values, cwd: string, as?: Worker) {
  const { environment: { variables } } = yield* Host
  return (yield* Effect.provide(Effect.option(Wanted.whole(values, "terminal", cwd, variables, as)), (yield* Wiring).records))._tag === "Some"
})

/** The model is the setting from now on. */
const kept = Effect.fnUntraced(function*(values: Values, cwd: string, name: string) {
  const { stdout } = yield* Host
  const file = yield* Effect.provide(Effect.flatMap(Settings, (settings) => settings.set(cwd, ["model"], name)), (yield* Wiring).records)
  yield* stdout.write(`${View.text(name)} is kept as the model in ${View.text(file)}.\n`)
  return { ...values, model: name }
})

/** Asks for a provider's key, and for a model of it where the key alone says none. */
const withKey = Effect.fnUntraced(function*(values: Values, cwd: string, look: Drawing.Options) {
  const { stdout } = yield* Host
  const route = yield* Auth.chosen(look)
  if (route === undefined) return undefined
  yield* Effect.provide(Auth.login(route), (yield* Wiring).records)
  if (yield* known(values, cwd)) return values
  const models = Catalogue.models(route.catalogue ?? route.name, route.name).map(Model.title)
  if (models.length === 0) {
    yield* stdout.write(`Now name a model of it: dacapo --model ${route.name}/…\n`)
    return undefined
  }
  const choice = yield* Choose.one(look, `Which model of ${route.title} is to answer?`, models)
  return choice === undefined ? undefined : yield* kept(values, cwd, models[choice]!)
})

/** Whether what lies in a folder may act: asked once; the answer is kept, a no as well. */
export const trust = Effect.fnUntraced(function*(cwd: string, look: Drawing.Options) {
  const { records } = yield* Wiring
  const waiting = yield* Effect.provide(Effect.flatMap(Trust, (trust) =>
    Effect.flatMap(trust.answered(cwd), (answered) => answered ? Effect.succeed([]) : trust.waiting(cwd))), records)
  if (waiting.length === 0) return
  const found = waiting.map(({ path, what }) => `${View.text(path)} ${what}`).join("; ")
  const choice = yield* Choose.one(look, `Do you trust this folder? In it ${found}.`, ["No: none of that acts (`dacapo trust` changes it)", "Yes: I know who wrote it"])
  if (choice !== undefined) yield* Effect.provide(Effect.flatMap(Trust, (trust) => trust.change(cwd, choice === 1)), records)
})
