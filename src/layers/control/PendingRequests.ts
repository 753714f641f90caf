/**
 * The approver of sessions that clients watch: requests wait until one client answers, the answer is bound to the action that was
 * shown, and all other clients hear that the request is resolved.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ControlError } from "../../domain/control/ControlError.ts"
import type { RequestEvent } from "../../domain/control/ClientEvent.ts"
import type { PendingApproval, PendingQuestion, PendingRequest } from "../../domain/control/PendingRequest.ts"
import { Approver, type Answer, type Question, type Reply } from "../../services/Approver.ts"

interface Waiting {
  readonly request: PendingRequest
  readonly complete: (value: Answer | Reply) => void
}

const nobody = {
  answer: { decision: "deny", scope: "once", by: "nobody", words: "The program that answers approvals has disconnected." },
  reply: { by: "nobody" }
} as const satisfies { readonly answer: Answer; readonly reply: Reply }

export interface PendingRequests {
  readonly approver: Approver["Service"]
  /** What waits now, oldest first. */
  readonly list: () => ReadonlyArray<PendingRequest>
  /** Calls `listener` with every request that waits now, then with each change, until the returned function is called. */
  readonly subscribe: (listener: (event: RequestEvent) => void) => () => void
  readonly answer: (id: string, action: string, answer: Omit<Answer, "by">) => Effect.Effect<void, ControlError>
  readonly reply: (id: string, reply: Reply) => Effect.Effect<void, ControlError>
  /** No client is left: what waits and what would be asked from now on is denied. */
  readonly close: Effect.Effect<void>
}

/**
 * No requests yet. Its `approver` is the agent's: `Layer.succeed(Approver, pending.approver)`. The ids of requests begin with `prefix`,
 * so that an answer to a request of another process fits none of this one.
 */
export const make = (prefix = "request"): PendingRequests => {
  const waiting = new Map<string, Waiting>()
  const listeners = new Set<(event: RequestEvent) => void>()
  let count = 0
  let isClosed = false
  const publish = (event: RequestEvent): void => listeners.forEach((listener) => listener(event))

  const remove = ({ id, session }: PendingRequest): void => {
    if (waiting.delete(id)) publish({ _tag: "Resolved", id, ...(session === undefined ? {} : { session }) })
  }

  /** Waits for a client's answer; an interruption withdraws the request. */
  const enqueue = <A extends Answer | Reply>(request: PendingRequest, withoutClient: A): Effect.Effect<A> =>
    Effect.suspend(() => {
      if (isClosed) return Effect.succeed(withoutClient)
      const deferred = Deferred.makeUnsafe<A>()
      waiting.set(request.id, {
        request,
        complete: (value) => {
          remove(request)
          Deferred.doneUnsafe(deferred, Effect.succeed(value as A))
        }
      })
      publish({ _tag: "Requested", request })
      return Effect.onInterrupt(Deferred.await(deferred), () => Effect.sync(() => remove(request)))
    })

  const nextId = (): string => `${prefix}_${++count}`

  const find = <K extends PendingRequest["_tag"]>(id: string, kind: K) =>
    Effect.suspend(() => {
      const entry = waiting.get(id)
      return entry !== undefined && entry.request._tag === kind
        ? Effect.succeed({ ...entry, request: entry.request as Extract<PendingRequest, { readonly _tag: K }> })
        : Effect.fail(new ControlError({ reason: "Answered", message: `The request ${id} is not pending: it was answered or withdrawn.` }))
    })

  return {
    approver: Approver.of({
      ask: (question) => enqueue(approval(nextId(), question), nobody.answer),
      question: (text, options, session) => enqueue(question(nextId(), text, options, session), nobody.reply)
    }),
    list: () => [...waiting.values()].map(({ request }) => request),
    subscribe: (listener) => {
      waiting.forEach(({ request }) => listener({ _tag: "Requested", request }))
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    answer: (id, action, answer) =>
      Effect.flatMap(find(id, "Approval"), ({ complete, request }) =>
        request.action === action
          ? Effect.sync(() => complete({ ...answer, by: "user" }))
          : Effect.fail(
            new ControlError({ reason: "Changed", message: `The request ${id} asks about another action; read it again and answer that.` })
          )),
    reply: (id, reply) => Effect.flatMap(find(id, "Question"), ({ complete }) => Effect.sync(() => complete(reply))),
    close: Effect.sync(() => {
      isClosed = true
      waiting.forEach(({ complete, request }) => complete(request._tag === "Approval" ? nobody.answer : nobody.reply))
    })
  }
}

const approval = (
  id: string,
  { access, action, call, diff, from, offer, reason, risk, session }: Question
): PendingApproval => ({
  _tag: "Approval",
  id,
  call,
  action,
  access,
  risk,
  reason,
  offer,
  ...(session === undefined ? {} : { session }),
  ...(diff === undefined ? {} : { diff }),
  ...(from === undefined ? {} : { from })
})

const question = (id: string, text: string, options: ReadonlyArray<string>, session: string | undefined): PendingQuestion => ({
  _tag: "Question",
  id,
  text,
  options,
  ...(session === undefined ? {} : { session })
})
