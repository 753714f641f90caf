/** Who talks to a session of a simulated cluster, through the gateway: sends messages until they are answered, and follows the events. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Cause from "effect/Cause"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Operation } from "../../../../domain/control/Operation.ts"
import type { PendingRequest } from "../../../../domain/control/PendingRequest.ts"
import { repeatQuestion } from "../SimulatedUser.ts"
import type { World } from "../World.ts"
import type { Connection } from "./SimulatedGateway.ts"

/** What a user has reached; rules are checked against it. */
export interface Visit {
  readonly session: string
  /** The texts of the messages that were answered: each is in the log, once. */
  readonly answered: Set<string>
  /** The next event of each follower. */
  readonly followers: Array<{ next: number }>
}

export const newVisit = (session: string): Visit => ({ session, answered: new Set(), followers: [] })

/** ms until the user answers a request. */
const maxAnswerMs = 20_000

/** ms between two things that the user does, at most. */
const maxPauseMs = 10_000

/** How often a message is sent that gets no answer from a gateway. Each time the gateway waits for 30 seconds. */
const maxAttempts = 40

/** ms after which a user tries again to reach a gateway. */
const reconnectMs = 1_000

/** What the user does in one session, until all was done and answered; `last` waits for the others, and ends all faults. */
export const visit = Effect.fnUntraced(function*(
  world: World,
  gateway: Connection,
  { followers, answered, session }: Visit,
  last: Effect.Effect<void>
) {
  const { actions, journal, listeners, violations } = world
  const { below, chance, pick } = world.dice(`user ${session}`)
  const note = (text: string) => void actions.push(`${session.slice(-2)}: ${text}`)

  /** An operation is sent again, with the same key, until a runner answers. */
  const send = Effect.fnUntraced(function*(operation: Operation) {
    const key = `key ${world.nextName()}`
    const sent = operation._tag === "Say" ? { ...operation, key } : operation
    note(operation._tag === "Say" ? `say "${operation.text}" as ${operation.delivery}` : operation._tag)
    for (let attempt = 1; attempt <= maxAttempts;) {
      const exit = yield* Effect.exit(gateway.run(session, sent, key))
      if (Exit.isSuccess(exit)) {
        if (operation._tag === "Say") answered.add(operation.text)
        return
      }
      const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      note(`   ${operation._tag} failed: ${Cause.pretty(exit.cause).split("\n", 1)[0]}`)
      if (failure?._tag === "Disconnected") yield* Effect.sleep(reconnectMs)
      else if (failure?.reason === "Failed") attempt++
      else {
        if (operation._tag === "Say" || operation._tag === "Start") violations.push(`${session}: ${operation._tag} is refused`)
        return
      }
      if (operation._tag === "Answer" || operation._tag === "Reply") return
    }
    violations.push(`${session}: "${operation._tag}" is not answered`)
  })

  const answer = (request: PendingRequest) =>
    Effect.gen(function*() {
      yield* Effect.sleep(1 + below(maxAnswerMs))
      if (request._tag === "Question")
        return yield* send({ _tag: "Reply", session, request: request.id, ...(chance(0.2) ? {} : { text: "Yes." }) })
      const { action, call, id, offer, reason } = request
      const { command } = call.params as { readonly command?: unknown }
      const isAllowed = chance(0.8)
      if (isAllowed && repeatQuestion.test(reason) && typeof command === "string") journal.allowedAgain.add(command)
      const scope = offer.length > 0 && isAllowed ? pick(["once", "session", "always"] as const) : "once"
      yield* send({ _tag: "Answer", session, request: id, action, decision: isAllowed ? "allow" : "deny", scope })
    })

  /** Each settled event arrives once and in order, whoever dies in between. `answers`: whether the client answers requests. */
  const follow = Effect.fnUntraced(function*(from: number, answers: boolean) {
    const follower = { next: from }
    followers.push(follower)
    yield* Stream.suspend(() => gateway.events(session, follower.next)).pipe(
      Stream.runForEach((event) =>
        Effect.suspend(() => {
          if (event._tag === "Requested" && answers) return Effect.asVoid(Effect.forkChild(answer(event.request)))
          if (event._tag !== "Settled") return Effect.void
          if (event.at.seq !== follower.next)
            violations.push(`${session}: a client that follows gets event ${event.at.seq} where event ${follower.next} is due`)
          follower.next = event.at.seq + 1
          return Effect.void
        })
      ),
      Effect.retry({ while: ({ _tag }) => _tag === "Disconnected", schedule: Schedule.spaced(reconnectMs) }),
      Effect.matchCause({
        onFailure: (cause) => void violations.push(`${session}: the events end with ${Cause.pretty(cause).split("\n", 1)[0]}`),
        onSuccess: () => void violations.push(`${session}: the events end`)
      }),
      Effect.forkDetach
    )
  })

  const pause = Effect.suspend(() => Effect.sleep(1 + below(maxPauseMs)))
  /** Until one of the next events is stored. */
  const nextEvent = Effect.suspend(() => {
    let count = 1 + below(12)
    return Effect.callback<void>((resume) => {
      const listener = () => {
        if (--count > 0) return
        listeners.delete(listener)
        resume(Effect.void)
      }
      listeners.add(listener)
      return Effect.sync(() => void listeners.delete(listener))
    }).pipe(Effect.timeoutOption(20_000))
  })
  const moment = Effect.suspend(() => chance(0.5) ? pause : nextEvent)
  const say = (delivery: "queue" | "steer" | "task") =>
    Effect.suspend(() => send({ _tag: "Say", session, text: `Do more ${world.nextName()}.`, delivery }))
  const interrupt = send({ _tag: "Interrupt", session })

  yield* send({ _tag: "Start" })
  yield* follow(0, true)
  yield* say("task")
  for (let count = 1 + below(4); count > 0 && violations.length === 0; count--) {
    yield* moment
    yield* pick([
      pause,
      say("task"),
      say(pick(["steer", "queue", "task"])),
      Effect.asVoid(Effect.all([say("steer"), say("queue")], { concurrency: 2 })),
      interrupt,
      Effect.suspend(() => follow(below((world.monitors.get(session)?.session().seq ?? 0) + 1), false))
    ])
  }
  yield* last
  // What a task that failed has left open is closed by the next one.
  yield* say("task")
})
