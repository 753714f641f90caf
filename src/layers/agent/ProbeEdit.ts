/** The process died while an edit ran: the files show whether it was done. */
import * as Effect from "effect/Effect"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import type { IntentState, EditIntent } from "../../domain/tool/EditIntent.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Tools } from "../../services/Tools.ts"
import { joinCheckpoint } from "./Checkpointing.ts"

export const probe = Effect.fn("Agent.probe")(function*(log: SessionLog, session: Session, { call, intents = [] }: Call) {
  const tools = yield* Tools
  const state = yield* tools.probe(call, intents)
  const events = eventsByState[state](call.id, intents)
  const joined = events.length === 0 ? [] : yield* joinCheckpoint(log, { call: call.id })
  yield* log.append([{ _tag: "ToolProbed", call: call.id, found: state }, ...events, ...joined], session.seq)
})

/** An edit that had not started runs, since it was allowed. */
const eventsByState: Readonly<Record<IntentState, (call: string, intends: ReadonlyArray<EditIntent>) => ReadonlyArray<Settled>>> = {
  untouched: () => [],
  done: (call, intends) => [
    { _tag: "ToolFinished", call, outcome: Outcome.succeeded(`Done: ${names(intends)}. (dacapo died as it ended, and found it done.)`) },
    ...intends.map(({ after, before, path }): Settled => ({
      _tag: "FileTouched",
      path,
      kind: after === null ? "deleted" : before === null ? "created" : "modified",
      hash: after,
      by: "agent"
    }))
  ],
  other: (call, intends) => [
    {
      _tag: "ToolFinished",
      call,
      outcome: Outcome.unknown(`${Outcome.lostMessage} Read ${names(intends)} before you change anything there.`)
    }
  ]
}

const names = (intends: ReadonlyArray<EditIntent>): string => intends.map(({ path }) => path).join(", ")
