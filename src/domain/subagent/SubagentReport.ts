/** A child's log, told as its report. */
import * as Access from "../tool/Access.ts"
import type { SessionEvent, Settled } from "../session/SessionEvent.ts"
import type { Session } from "../session/Session.ts"
import type { Report, Status } from "./Subagent.ts"

/** Characters of a result, and pieces of evidence, that the parent's log keeps: all of it stands in the child's own. */
const most = { result: 24_000, evidence: 12 }

/** What a child came to; `instead` stands for its result where it has none. */
export const of = (
  name: string,
  status: Status,
  events: ReadonlyArray<SessionEvent>,
  { budget, task }: Pick<Session, "budget" | "task">,
  instead?: string
): Report => {
  const ended = events.flatMap(({ event }) => event._tag === "ToolFinished" && event.outcome.ends === undefined ? [event] : [])
  const succeeded = new Set(ended.flatMap(({ call, outcome }) => outcome.status === "succeeded" ? [call] : []))
  const access = events.flatMap(({ event }) => event._tag === "ToolProposed" && succeeded.has(event.call) ? event.access : [])
  return {
    name,
    status,
    result: clip(instead ?? task.result),
    calls: ended.length,
    errors: ended.length - succeeded.size,
    evidence: distinct(access.flatMap(touched)).slice(0, most.evidence),
    changed: distinct(events.flatMap(({ event }) => changed(event))),
    spent: budget.spent
  }
}

const clip = (text: string): string =>
  text.length <= most.result ? text : `${text.slice(0, most.result)}\n[${text.length - most.result} more characters stand in the session itself]`

/** What a call that succeeded touched, in a few words. */
const touched = (access: Access.Access): ReadonlyArray<string> =>
  Access.Access.match(access, {
    Read: ({ path }) => [`read ${path}`],
    Edit: ({ path }) => [`changed ${path}`],
    Command: ({ command }) => [`ran ${command.split("\n", 1)[0]!.slice(0, 120)}`],
    Fetch: ({ url }) => [`fetched ${url}`],
    Browse: ({ url }) => [`opened ${url}`],
    Mcp: ({ server, tool }) => [`used ${tool} of ${server}`],
    Other: () => []
  })

const changed = (event: Settled): ReadonlyArray<string> =>
  event._tag === "FileTouched" && event.by === "agent" && event.kind !== "read" ? [event.path] : []

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]
