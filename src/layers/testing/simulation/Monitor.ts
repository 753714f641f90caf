/** Watches one stored log: each stored event is checked against those before it, whatever the process believes. */
import * as Budget from "../../../domain/session/Budget.ts"
import * as Session from "../../../domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../../domain/session/SessionEvent.ts"
import type { Line } from "../../../services/Storage.ts"
import { sha256 } from "../../storage/Digest.ts"

export interface Monitor {
  /** The state that the stored events add up to. */
  readonly session: () => Session.Session
  /** The digest of the open request, or of the requests beside it; empty while none is open. */
  readonly openRequests: () => ReadonlySet<string>
  /** The calls that have been started and have no outcome. */
  readonly runningCalls: () => ReadonlySet<string>
  /** Takes stored lines; returns what is wrong with them. */
  readonly take: (lines: ReadonlyArray<Line>) => ReadonlyArray<string>
}

/** USD that sums in another order may differ by. */
const rounding = 1e-9

export const make = (id: string): Monitor => {
  const events: Array<SessionEvent> = []
  let session = Session.empty
  let head = ""
  let seq = -1
  const requests = new Set<string>()
  let request: string | undefined
  const running = new Set<string>()
  const lost = new Set<string>()
  const finished = new Set<string>()
  const reservations = new Set<string>()

  const check = (event: Settled, before: Session.Session): ReadonlyArray<string> => {
    switch (event._tag) {
      case "ModelRequested": {
        const wrong = request === undefined ? [] : ["a request begins while another one is open"]
        request = event.request
        requests.add(event.request)
        return wrong
      }
      case "SummaryRequested":
      case "SynthesisRequested":
        requests.add(event.request)
        return []
      case "ModelResponded":
      case "ModelFailed": {
        const wrong = request === undefined ? [`${event._tag} ends a request that is not open`] : []
        request = undefined
        requests.clear()
        return wrong
      }
      case "BudgetExhausted":
        request = undefined
        return []
      case "BudgetReserved": {
        const name = event.child ?? ""
        const wrong = reservations.has(name) ? [`the reservation "${name}" is made again before it is settled`] : []
        reservations.add(name)
        return wrong
      }
      case "BudgetSettled":
        return reservations.delete(event.child ?? "") ? [] : [`the reservation "${event.child ?? ""}" is settled and was not open`]
      case "Resumed":
        for (const call of running) lost.add(call)
        return []
      case "ToolStarted": {
        const isAgain = running.has(event.call) && !lost.has(event.call)
        running.add(event.call)
        lost.delete(event.call)
        return isAgain ? [`call ${event.call} is started again while it runs`]
          : finished.has(event.call) ? [`call ${event.call} is started after its outcome`]
          : []
      }
      case "ToolFinished": {
        running.delete(event.call)
        if (finished.has(event.call)) return [`call ${event.call} has two outcomes`]
        finished.add(event.call)
        return []
      }
      case "TaskFinished":
        return before.task.state === "running" ? [] : ["a result comes when no task runs"]
      default:
        return []
    }
  }

  return {
    session: () => session,
    openRequests: () => requests,
    runningCalls: () => running,
    take: (lines) =>
      lines.flatMap((line) => {
        const wrong: Array<string> = []
        if (line.seq !== seq + 1 || line.prev !== head || sha256(`${head}\n${line.body}`) !== line.hash)
          wrong.push(`event ${line.seq} does not follow event ${seq}`)
        head = line.hash
        seq = line.seq
        const { event, time, v } = JSON.parse(line.body) as Omit<SessionEvent, "hash" | "prev" | "seq">
        const at: SessionEvent = { v, seq, time, prev: line.prev, hash: line.hash, event }
        const before = session
        if (time < before.time) wrong.push(`event ${seq} is earlier than the one before it`)
        events.push(at)
        session = Session.isInHistory(before, at) ? Session.apply(before, at) : Session.fold(events)
        wrong.push(...check(event, before))
        const over = Budget.levelsOf(session).find(({ tokens, usd }) => (tokens?.left ?? 0) < 0 || (usd?.left ?? 0) < -rounding)
        if (over !== undefined) wrong.push(`the ${over.level} budget is exceeded`)
        return wrong.map((text) => `${id} at ${seq} (${event._tag}): ${text}`)
      })
  }
}

/** What the end of a session leaves open although nothing runs any more. */
export const openAtEnd = (monitor: Monitor): ReadonlyArray<string> => {
  const { budget, calls, task } = monitor.session()
  return [
    ...(task.state === "running" ? ["its task still runs"] : []),
    ...(monitor.session().model === "requested" ? ["its request has no end"] : []),
    ...(budget.reservations.has("") ? ["its reservation is not settled"] : []),
    ...calls.filter(({ state }) => state !== "done").map(({ call }) => `call ${call.id} has no outcome`)
  ]
}
