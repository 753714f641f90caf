/** Whom a conversation is with: a session that begins with the first word, or an earlier one. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Mode } from "../../domain/approval/Mode.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Worker } from "../../layers/context/ResolvedAgent.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Agent, type Wanted as Asked } from "../../services/Agent.ts"
import { Provider } from "../../services/Provider.ts"
import { Settings } from "../../services/Settings.ts"
import * as As from "../start/AgentFlag.ts"
import type { Desk } from "./ScreenStore.ts"
import * as Earlier from "../start/ResumeSession.ts"
import type { Failure } from "../process/ExitCode.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as Offspring from "../headless/FollowSubagents.ts"
import * as Screen from "../render/terminal/Screen.ts"
import * as View from "../render/view/View.ts"
import * as Wanted from "../start/SessionOptions.ts"

/** The session of a conversation. `begin` gives its id, and starts it where it has not begun. */
export interface Talk {
  readonly id: () => string | undefined
  readonly begin: Effect.Effect<string, Failure>
  /** The mode of a session that has not begun. */
  readonly choose: (mode: Mode) => void
  /** The model that answers from now on; gives its name. */
  readonly switchModel: (name: string) => Effect.Effect<string, Failure>
  /** Talks to a session that has not begun yet; the one before stays as it is. */
  readonly renew: Effect.Effect<void, Failure>
}

/** Where a conversation takes place. */
export interface Place {
  readonly cwd: string
  readonly roots: ReadonlyArray<string>
  readonly session: string | undefined
  /** Who works there, where an agent was named. */
  readonly as?: Worker
}

export const open = Effect.fnUntraced(function*(values: Values, { as, cwd, roots, session: earlier }: Place, desk: Desk) {
  const { environment } = yield* Host
  const agent = yield* Agent
  const { describe } = yield* Provider
  const settings = yield* Settings
  const watch = yield* watcher(desk)
  let wanted: Asked | undefined
  let id: string | undefined
  const asked = Effect.suspend(() => wanted !== undefined ? Effect.succeed(wanted) : Effect.map(
    Effect.provideService(Wanted.whole(values, "terminal", cwd, environment.variables, as), Settings, settings),
    ({ id: _, ...whole }) => wanted = { ...whole, roots }
  ))
  const view = Effect.gen(function*() {
    const { mode = "default", model } = yield* asked
    return View.initial({ mode, model: yield* describe(model) })
  })
  if (earlier === undefined) {
    wanted = { ...yield* Wanted.whole(values, "terminal", cwd, environment.variables, as), roots }
    desk.show(Screen.initial(yield* view))
    desk.tell({ _tag: "Noted", text: `dacapo ${environment.version} in ${cwd}${as === undefined ? "" : ` as ${as.name}`}`, tone: "info" })
    As.remarks(as, cwd).forEach((text) => desk.tell({ _tag: "Noted", text, tone: "warn" }))
  } else {
    id = yield* Earlier.take(values, earlier)
    const { settings } = yield* agent.state(id)
    yield* agent.resume(id, { wanted: { ...Wanted.again(values, "terminal", Wanted.before(settings)), roots }, goOn: false })
    const state = yield* agent.state(id)
    yield* watch(id)
    if (Session.resumable(state)) desk.tell({ _tag: "Noted", text: "The last task was not finished: /go goes on with it.", tone: "warn" })
  }
  return {
    id: () => id,
    choose: (mode) => void (wanted = wanted === undefined ? undefined : { ...wanted, mode }),
    begin: Effect.suspend(() =>
      id !== undefined ? Effect.succeed(id) : Effect.tap(Effect.flatMap(asked, agent.start), (started) => {
        id = started
        return watch(started)
      })
    ),
    switchModel: (name) => Effect.gen(function*() {
      const model = yield* describe(name)
      if (id !== undefined) yield* agent.resume(id, { wanted: { model: name }, goOn: false })
      else {
        wanted = { ...yield* asked, model: name }
        desk.tell({ _tag: "Renewed", view: yield* view })
      }
      return Model.title(model)
    }),
    renew: Effect.gen(function*() {
      const fresh = yield* view
      id = undefined
      yield* watch(undefined)
      desk.tell({ _tag: "Renewed", view: fresh })
    })
  } satisfies Talk
})

/** Shows a session's events, until it is told of another one or the conversation ends. */
const watcher = Effect.fnUntraced(function*(desk: Desk) {
  const agent = yield* Agent
  const mcp = yield* Mcp
  const scope = yield* Effect.scope
  const offspring = yield* Offspring.make(({ session }, followed) =>
    Effect.sync(() => followed._tag === "Settled" && desk.tell({ _tag: "Child", session, at: followed.at })))
  let watching: Fiber.Fiber<unknown, unknown> | undefined
  /** What servers offer is completed behind a slash once they have told it. */
  const prompts = (id: string) =>
    Effect.gen(function*() {
      const { cwd } = yield* agent.state(id)
      desk.tell({ _tag: "Commands", names: (yield* mcp.prompts(cwd, id)).map(({ name }) => name) })
    }).pipe(Effect.ignore, Effect.forkIn(scope))
  return Effect.fnUntraced(function*(id: string | undefined) {
    if (watching !== undefined) yield* Fiber.interrupt(watching)
    if (id === undefined) return
    const { seq } = yield* agent.state(id)
    watching = yield* agent.follow(id, 0).pipe(
      Stream.runForEach((followed) => {
        desk.tell({ _tag: "Followed", followed })
        // What others did before is in their logs, and not opened again.
        if (followed._tag !== "Settled" || followed.at.seq <= seq) return Effect.void
        return followed.at.event._tag === "ToolsChanged" ? prompts(id) : offspring.on(followed.at)
      }),
      Effect.forkIn(scope, { startImmediately: true })
    )
  })
})
