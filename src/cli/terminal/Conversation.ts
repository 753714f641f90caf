/** The session of a conversation: a new one, which starts with the first message, or an earlier one. */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Mode } from "../../domain/approval/Mode.ts"
import type * as Config from "../../domain/config/Settings.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Rules } from "../../domain/session/SessionSettings.ts"
import type { ResolvedAgent } from "../../layers/context/ResolvedAgent.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Agent, type SessionOptions as AgentOptions } from "../../services/Agent.ts"
import { Provider } from "../../services/Provider.ts"
import { Settings, SettingsSnapshot } from "../../services/Settings.ts"
import * as AgentFlag from "../start/AgentFlag.ts"
import type { ScreenStore } from "./ScreenStore.ts"
import * as ResumeSession from "../start/ResumeSession.ts"
import type { Failure } from "../process/ExitCode.ts"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import * as FollowSubagents from "../headless/FollowSubagents.ts"
import * as Screen from "../render/terminal/Screen.ts"
import * as View from "../render/view/View.ts"
import * as SessionOptions from "../start/SessionOptions.ts"

/** The session of a conversation. `start` returns its id, and starts the session if it has not started. */
export interface Conversation {
  readonly id: () => string | undefined
  readonly start: Effect.Effect<string, Failure>
  readonly setMode: (mode: Mode) => Effect.Effect<void, Failure>
  readonly model: Effect.Effect<Model.Model, Failure>
  /** Switches to another model; returns its name. */
  readonly switchModel: (name: string) => Effect.Effect<string, Failure>
  /** Adds and removes the rules in which the settings differ; returns whether the session has them. */
  readonly changeRules: (before: Config.Settings["rules"], after: Config.Settings["rules"]) => Effect.Effect<boolean, Failure>
  /** Switches to a new session; the current one stays as it is. */
  readonly startNew: Effect.Effect<void, Failure>
  /** Switches to an earlier session of this folder, and shows it. */
  readonly resume: (id: string) => Effect.Effect<void, Failure>
}

/** The folders, session and agent profile of a conversation. */
export interface Location {
  readonly cwd: string
  readonly roots: ReadonlyArray<string>
  readonly session: string | undefined
  /** The agent profile of `--agent`. */
  readonly profile?: ResolvedAgent
}

export const open = Effect.fnUntraced(function*(values: Values, { profile, cwd, roots, session: resumedId }: Location, store: ScreenStore) {
  const { environment } = yield* Host
  const agent = yield* Agent
  const { describe } = yield* Provider
  const settings = yield* Settings
  const follow = yield* makeFollower(store)
  let options: AgentOptions | undefined
  let id: string | undefined
  const resolve = (settings: Config.Settings) =>
    SessionOptions.resolve(values, "interactive", environment, { cwd, roots, profile, settings })
  const resolveOptions = Effect.suspend(() =>
    options !== undefined ? Effect.succeed(options) : Effect.map(
      Effect.flatMap(settings.load(cwd), resolve),
      ({ id: _, ...resolved }) => options = resolved
    )
  )
  const view = Effect.gen(function*() {
    const { mode = "default", model } = yield* resolveOptions
    return View.initial({ mode, model: yield* describe(model) })
  })
  const resume = Effect.fnUntraced(function*(resumedId: string) {
    const { settings } = yield* agent.state(resumedId)
    yield* agent.resume(resumedId, {
      overrides: { ...SessionOptions.resumeOptions(values, "interactive", SessionOptions.currentSettings(settings)), roots },
      shouldContinue: false
    })
    id = resumedId
    const state = yield* agent.state(id)
    yield* follow(id)
    if (Session.canResume(state))
      store.dispatch({ _tag: "Note", text: "The last task is unfinished. Type /continue to continue it.", tone: "warn" })
  })
  if (resumedId === undefined) {
    options = yield* resolve(yield* SettingsSnapshot)
    store.set(Screen.initial(yield* view))
    store.dispatch({
      _tag: "Note",
      text: `dacapo ${environment.version} in ${cwd}${profile === undefined ? "" : ` as ${profile.name}`}`,
      tone: "info"
    })
    AgentFlag.profileNotes(profile, cwd).forEach((text) => store.dispatch({ _tag: "Note", text, tone: "warn" }))
  } else yield* resume(yield* ResumeSession.resume(values, resumedId))
  return {
    id: () => id,
    setMode: (mode) =>
      Effect.gen(function*() {
        if (id !== undefined) return yield* agent.switchMode(id, mode)
        options = { ...yield* resolveOptions, mode }
        store.dispatch({ _tag: "Mode", mode })
      }),
    model: Effect.gen(function*() {
      return id === undefined ? yield* describe((yield* resolveOptions).model) : (yield* agent.state(id)).settings.model
    }),
    start: Effect.suspend(() =>
      id !== undefined ? Effect.succeed(id) : Effect.tap(Effect.flatMap(resolveOptions, agent.start), (newId) => {
        id = newId
        return follow(newId)
      })
    ),
    switchModel: (name) =>
      Effect.gen(function*() {
        const model = yield* describe(name)
        if (id !== undefined) yield* agent.resume(id, { overrides: { model: name }, shouldContinue: false })
        else {
          options = { ...yield* resolveOptions, model: name }
          store.dispatch({ _tag: "SessionChanged", view: yield* view })
        }
        return Model.nameWithEffort(model)
      }),
    changeRules: (before, after) =>
      Effect.gen(function*() {
        const change = (rules: Rules) => SessionOptions.changeRules(rules, before, after, { cwd, home: environment.folders.home })
        if (options?.rules !== undefined) options = { ...options, rules: yield* change(options.rules) }
        if (id === undefined) return options !== undefined
        const rules = yield* change((yield* agent.state(id)).settings.rules)
        yield* agent.resume(id, { overrides: { rules }, shouldContinue: false })
        return Equal.equals((yield* agent.state(id)).settings.rules, rules)
      }),
    startNew: Effect.gen(function*() {
      const newView = yield* view
      id = undefined
      yield* follow(undefined)
      store.dispatch({ _tag: "SessionChanged", view: newView })
    }),
    resume: (earlierId) =>
      Effect.gen(function*() {
        store.dispatch({ _tag: "SessionChanged", view: View.initial() })
        yield* resume(earlierId)
      })
  } satisfies Conversation
})

/** Shows the events of one session at a time, until the conversation ends. */
const makeFollower = Effect.fnUntraced(function*(store: ScreenStore) {
  const agent = yield* Agent
  const mcp = yield* Mcp
  const scope = yield* Effect.scope
  const subagents = yield* FollowSubagents.make(({ session }, followed) =>
    Effect.sync(() => followed._tag === "Settled" && store.dispatch({ _tag: "Subagent", session, at: followed.at }))
  )
  let followFiber: Fiber.Fiber<unknown, unknown> | undefined
  /** Prompts of MCP servers complete as slash commands once the servers have listed them. */
  const prompts = (id: string) =>
    Effect.gen(function*() {
      const { cwd } = yield* agent.state(id)
      const prompts = yield* mcp.prompts(cwd, id)
      store.dispatch({
        _tag: "Commands",
        commands: prompts.map(({ description = "Prompt of an MCP server", name }) => ({ name, doc: description }))
      })
    }).pipe(Effect.ignore, Effect.forkIn(scope))
  return Effect.fnUntraced(function*(id: string | undefined) {
    if (followFiber !== undefined) yield* Fiber.interrupt(followFiber)
    if (id === undefined) return
    const { seq } = yield* agent.state(id)
    followFiber = yield* agent.follow(id, 0).pipe(
      Stream.runForEach((followed) => {
        store.dispatch({ _tag: "Followed", followed })
        // Earlier events of subagents are in their own logs, which are not read again.
        if (followed._tag !== "Settled" || followed.at.seq <= seq) return Effect.void
        return followed.at.event._tag === "ToolsChanged" ? prompts(id) : subagents.handle(followed.at)
      }),
      Effect.forkIn(scope, { startImmediately: true })
    )
  })
})
