/** One open session of an ACP client: its own services, and a follower that sends the client what happens. */
import type { AgentContext, ClientCapabilities, PromptResponse, SessionUpdate, StopReason } from "@agentclientprotocol/sdk"
import { methods, RequestError } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as FiberMap from "effect/FiberMap"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { PendingRequest } from "../../domain/control/PendingRequest.ts"
import type { Session } from "../../domain/session/Session.ts"
import type * as ResultView from "../../domain/tool/ResultView.ts"
import type * as Controller from "../../layers/control/Controller.ts"
import type { Failure } from "../process/ExitCode.ts"
import * as HostedSession from "../process/HostedSession.ts"
import * as SlashList from "../render/terminal/SlashList.ts"
import * as View from "../render/view/View.ts"
import * as EditorClient from "./EditorClient.ts"
import * as PermissionRequest from "./PermissionRequest.ts"
import type { PromptContent } from "./PromptContent.ts"
import * as SessionUpdates from "./SessionUpdates.ts"

/** A `stored` session is opened instead of a new one; `showsHistory`: the client wants all that happened in it. */
export interface Options extends Omit<HostedSession.Options, "editor" | "start"> {
  readonly capabilities: ClientCapabilities
  readonly showsHistory?: boolean
}

type ControlFailure = Effect.Error<ReturnType<Controller.Controller<Failure>["run"]>>

/** `prompt` runs a task and returns when the client has been sent all of it. */
export interface OpenSession extends HostedSession.HostedSession {
  readonly prompt: (content: PromptContent) => Effect.Effect<PromptResponse, ControlFailure | RequestError>
}

/** Opens the session until the scope closes; its history is sent when it returns. */
export const open = Effect.fnUntraced(function*(client: AgentContext, { capabilities, showsHistory = false, ...options }: Options) {
  const started = yield* SubscriptionRef.make<ReadonlySet<string>>(new Set())
  const terminals = new Set<string>()
  let sessionId = options.stored ?? ""
  const notify = (update: SessionUpdate) =>
    Effect.ignore(Effect.tryPromise(() => client.notify(methods.client.session.update, { sessionId, update })))
  const editor = EditorClient.make(client, {
    capabilities,
    sessionId: () => sessionId,
    show: Effect.fnUntraced(function*(toolCallId, terminalId) {
      // The client must know the call first.
      yield* SubscriptionRef.changes(started).pipe(Stream.takeUntil((calls) => calls.has(toolCallId)), Stream.runDrain)
      terminals.add(toolCallId)
      yield* notify({ sessionUpdate: "tool_call_update", toolCallId, content: [{ type: "terminal", terminalId }] })
    })
  })
  const hosted = yield* HostedSession.open({ ...options, editor })
  const { controller, cwd, id, redacted, state } = hosted
  sessionId = id
  const { seq: pastSeq } = yield* state
  const sentSeq = yield* SubscriptionRef.make(-1)
  const asking = yield* FiberMap.make<string>()
  let isPast = true
  let stop: string = "stop"
  const updates = SessionUpdates.make({ cwd, showsUser: () => isPast, hasTerminal: (call) => terminals.has(call) })
  const isHidden = options.stored !== undefined && !showsHistory

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

  /** The image of a view; a client that can't be sent its bytes has its description already. */
  const sendImage = (toolCallId: string, { alt, blob, mediaType }: ResultView.Of<"image">) =>
    Effect.flatMap(hosted.getBlob(blob), (bytes) =>
      notify({
        sessionUpdate: "tool_call_update",
        toolCallId,
        content: [
          { type: "content", content: { type: "image", data: Base64.encode(bytes), mimeType: mediaType } },
          { type: "content", content: { type: "text", text: View.text(alt) } }
        ]
      })).pipe(Effect.ignore)

  const send = Effect.fnUntraced(function*(event: ClientEvent) {
    if (event._tag === "Requested") return yield* ask(event.request)
    if (event._tag === "Resolved") return yield* FiberMap.remove(asking, event.id)
    const all = updates(event)
    for (const raw of isHidden && isPast ? [] : all) {
      const update = yield* redacted(raw)
      yield* notify(update)
    }
    if (event._tag !== "Settled") return
    const settled = event.at.event
    if (settled._tag === "ToolFinished" && settled.outcome.view?.type === "image" && !(isHidden && isPast)) {
      yield* sendImage(settled.call, settled.outcome.view)
    }
    if (settled._tag === "ModelResponded") stop = settled.stop
    if (settled._tag === "ToolStarted") yield* SubscriptionRef.update(started, (calls) => new Set([...calls, settled.call]))
    if (settled._tag === "ToolFinished")
      yield* SubscriptionRef.update(started, (calls) => new Set([...calls].filter((call) => call !== settled.call)))
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
    const instructions = images.length === 0 ? SlashList.compactInstructions(text) : undefined
    if (instructions !== undefined) {
      yield* controller.run({ _tag: "Compact", session: id, instructions })
      const { seq } = yield* hosted.settled
      yield* sent(seq)
      return { stopReason: "end_turn" as const }
    }
    const { task: before } = yield* state
    const delivery = before.state === "running" ? "steer" : "task"
    yield* controller.run({ _tag: "Say", session: id, text, images, delivery })
    const { seq, task } = yield* hosted.settled
    yield* sent(seq)
    if (task.state === "failed" && task.failure !== "turns" && task.failure !== "interrupted") {
      return yield* Effect.fail(new RequestError(-32603, task.result))
    }
    return { stopReason: stopReason(task, stop) }
  })

  return { ...hosted, prompt } satisfies OpenSession as OpenSession
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
