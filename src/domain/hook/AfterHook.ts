/** What the answer of hooks changes in a session. */
import type { Content } from "../message/Message.ts"
import type { Session } from "../session/SessionState.ts"
import type { HookRecord } from "./HookAnswer.ts"
import * as ToolCalls from "../session/ToolCalls.ts"

export const afterHook = (session: Session, event: HookRecord): Partial<Session> => {
  const { decision, hook } = event
  const isRefused = hook === "UserPromptSubmit" && decision === "deny"
  return {
    // The prompt that was refused reaches no model.
    pendingContent: [...session.pendingContent.filter((part) => !isRefused || "origin" in part), ...notesOf(event)],
    ...(event.call === undefined ? {} : { calls: callsAfter(session, event, event.call) }),
    // The model continues instead of ending.
    ...((hook === "Stop" || hook === "SubagentStop") && decision === "deny" ? { model: "awaited", nearMiss: undefined } : {})
  }
}

const callsAfter = ({ calls }: Session, { decision, hook, input, reason }: HookRecord, id: string): Session["calls"] => {
  const answer = decision === undefined ? {} : { hookAnswer: { decision, ...(reason === undefined ? {} : { reason }) } }
  switch (hook) {
    case "PreToolUse":
      return ToolCalls.update(calls, id, ({ call }) => ({ ...answer, call: input === undefined ? call : { ...call, params: input } }))
    case "PermissionRequest":
      return decision === "deny" ? ToolCalls.denyCall(calls, id, reason)
        : decision === "allow" ? ToolCalls.update(calls, id, ({ proposal }) => proposal?.risk === "high" ? {} : { state: "allowed" })
        : calls
    default:
      return calls
  }
}

/** What the model is told: the context of a hook, and why it objects to what has happened already. */
const notesOf = ({ context, decision, hook, reason }: HookRecord): ReadonlyArray<Content> => {
  const objection = decision === "deny" && !guards.has(hook) && reason !== undefined ? [reason] : []
  return [...objection, ...(context === undefined ? [] : [context])].map((text): Content => ({
    _tag: "Text",
    text: `[${hook} hook] ${text}`,
    origin: "reminder"
  }))
}

/** Their reason is the outcome of the call, or of the task. */
const guards: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest", "UserPromptSubmit"])

const decidesPrefix = "a PreToolUse hook decided: "

/** Why a call is judged as a hook says, for the log and for people. */
export const verdictReason = (why: string | undefined): string => `${decidesPrefix}${why}`

/** Whether a hook rather than a rule has decided. */
export const isVerdictReason = (reason: string): boolean => reason.startsWith(decidesPrefix)
