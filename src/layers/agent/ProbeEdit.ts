/** We died while an edit ran: the files say whether it was done. */
import * as Effect from "effect/Effect"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import type { Found, Intent } from "../../domain/tool/EditIntent.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Tools } from "../../services/Tools.ts"

export const probe = Effect.fn("Agent.probe")(function*(log: SessionLog, session: Session, { call, intends = [] }: Call) {
  const tools = yield* Tools
  const found = yield* tools.probe(call, intends)
  yield* log.append([{ _tag: "ToolProbed", call: call.id, found }, ...follows[found](call.id, intends)], session.seq)
})

/** What was not begun runs, as it was allowed to. */
const follows: Readonly<Record<Found, (call: string, intends: ReadonlyArray<Intent>) => ReadonlyArray<Settled>>> = {
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
    { _tag: "ToolFinished", call, outcome: Outcome.unknown(`${Outcome.lost} Read ${names(intends)} before you change anything there.`) }
  ]
}

const names = (intends: ReadonlyArray<Intent>): string => intends.map(({ path }) => path).join(", ")
