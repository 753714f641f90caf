/** What closes what was open when a task was stopped or its process died. */
import * as Outcome from "../tool/Outcome.ts"
import * as Budget from "./Budget.ts"
import * as Session from "./Session.ts"
import type { Settled } from "./SessionEvent.ts"
import type * as Usage from "./Usage.ts"

/** What closes a task that was told to stop: the open request, and every call without an outcome. */
export const interrupted = (session: Session.Session, draft: Draft | null): ReadonlyArray<Settled> => [
  ...unanswered(session, "Interrupted", draft),
  ...session.calls.filter(({ state }) => state !== "done").map(({ again, call, state }) =>
    finished(
      call.id,
      state === "lost" || again === true ? Outcome.unknown(Outcome.lost) : Outcome.interrupted("Interrupted by the user before it was done.")
    )
  )
]

/** What closes the open request of a task whose process died. What ran then is looked at when the task goes on (Step). */
export const crashed = (session: Session.Session, draft: Draft | null): ReadonlyArray<Settled> => unanswered(session, "Crashed", draft)

/** What had come of an answer when it was cut off: its blob, its words, and what it cost. */
export interface Draft {
  readonly blob: string
  readonly said: string
  readonly spent: Usage.Spent | undefined
}

const unanswered = (session: Session.Session, why: "Interrupted" | "Crashed", draft: Draft | null): ReadonlyArray<Settled> =>
  session.model !== "requested" ? [] : [{
    _tag: "ModelFailed",
    reason: { _tag: why },
    provider: Session.speaker(session).model.provider,
    message: `${why} in the middle of an answer.`,
    draft: draft?.blob ?? null,
    ...(draft?.spent === undefined ? {} : { spent: draft.spent }),
    ...(why === "Crashed" || draft === null || draft.said.trim() === "" ? {} : { said: draft.said })
  }, ...settled(session)]

/** Nobody knows what an answer without an end has cost: all that was reserved for it. */
const settled = (session: Session.Session): ReadonlyArray<Settled> => {
  const held = Budget.open(session)
  return held === undefined ? [] : [Budget.settled(session, held)]
}

const finished = (call: string, outcome: Outcome.Outcome): Settled => ({ _tag: "ToolFinished", call, outcome })
