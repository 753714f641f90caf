/** Moments of a session at which hooks are due, as a fold over its events. */
import type { Settled } from "../session/SessionEvent.ts"
import type { Call } from "../session/Transcript.ts"
import * as ToolNames from "../tool/ToolNames.ts"
import type { HookRecord } from "./HookAnswer.ts"
import * as Hook from "./Hook.ts"

/**
 * A moment with matching hooks. `call` is the tool call that it concerns; `source` says what began the session, what
 * asked for a compaction, or what a notification is about; `text` is the prompt, the result or the message.
 */
export interface HookPoint {
  readonly event: Hook.HookEvent
  readonly call?: string
  readonly source?: string
  readonly text?: string
}

/**
 * `due` have not run yet, the first one first. `isStopChecked`: the hooks of the end ran and let the task end.
 * `isStopActive`: such a hook made the model continue. `isCompactChecked`: the hooks before the next compaction ran.
 */
export interface HookState {
  readonly due: ReadonlyArray<HookPoint>
  readonly isStopChecked: boolean
  readonly isStopActive: boolean
  readonly isCompactChecked: boolean
}

export const initial: HookState = { due: [], isStopChecked: false, isStopActive: false, isCompactChecked: false }

/** What this module reads of a session. */
interface HookedSession {
  readonly calls: ReadonlyArray<Call>
  readonly parent: string | undefined
  readonly settings: { readonly hooks?: ReadonlyArray<Hook.Hook> }
  readonly hooks: HookState
}

/** The hooks of a session for one point, in their order. */
export const hooksFor = (
  { calls, settings }: Pick<HookedSession, "calls" | "settings">,
  { call: id, event, source }: HookPoint
): ReadonlyArray<Hook.Hook> => {
  const hooks = (settings.hooks ?? []).filter((hook) => hook.event === event)
  if (hooks.length === 0) return hooks
  const name = calls.find(({ call }) => call.id === id)?.call.name
  const names = name !== undefined ? [name, ToolNames.claude.tool(name)] : source !== undefined ? [source] : undefined
  return names === undefined ? hooks : hooks.filter((hook) => Hook.matches(hook, names))
}

/** The end of a task, as hooks see it. */
export const stopPoint = ({ parent }: Pick<HookedSession, "parent">, text: string): HookPoint => ({
  event: parent === undefined ? "Stop" : "SubagentStop",
  text
})

/** What runs before a compaction that nobody asked for; undefined if that has run, or there is none. */
export const compactPoint = (session: HookedSession): HookPoint | undefined => {
  const point: HookPoint = { event: "PreCompact", source: "auto" }
  return session.hooks.isCompactChecked || hooksFor(session, point).length === 0 ? undefined : point
}

/** The state after an event; `session` is the one after it. A session without hooks has nothing to do. */
export const after = (session: HookedSession, event: Settled): HookState => {
  if (session.settings.hooks === undefined && session.hooks.due.length === 0) return session.hooks
  const isDue = (point: HookPoint) => hooksFor(session, point).length > 0
  const state = session.hooks
  switch (event._tag) {
    case "HookRan":
      return ran(state, event)
    case "UserSaid":
    case "ModelResponded":
      return { ...state, due: [...state.due, ...pointsOf(session, event).filter(isDue)], isStopChecked: false }
    case "ContextCompacted":
      return { ...state, due: [...state.due, ...pointsOf(session, event).filter(isDue)], isCompactChecked: false }
    case "Interrupted":
    case "Rewound":
    case "TaskFailed":
      return { ...initial, due: state.due.filter((point) => point.event === "SessionStart") }
    default: {
      const points = pointsOf(session, event).filter(isDue)
      return points.length === 0 ? state : { ...state, due: [...state.due, ...points] }
    }
  }
}

const ran = (state: HookState, { call, decision, hook }: HookRecord): HookState => {
  const index = state.due.findIndex((point) => point.event === hook && point.call === call)
  const isStop = hook === "Stop" || hook === "SubagentStop"
  return {
    due: index < 0 ? state.due : state.due.toSpliced(index, 1),
    isStopChecked: isStop && decision !== "deny",
    isStopActive: isStop ? decision === "deny" : state.isStopActive,
    isCompactChecked: hook === "PreCompact" || state.isCompactChecked
  }
}

const pointsOf = ({ calls, parent }: HookedSession, event: Settled): ReadonlyArray<HookPoint> => {
  switch (event._tag) {
    case "SessionStarted":
      return [
        parent === undefined ? { event: "SessionStart", source: event.origin === undefined ? "startup" : "resume" }
          : { event: "SubagentStart" }
      ]
    case "Resumed":
      return parent === undefined ? [{ event: "SessionStart", source: "resume" }] : []
    case "UserSaid":
      return parent === undefined ? [{ event: "UserPromptSubmit", text: event.text }] : []
    case "ModelResponded":
      return calls.flatMap(({ call, state }) => state === "new" ? [{ event: "PreToolUse", call: call.id }] : [])
    case "ApprovalDecided":
      return event.params === undefined ? [] : [{ event: "PreToolUse", call: event.call }]
    case "ToolProposed":
      return event.decision !== "ask" ? [] : [
        { event: "PermissionRequest", call: event.call },
        { event: "Notification", source: "permission_prompt", text: `dacapo needs your permission: ${event.reason}` }
      ]
    case "ToolFinished":
      return event.outcome.status === "succeeded" ? [{ event: "PostToolUse", call: event.call }]
        : event.outcome.status === "failed" ? [{ event: "PostToolUseFailure", call: event.call }]
        : []
    case "CompactionAsked":
      return [{ event: "PreCompact", source: "manual", text: event.words ?? "" }]
    case "ContextCompacted":
      return event.kind === "summary" || event.kind === "truncate"
        ? [{ event: "PostCompact", source: event.why === "asked" ? "manual" : "auto" }, { event: "SessionStart", source: "compact" }]
        : []
    default:
      return []
  }
}
