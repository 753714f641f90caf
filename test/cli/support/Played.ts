/**
 * A runtime for tests of the command line: sessions are real logs in memory, and the agent, instead of asking a model,
 * plays a list of events. It keeps the contract: what is said is logged first, an approval is asked and awaited,
 * an interrupted task has an outcome for every open call.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Model from "../../../src/domain/provider/Model.ts"
import { notFound } from "../../../src/domain/session/LogError.ts"
import * as Interruption from "../../../src/domain/session/Interruption.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import type { Live, SessionEvent, Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Redact from "../../../src/domain/secret/Redactor.ts"
import { CheckpointError } from "../../../src/domain/workspace/Checkpoint.ts"
import * as SessionLogLive from "../../../src/layers/storage/SessionLogLive.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Approval } from "../../../src/services/Approval.ts"
import { Approver, type Question } from "../../../src/services/Approver.ts"
import { BackgroundCommands } from "../../../src/services/BackgroundCommands.ts"
import { Checkpoints } from "../../../src/services/Checkpoints.ts"
import { ContextWindow } from "../../../src/services/ContextWindow.ts"
import { Environment } from "../../../src/services/Environment.ts"
import { EventLog, type SessionLog } from "../../../src/services/EventLog.ts"
import { Hooks } from "../../../src/services/extension/Hooks.ts"
import { Intake } from "../../../src/services/Intake.ts"
import { Parser } from "../../../src/services/Parser.ts"
import { Provider } from "../../../src/services/Provider.ts"
import { Shell } from "../../../src/services/Shell.ts"
import { Redactor } from "../../../src/services/Redactor.ts"
import { Settings, SettingsSnapshot } from "../../../src/services/Settings.ts"
import { type JsonFile, JsonFiles } from "../../../src/services/JsonFiles.ts"
import { Skills } from "../../../src/services/Skills.ts"
import { Storage, type Summary } from "../../../src/services/Storage.ts"
import { Trust } from "../../../src/services/Trust.ts"
import { Workspace } from "../../../src/services/Workspace.ts"
import { Tools } from "../../../src/services/Tools.ts"
import type { AgentServices } from "../../../src/cli/process/AgentLayers.ts"

/** What a played task does, in order. `Asks` puts a question and logs its answer; `Waits` never goes on by itself. */
export type Act = Settled | Live | { readonly _tag: "Asks"; readonly question: Question } | { readonly _tag: "Waits" }

export const model: Model.Model = { ...Model.unknown, provider: "scripted", id: "demo", name: "Demo", window: 200_000, nativeTools: true }

const noSettings = { rules: { allow: [], ask: [], deny: [] } }

interface Kept {
  readonly log: SessionLog
  readonly events: Array<SessionEvent>
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

const settledTags = new Set(["Asks", "Waits", "Parsed", "Discarded", "Output", "Notice", "Saving"])
const isSettled = (act: Act): act is Settled => !settledTags.has(act._tag)

/** `tasks` are played one after the other, one for each thing that is said to an idle session. */
export const runtime = (tasks: ReadonlyArray<ReadonlyArray<Act>>): Layer.Layer<AgentServices, never, Approver> =>
  Layer.effectContext(Effect.gen(function*() {
    const approver = yield* Approver
    const scope = yield* Effect.scope
    const sessions = new Map<string, Kept>()
    let next = 0

    const make = Effect.fnUntraced(function*(id: string) {
      const events: Array<SessionEvent> = []
      const log = yield* SessionLogLive.make({
        id,
        past: [],
        time: (seq) => Effect.succeed(1_000 * seq),
        persist: (lines) => Effect.sync(() => lines.forEach(({ body, hash, prev }) => void events.push({ ...JSON.parse(body), prev, hash }))),
        read: (from) => Effect.sync(() => events.slice(from)),
        getBlob: () => Effect.succeed(new Uint8Array()),
        putDraft: () => Effect.void,
        getDraft: Effect.succeed(null)
      })
      const kept: Kept = { log, events, fiber: undefined }
      sessions.set(id, kept)
      return kept
    })
    const open = (id: string) => Effect.suspend(() => {
      const kept = sessions.get(id)
      return kept === undefined ? notFound(id, [...sessions.keys()]) : Effect.succeed(kept)
    })

    const act = ({ log }: Kept) => Effect.fnUntraced(function*(act: Act) {
      if (act._tag === "Waits") return yield* Effect.never
      if (act._tag === "Asks") {
        const { call, offer } = act.question
        yield* log.append([{ _tag: "ApprovalAsked", call: call.id, action: act.question.action }])
        const answer = yield* approver.ask(act.question)
        return yield* log.append([{
          _tag: "ApprovalDecided",
          call: call.id,
          ...answer,
          ...(answer.scope === "once" ? {} : { rules: offer })
        }])
      }
      if (isSettled(act)) return yield* log.append([act])
      yield* Effect.yieldNow
      log.emit(act)
    })

    const play = Effect.fnUntraced(function*(kept: Kept) {
      while ((yield* kept.log.state).task.state === "running") {
        const acts = tasks[next++] ?? [{ _tag: "TaskFinished", result: "" } as const]
        yield* Effect.forEach(acts, act(kept), { discard: true })
      }
    })

    const agent = Agent.of({
      start: Effect.fnUntraced(function*({ cheap: _c, cwd, fallback: _f, model: _, plan: _p, toolFormat: __, ...wanted }) {
        const id = `01900000-0000-7000-8000-${String(sessions.size + 1).padStart(12, "0")}`
        const { log } = yield* make(id)
        yield* log.append([{
          _tag: "SessionStarted",
          id,
          version: "0.0.0",
          cwd,
          home: "/home/me",
          seed: "seed",
          settings: { ...Session.empty.settings, ...wanted, model, toolFormat: "native" }
        }])
        return id
      }),
      resume: Effect.fnUntraced(function*(id, { shouldContinue, overrides: { cheap: _c, fallback: _f, model: _, plan: _p, toolFormat: __, ...wanted } }) {
        const { log } = yield* open(id)
        const { settings } = yield* log.state
        yield* log.append([{ _tag: "Resumed", settings: { ...settings, ...wanted }, version: "0.0.0", goOn: shouldContinue }])
      }),
      rewind: Effect.fnUntraced(function*(id, { conversation, files, to }) {
        const { log } = yield* open(id)
        yield* log.append([{ _tag: "Rewound", to, files, conversation }])
        return { changes: [], remaining: [] }
      }),
      fork: (origin) => notFound(origin, []),
      say: Effect.fnUntraced(function*(id, text, delivery = "task") {
        const kept = yield* open(id)
        const { task } = yield* kept.log.state
        yield* kept.log.append([{ _tag: "UserSaid", text, delivery }])
        if (task.state !== "running") kept.fiber = yield* Effect.forkIn(play(kept), scope)
      }),
      switchModel: (id, name) => Effect.flatMap(open(id), ({ log }) => log.append([{ _tag: "ModelSwitched", model: { ...model, id: name }, toolFormat: "native" }])),
      setTodo: (id, items) => Effect.flatMap(open(id), ({ log }) => log.append([{ _tag: "TodoUpdated", items, by: "user" }])),
      switchMode: (id, mode) => Effect.flatMap(open(id), ({ log }) => log.append([{ _tag: "ModeSwitched", mode }])),
      compact: (id) => Effect.flatMap(open(id), ({ log }) => log.append([{ _tag: "CompactionAsked" }])),
      interrupt: (id, why) =>
        Effect.orDie(Effect.gen(function*() {
          const kept = yield* open(id)
          if (kept.fiber !== undefined) yield* Fiber.interrupt(kept.fiber)
          const session = yield* kept.log.state
          if (session.task.state === "running") yield* kept.log.append([{ _tag: "Interrupted", why }, ...Interruption.afterInterrupt(session, null)])
        })),
      settled: Effect.fnUntraced(function*(id) {
        const kept = yield* open(id)
        if (kept.fiber !== undefined) yield* Fiber.await(kept.fiber)
        return yield* kept.log.state
      }),
      state: (id) => Effect.flatMap(open(id), ({ log }) => log.state),
      follow: (id, from) => Stream.unwrap(Effect.map(open(id), ({ log }) => log.follow(from)))
    })

    const summary = ({ events, log }: Kept) => Effect.map(log.state, (session): Summary => ({
      id: session.id,
      cwd: session.cwd,
      title: session.title,
      model: Model.title(session.settings.model),
      created: session.createdAt,
      updated: session.time,
      events: events.length
    }))

    return Context.empty().pipe(
      Context.add(Agent, agent),
      Context.add(EventLog, EventLog.of({
        open: (id) => Effect.map(open(id), ({ log }) => log),
        read: (id) => Effect.map(open(id), ({ events }) => events),
        fork: (origin) => notFound(origin, [])
      })),
      Context.add(Storage, Storage.of({
        ...unasked<Storage["Service"]>("Storage"),
        list: ({ cwd, limit = 1_000 }) => Effect.map(
          Effect.forEach([...sessions.values()].reverse(), summary),
          (all) => all.filter((one) => cwd === undefined || one.cwd === cwd).slice(0, limit)
        )
      })),
      Context.add(Settings, Settings.of({ scopes: () => Effect.succeed([]), set: () => Effect.succeed("/nowhere"), load: () => Effect.succeed(noSettings), allow: () => Effect.void })),
      Context.add(SettingsSnapshot, noSettings),
      Context.add(Tools, Tools.of({ ...unasked<Tools["Service"]>("Tools"), specs: () => [spec("read_file"), spec("run_command")] })),
      Context.add(Checkpoints, Checkpoints.of({ ...unasked<Checkpoints["Service"]>("Checkpoints"), list: () => new CheckpointError({ reason: "NoGit", message: "git is not installed." }) })),
      Context.add(BackgroundCommands, BackgroundCommands.of(unasked<BackgroundCommands["Service"]>("BackgroundCommands"))),
      Context.add(Environment, Environment.of({ ...unasked<Environment["Service"]>("Environment"), folders: { home: "/", config: "/", data: "/", state: "/", cache: "/" } })),
      Context.add(Approval, Approval.of(unasked<Approval["Service"]>("Approval"))),
      Context.add(ContextWindow, ContextWindow.of(unasked<ContextWindow["Service"]>("ContextWindow"))),
      Context.add(Intake, Intake.of({ ...unasked<Intake["Service"]>("Intake"), commands: () => Effect.succeed([]) })),
      Context.add(Parser, Parser.of(unasked<Parser["Service"]>("Parser"))),
      Context.add(Provider, Provider.of(unasked<Provider["Service"]>("Provider"))),
      Context.add(JsonFiles, JsonFiles.of({ at: () => Effect.succeed({ ...unasked<JsonFile>("JsonFile"), value: Effect.succeed(undefined) }) })),
      Context.add(Redactor, redactor),
      Context.add(Trust, Trust.of({ isTrusted: () => Effect.succeed(false), activePredicate: () => Effect.succeed(() => false), change: () => Effect.void, items: () => Effect.succeed([]), pendingItems: () => Effect.succeed([]), preserveTrust: (_, __, change) => change })),
      Context.add(Workspace, Workspace.of({ ...unasked<Workspace["Service"]>("Workspace"), names: () => Effect.succeed([]) })),
      Context.add(Hooks, Hooks.of(unasked<Hooks["Service"]>("Hooks"))),
      Context.add(Shell, Shell.of(unasked<Shell["Service"]>("Shell")))
    ).pipe(Context.add(Skills, Skills.of({ ...unasked<Skills["Service"]>("Skills"), list: () => Effect.succeed({ skills: [], skipped: [] }) })))
  }))

/** Keyed by the test: a tag is the length of what it stands for. */
export const redactor = Redactor.of({ redact: Effect.succeed(Redact.make({ tag: (secret) => `${secret.length}` })) })

const spec = (name: string) => ({ name, description: "", params: [], schema: {}, aliases: [] })

/** A service that no test of the command line may ask. */
const unasked = <A extends object>(name: string): A =>
  new Proxy({} as A, { get: (_, key) => { throw new Error(`${name}.${String(key)} was asked`) } })
