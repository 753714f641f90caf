/** What is asked before a conversation begins, once each: which session, which model, whether the folder is trusted. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Model from "../domain/provider/Model.ts"
import { builtin } from "../layers/provider/builtin.ts"
import type { Worker } from "../layers/context/Worker.ts"
import * as FetchLive from "../layers/provider/FetchLive.ts"
import * as Served from "../layers/provider/Served.ts"
import { Settings } from "../services/Settings.ts"
import { Storage } from "../services/Storage.ts"
import { Trust } from "../services/Trust.ts"
import * as Desk from "./Desk.ts"
import * as Drawing from "./Drawing.ts"
import type { Values } from "./Flags.ts"
import { Host } from "./Host.ts"
import * as View from "./render/View.ts"
import * as Wanted from "./Wanted.ts"
import { Wiring } from "./Wiring.ts"

/** One of a list, on a screen of its own; undefined where none is wanted. */
const choose = (look: Drawing.Options, title: string, options: ReadonlyArray<string>, welcome?: string) =>
  Effect.scoped(Effect.gen(function*() {
    const desk = yield* Desk.open
    if (welcome !== undefined) yield* Desk.note(desk, welcome)
    const choice = yield* Effect.forkChild(Desk.pick(desk, title, options), { startImmediately: true })
    yield* Drawing.draw(desk, look)
    const wish = yield* Queue.take(desk.wishes)
    if (wish._tag === "Chosen") wish.from.answer(wish.choice)
    return yield* Fiber.join(choice)
  }))

/** `--resume` alone: one of this folder's sessions. Gives the flags with its id; undefined where none is wanted. */
export const session = Effect.fnUntraced(function*(values: Values, cwd: string, look: Drawing.Options) {
  if (values.resume !== "") return values
  const { records } = yield* Wiring
  const all = yield* Effect.provide(Effect.flatMap(Storage, (storage) => storage.list({ cwd, limit: 200 })), records)
  if (all.length < 2) return values
  const rows = all.map(({ events, title, updated }) => `${new Date(updated).toISOString().slice(0, 16).replace("T", " ")}  ${`${events}`.padStart(5)} events  ${View.text(title).replaceAll("\n", " ")}`)
  const choice = yield* choose(look, "Which session?", rows)
  return choice === undefined ? undefined : { ...values, resume: all[choice]!.id }
})

/** Where to look when nothing says which model is to answer. */
export const demo = "demo"

/**
 * Where nothing names a model and no key gives one: a model that a local server has, which is then kept as the setting
 * `model`, or the demo. Gives the flags with the model; undefined where none is wanted.
 */
export const model = Effect.fnUntraced(function*(values: Values, cwd: string, look: Drawing.Options, as?: Worker) {
  const { environment: { variables }, stdout } = yield* Host
  const { records } = yield* Wiring
  const known = yield* Effect.provide(Effect.option(Wanted.whole(values, "terminal", cwd, variables, as)), records)
  if (known._tag === "Some") return values
  const served = yield* Effect.provide(Served.models(builtin, {}), Layer.provideMerge(FetchLive.layer, records))
  const models = [...served.values()].flat()
  const others = ["Watch the demo: the real agent with a scripted model, no key needed", "Use a key"]
  const title = models.length === 0 ? "No model is set, and no local server answers. What now?" : "No model is set. Which one is to answer?"
  const choice = yield* choose(look, title, [...models.map((model) => `${Model.title(model)}, on this machine`), ...others], "Welcome to efferent, a coding agent that asks before it acts.")
  const chosen = choice === undefined ? undefined : models[choice]
  if (chosen !== undefined) {
    const name = Model.title(chosen)
    const file = yield* Effect.provide(Effect.flatMap(Settings, (settings) => settings.set(cwd, ["model"], name)), records)
    yield* stdout.write(`${name} is kept as the model in ${View.text(file)}.\n`)
    return { ...values, model: name }
  }
  if (choice === models.length) return demo
  yield* stdout.write([
    ...(choice === undefined ? [] : [`Set ${Wanted.preferred.map(({ variable }) => variable).join(" or ")}, or let efferent keep a key:`, "  efferent auth login anthropic", "Then run efferent again; `efferent models` lists what there is."]),
    ""
  ].join("\n"))
  return undefined
})

/** Whether what lies in a folder may act: asked when the first session there begins, and never again. */
export const trust = Effect.fnUntraced(function*(cwd: string, look: Drawing.Options) {
  const { records } = yield* Wiring
  const waiting = yield* Effect.provide(Effect.gen(function*() {
    const trust = yield* Trust
    const storage = yield* Storage
    if ((yield* storage.list({ cwd, limit: 1 })).length > 0 || (yield* trust.holds(cwd))) return []
    return yield* trust.waiting(cwd)
  }), records)
  if (waiting.length === 0) return
  const found = waiting.map(({ path, what }) => `${View.text(path)} ${what}`).join("; ")
  const choice = yield* choose(look, `Do you trust this folder? In it ${found}.`, ["No: none of that acts (`efferent trust` changes it)", "Yes: I know who wrote it"])
  if (choice === 1) yield* Effect.provide(Effect.flatMap(Trust, (trust) => trust.change(cwd, true)), records)
})
