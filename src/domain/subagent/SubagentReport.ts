/** A subagent's log, summarized as its report. */
import * as Access from "../tool/Access.ts"
import type { SessionEvent, Settled } from "../session/SessionEvent.ts"
import type { Session } from "../session/Session.ts"
import type { SubagentReport, SubagentStatus } from "./Subagent.ts"

/** Limits on the result and the pieces of evidence that the parent's log stores: the subagent's own log has everything. */
const limits = { result: 24_000, evidence: 12 }

/** The result of a subagent; `resultOverride` replaces a missing one. */
export const of = (
  name: string,
  status: SubagentStatus,
  events: ReadonlyArray<SessionEvent>,
  { budget, task }: Pick<Session, "budget" | "task">,
  resultOverride?: string
): SubagentReport => {
  const finishedCalls = events.flatMap(({ event }) => event._tag === "ToolFinished" && event.outcome.ends === undefined ? [event] : [])
  const succeeded = new Set(finishedCalls.flatMap(({ call, outcome }) => outcome.status === "succeeded" ? [call] : []))
  const access = events.flatMap(({ event }) => event._tag === "ToolProposed" && succeeded.has(event.call) ? event.access : [])
  return {
    name,
    status,
    result: clip(resultOverride ?? task.result),
    calls: finishedCalls.length,
    errors: finishedCalls.length - succeeded.size,
    evidence: distinct(access.flatMap(describeAccess)).slice(0, limits.evidence),
    changed: distinct(events.flatMap(({ event }) => changedPaths(event))),
    spent: budget.spent
  }
}

const clip = (text: string): string =>
  text.length <= limits.result ? text
    : `${text.slice(0, limits.result)}\n[${text.length - limits.result} more characters are in the session itself]`

/** What a successful call touched, in a few words. */
const describeAccess = (access: Access.Access): ReadonlyArray<string> =>
  Access.Access.match(access, {
    Read: ({ path }) => [`read ${path}`],
    Edit: ({ path }) => [`changed ${path}`],
    Command: ({ command }) => [`ran ${command.split("\n", 1)[0]!.slice(0, 120)}`],
    Fetch: ({ url }) => [`fetched ${url}`],
    Browse: ({ url }) => [`opened ${url}`],
    Mcp: ({ server, tool }) => [`used ${tool} of ${server}`],
    Other: () => []
  })

const changedPaths = (event: Settled): ReadonlyArray<string> =>
  event._tag === "FileTouched" && event.by === "agent" && event.kind !== "read" ? [event.path] : []

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]
