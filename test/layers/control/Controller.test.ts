import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { ClientEvent } from "../../../src/domain/control/ClientEvent.ts"
import type { PendingRequest } from "../../../src/domain/control/PendingRequest.ts"
import * as Controller from "../../../src/layers/control/Controller.ts"
import * as PendingRequests from "../../../src/layers/control/PendingRequests.ts"
import { Settings } from "../../../src/services/Settings.ts"
import { Approver } from "../../../src/services/Approver.ts"
import * as Acts from "../../cli/support/Acts.ts"
import * as Played from "../../cli/support/Played.ts"

const question = {
  call: { _tag: "ToolCall" as const, id: "c1", name: "run_command", params: { command: "rm a.txt" } },
  action: "hash",
  access: [],
  risk: "high" as const,
  reason: "no rule allows it",
  offer: ["Bash(rm a.txt)"]
}

const asks: ReadonlyArray<Played.Act> = [
  Acts.requested,
  Acts.responded([Acts.call("c1", "run_command", { command: "rm a.txt" })], "tool_calls"),
  { _tag: "Asks", question },
  Acts.done("Asked.")
]

/** A controller over sessions that play these tasks, and a session of it. */
const played = <A, E>(
  tasks: ReadonlyArray<ReadonlyArray<Played.Act>>,
  use: (controller: Controller.Controller<never>, session: string) => Effect.Effect<A, E>,
  settings: Layer.Layer<never> | Layer.Layer<Settings> = Layer.empty
) => {
  const pending = PendingRequests.make()
  return Effect.gen(function*() {
    const controller = yield* Controller.make<never>({
      pending,
      resolve: ({ cwd = "/", mode = "default" }) => Effect.succeed({ cwd, mode, model: "scripted/demo" })
    })
    const { session } = yield* controller.run({ _tag: "Start", cwd: "/here" })
    return yield* use(controller, session)
  }).pipe(Effect.provide(settings), Effect.provide(Layer.provide(Played.runtime(tasks), Layer.succeed(Approver, pending.approver))))
}

const isEnd = (event: ClientEvent) => event._tag === "Settled" && event.at.event._tag === "TaskFinished"
const seqs = (events: ReadonlyArray<ClientEvent>) => events.flatMap((event) => event._tag === "Settled" ? [event.at.seq] : [])

/** Follows from an event to the end of the task. */
const watch = (controller: Controller.Controller<never>, session: string, from = 0) =>
  controller.events(session, from).pipe(Stream.takeUntil(isEnd), Stream.runCollect, Effect.forkChild({ startImmediately: true }))

const nextRequest = (controller: Controller.Controller<never>, session: string): Effect.Effect<PendingRequest, unknown> =>
  controller.events(session, 0).pipe(
    Stream.filter((event) => event._tag === "Requested"),
    Stream.runHead,
    Effect.flatMap((event) => Effect.fromOption(event)),
    Effect.map(({ request }) => request)
  )

describe("the control protocol", () => {
  it.effect("lets any client answer once: both see the request and its end, and the second answer says so", () =>
    played([asks], (controller, session) =>
      Effect.gen(function*() {
        const clients = [yield* watch(controller, session), yield* watch(controller, session)]
        yield* controller.run({ _tag: "Say", session, text: "remove it" })
        const { id } = yield* nextRequest(controller, session)
        const answer = { _tag: "Answer", session, request: id, action: "hash", decision: "allow", scope: "session" } as const
        expect(yield* controller.run(answer)).toEqual({ session })
        expect(yield* Effect.flip(controller.run(answer))).toMatchObject({ _tag: "ControlError", reason: "Answered" })
        for (const client of clients) {
          const events = yield* Fiber.join(client)
          expect(events.map(({ _tag }) => _tag)).toEqual(expect.arrayContaining(["Requested", "Resolved"]))
          expect(events).toContainEqual(expect.objectContaining({
            _tag: "Settled",
            at: expect.objectContaining({
              event: { _tag: "ApprovalDecided", call: "c1", decision: "allow", scope: "session", by: "user", rules: ["Bash(rm a.txt)"] }
            })
          }))
        }
      })))

  it.effect("saves the rules of an answer for always, in the session's folder, and of no other answer", () => {
    const saved: Array<string> = []
    const settings = Layer.mock(Settings)({ allow: (cwd, rule) => Effect.sync(() => void saved.push(`${cwd} ${rule}`)) })
    return played([asks, asks, asks], (controller, session) =>
      Effect.gen(function*() {
        for (const [decision, scope] of [["allow", "session"], ["deny", "always"], ["allow", "always"]] as const) {
          yield* controller.run({ _tag: "Say", session, text: "remove it" })
          const { id } = yield* nextRequest(controller, session)
          yield* controller.run({ _tag: "Answer", session, request: id, action: "hash", decision, scope })
          yield* controller.settled(session)
        }
        expect(saved).toEqual(["/here Bash(rm a.txt)"])
      }), settings)
  })

  it.effect("refuses an answer to another action than the one that waits", () =>
    played([asks], (controller, session) =>
      Effect.gen(function*() {
        yield* controller.run({ _tag: "Say", session, text: "remove it" })
        const { id } = yield* nextRequest(controller, session)
        const answer = { _tag: "Answer", session, request: id, action: "another", decision: "allow", scope: "once" } as const
        expect(yield* Effect.flip(controller.run(answer))).toMatchObject({ reason: "Changed" })
        expect((yield* nextRequest(controller, session)).id).toBe(id)
      })))

  it.effect("withdraws the request of an interrupted task", () =>
    played([asks], (controller, session) =>
      Effect.gen(function*() {
        const resolved = yield* controller.events(session, 0).pipe(
          Stream.filter(({ _tag }) => _tag === "Resolved"),
          Stream.runHead,
          Effect.forkChild({ startImmediately: true })
        )
        yield* controller.run({ _tag: "Say", session, text: "remove it" })
        const { id } = yield* nextRequest(controller, session)
        yield* controller.run({ _tag: "Interrupt", session })
        expect(yield* Fiber.join(resolved)).toMatchObject({ value: { id } })
        const answer = { _tag: "Answer", session, request: id, action: "hash", decision: "allow", scope: "once" } as const
        expect(yield* Effect.flip(controller.run(answer))).toMatchObject({ reason: "Answered" })
      })))

  it.effect("loses and repeats nothing for a client that connects again at the next event", () =>
    played([[Acts.requested, Acts.responded([Acts.text("Hi.")]), Acts.done("Hi.")]], (controller, session) =>
      Effect.gen(function*() {
        const whole = yield* watch(controller, session)
        yield* controller.run({ _tag: "Say", session, text: "hello" })
        const all = seqs(yield* Fiber.join(whole))
        const first = seqs(yield* controller.events(session, 0).pipe(Stream.take(2), Stream.runCollect))
        const rest = seqs(yield* Fiber.join(yield* watch(controller, session, first.at(-1)! + 1)))
        expect([...first, ...rest]).toEqual(all)
        const { events = [] } = yield* controller.run({ _tag: "Replay", session, from: 1, to: 2 })
        expect(events.map(({ seq }) => seq)).toEqual([1, 2])
      })))

  it.effect("detaches a client that does not read, and waits for nobody", () => {
    const notes = Array.from({ length: Controller.maxLag + 10 }, (): Played.Act => ({ _tag: "Reminded", text: "again" }))
    return played([[...notes, Acts.done("Done.")]], (controller, session) =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const stuck = yield* controller.events(session, 0).pipe(
          Stream.runForEach(({ _tag }) => _tag === "Settled" ? Deferred.await(gate) : Effect.void),
          Effect.flip,
          Effect.forkChild({ startImmediately: true })
        )
        const reader = yield* watch(controller, session)
        yield* controller.run({ _tag: "Say", session, text: "go" })
        expect(seqs(yield* Fiber.join(reader))).toHaveLength(notes.length + 3)
        yield* Deferred.succeed(gate, undefined)
        const error = yield* Fiber.join(stuck)
        expect(error).toMatchObject({ _tag: "Detached", session })
        const seq = error._tag === "Detached" ? error.seq : -1
        const rest = yield* controller.events(session, seq + 1).pipe(Stream.takeUntil(isEnd), Stream.runCollect)
        expect(seqs(rest)).toEqual(Array.from({ length: notes.length + 2 - seq }, (_, i) => seq + 1 + i))
      }))
  })

  it.effect("denies what waits, and what is asked later, when no client is left", () =>
    Effect.gen(function*() {
      const pending = PendingRequests.make()
      const waiting = yield* Effect.forkChild(pending.approver.ask(question), { startImmediately: true })
      yield* pending.close
      expect(yield* Fiber.join(waiting)).toMatchObject({ decision: "deny", by: "nobody" })
      expect(yield* pending.approver.ask(question)).toMatchObject({ decision: "deny", by: "nobody" })
      expect(yield* pending.approver.question("Which?", [])).toEqual({ by: "nobody" })
    }))
})
