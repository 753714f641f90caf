/** One open session of an ACP client: its own services, and a follower that sends the client what happens. */
import type { AgentContext, PromptResponse, StopReason } from "@agentclientprotocol/sdk"
import { methods, RequestError } from "@agentclientprotocol/sdk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { PendingRequest } from "../../domain/control/PendingRequest.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Controller from "../../layers/control/Controller.ts"
import * as PendingRequests from "../../layers/control/PendingRequests.ts"
import { Agent } from "../../services/Agent.ts"
import { Approver } from "../../services/Approver.ts"
import { Intake } from "../../services/Intake.ts"
import { Redactor } from "../../services/Redactor.ts"
import { SettingsSnapshot } from "../../services/Settings.ts"
import type { Values } from "../args/Flags.ts"
import { AgentLayers, type Options as LayerOptions } from "../process/AgentLayers.ts"
import type { Failure } from "../process/ExitCode.ts"
import { Host } from "../process/Host.ts"
import * as SessionOptions from "../start/SessionOptions.ts"
import * as PermissionRequest from "./PermissionRequest.ts"
import type { PromptContent } from "./PromptContent.ts"
import * as SessionUpdates from "./SessionUpdates.ts"

/**
 * `cwd` and `roots` are absolute. Without a `stored` session a new one starts; with one, `isShown` says whether the client wants its
 * history.
 */
export interface Options {
  readonly values: Values
  readonly cwd: string
  readonly roots: ReadonlyArray<string>
  readonly mcpServers: NonNullable<LayerOptions["mcpServers"]>
  readonly stored?: { readonly id: string; readonly isShown: boolean }
}

type ControlFailure = Effect.Error<ReturnType<Controller.Controller<Failure>["run"]>>

/** `prompt` runs a task and returns when the client has been sent all of it. */
export interface OpenSession {
  readonly id: string
  readonly controller: Controller.Controller<Failure>
  readonly state: Effect.Effect<Session, Failure>
  readonly commands: Intake["Service"]["commands"]
  readonly prompt: (content: PromptContent) => Effect.Effect<PromptResponse, ControlFailure | RequestError>
}

/** Opens the session until the scope closes; its history is sent when it returns. */
export const open = Effect.fnUntraced(function*(client: AgentContext, { cwd, mcpServers, roots, stored, values }: Options) {
  const host = yield* Host
  const agentLayers = yield* AgentLayers
  const pending = PendingRequests.make()
  const options = yield* SessionOptions.layerOptions(values, { cwd, roots })
  const services = yield* Layer.build(agentLayers.layer({
    ...options,
    mcpServers: { ...options.mcpServers, ...mcpServers },
    approver: Layer.succeed(Approver, pending.approver)
  }))
  const agent = Context.get(services, Agent)
  const settings = Context.get(services, SettingsSnapshot)
  const redactor = Context.get(services, Redactor)
  const controller = yield* Effect.provide(
    Controller.make<Failure>({
      pending,
      resolve: () => SessionOptions.resolve(values, "interactive", host.environment, { cwd, roots, settings })
    }),
    services
  )
  const id = stored?.id ?? (yield* controller.run({ _tag: "Start", cwd })).session
  if (stored !== undefined) {
    const { settings: current } = yield* agent.state(id)
    const overrides = SessionOptions.resumeOptions(values, "interactive", SessionOptions.currentSettings(current))
    yield* agent.resume(id, { overrides: { ...overrides, roots }, shouldContinue: false })
  }
  const { seq: pastSeq } = yield* agent.state(id)
  const sentSeq = yield* SubscriptionRef.make(-1)
  const asking = yield* FiberMap.make<string>()
  let isPast = true
  let stop: string = "stop"
  /** What leaves the process has its secrets removed. */
  const redacted = <A>(value: A): Effect.Effect<A> =>
    Effect.map(
      redactor.redact,
      (redact) => JSON.parse(JSON.stringify(value, (_, part: unknown) => typeof part === "string" ? redact(part) : part)) as A
    )
  const updates = SessionUpdates.make({ cwd, showsUser: () => isPast })
  const isHidden = stored?.isShown === false

  const ask = (request: PendingRequest) =>
    Effect.gen(function*() {
      const signal = yield* Effect.abortSignal
      const question = yield* redacted(PermissionRequest.of(id, cwd, request))
      const response = yield* Effect.tryPromise(() =>
        client.request(methods.client.session.requestPermission, question, { cancellationSignal: signal })
      )
      yield* controller.run(PermissionRequest.answer(id, request, response))
    }).pipe(
      Effect.scoped,
      // A client that fails to ask has not allowed anything.
      Effect.catchCause(() => Effect.ignore(controller.run(PermissionRequest.answer(id, request, { outcome: { outcome: "cancelled" } })))),
      FiberMap.run(asking, request.id)
    )

  const send = Effect.fnUntraced(function*(event: ClientEvent) {
    if (event._tag === "Requested") return yield* ask(event.request)
    if (event._tag === "Resolved") return yield* FiberMap.remove(asking, event.id)
    const all = updates(event)
    for (const raw of isHidden && isPast ? [] : all) {
      const update = yield* redacted(raw)
      yield* Effect.ignore(Effect.tryPromise(() => client.notify(methods.client.session.update, { sessionId: id, update })))
    }
    if (event._tag !== "Settled") return
    if (event.at.event._tag === "ModelResponded") stop = event.at.event.stop
    isPast = event.at.seq < pastSeq
    yield* SubscriptionRef.set(sentSeq, event.at.seq)
  })

  /** A client that was detached continues after the last event that it got. */
  const follow = (from: number): Effect.Effect<void, unknown> =>
    controller.events(id, from).pipe(
      Stream.runForEach(send),
      Effect.catchTag("Detached", ({ seq }) => follow(seq + 1))
    )
  yield* Effect.forkScoped(follow(0), { startImmediately: true })
  const sent = (seq: number) => SubscriptionRef.changes(sentSeq).pipe(Stream.takeUntil((last) => last >= seq), Stream.runDrain)
  yield* sent(pastSeq)

  const prompt = Effect.fnUntraced(function*({ images, text }: PromptContent) {
    const { task: before } = yield* agent.state(id)
    const delivery = before.state === "running" ? "steer" : "task"
    yield* controller.run({ _tag: "Say", session: id, text, images, delivery })
    const { seq, task } = yield* agent.settled(id)
    yield* sent(seq)
    if (task.state === "failed" && task.failure !== "turns" && task.failure !== "interrupted") {
      return yield* Effect.fail(new RequestError(-32603, task.result))
    }
    return { stopReason: stopReason(task, stop) }
  })

  return {
    id,
    controller,
    state: agent.state(id),
    commands: Context.get(services, Intake).commands,
    prompt
  } satisfies OpenSession as OpenSession
})

const stopReason = ({ failure, state }: Session["task"], stop: string): StopReason =>
  state === "failed"
    ? failure === "turns" ? "max_turn_requests" : "cancelled"
    : state !== "finished"
    ? "cancelled"
    : stop === "length"
    ? "max_tokens"
    : stop === "refusal"
    ? "refusal"
    : "end_turn"
