/** The updates of the Agent Client Protocol for a session's client events: one fold, used live and for the history alike. */
import * as Table from "../../domain/Table.ts"
import type { PlanEntry, SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk"
import * as Result from "effect/Result"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import * as UnifiedDiff from "../../domain/diff/UnifiedDiff.ts"
import * as Message from "../../domain/message/Message.ts"
import type { Content } from "../../domain/message/Message.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import type { Access } from "../../domain/tool/Access.ts"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import type { ResultView } from "../../domain/tool/ResultView.ts"
import * as ResultViewLines from "../render/text/ResultViewLines.ts"
import { plain } from "../render/text/Theme.ts"
import * as CallSummary from "../render/view/CallSummary.ts"
import * as ResultText from "../render/view/ResultText.ts"
import * as View from "../render/view/View.ts"

/** How much of a running call's output an update shows. */
const maxOutput = 4_000

/** `streamed` is the part of the current response that was sent; `calls` are the calls that the client knows. */
interface State {
  streamed: { text: string; thought: string }
  lastText: string
  readonly calls: Set<string>
  readonly output: Map<string, string>
  window: number
  cost: number
}

/**
 * `cwd` makes paths absolute, as the protocol wants them. `showsUser`: the client does not show the user's messages by itself.
 * `hasTerminal`: a terminal of the client shows the output of a call.
 */
export interface Options {
  readonly cwd: string
  readonly showsUser: () => boolean
  readonly hasTerminal: (call: string) => boolean
}

/** A step: the updates for an event. It belongs to one session of one client. */
export const make = ({ cwd, hasTerminal, showsUser }: Options): (event: ClientEvent) => ReadonlyArray<SessionUpdate> => {
  const state: State = {
    streamed: { text: "", thought: "" },
    lastText: "",
    calls: new Set(),
    output: new Map(),
    window: 0,
    cost: 0
  }

  const absolute = (path: string): string => path.startsWith("/") ? path : `${cwd}/${path}`

  const startCall = (id: string, name: string, params: unknown): ReadonlyArray<SessionUpdate> => {
    if (state.calls.has(id))
      return [{ sessionUpdate: "tool_call_update", toolCallId: id, title: CallSummary.describeCall(name, params), rawInput: params }]
    state.calls.add(id)
    return [{
      sessionUpdate: "tool_call",
      toolCallId: id,
      title: CallSummary.describeCall(name, params),
      kind: Table.entry(toolKinds, name) ?? "other",
      status: "pending",
      rawInput: params
    }]
  }

  /** What of a complete response has not been sent yet: all of it in a history, nothing after a whole stream. */
  const remainder = (content: ReadonlyArray<Content>): ReadonlyArray<SessionUpdate> => {
    const { text, thought } = state.streamed
    state.streamed = { text: "", thought: "" }
    const isStreamed = text !== "" || thought !== ""
    return content.flatMap((part): ReadonlyArray<SessionUpdate> => {
      if (part._tag === "ToolCall") return startCall(part.id, part.name, part.params)
      if (part._tag === "Text") state.lastText = part.text
      if (isStreamed) return []
      if (part._tag === "Text" && part.text !== "") return [chunk("agent_message_chunk", part.text)]
      return part._tag === "Reasoning" && part.text !== "" ? [chunk("agent_thought_chunk", part.text)] : []
    })
  }

  const settled = ({ event }: SessionEvent): ReadonlyArray<SessionUpdate> => {
    switch (event._tag) {
      case "SessionStarted":
      case "Resumed":
        state.window = event.settings.model.window
        return []
      case "SessionNamed":
        return [{ sessionUpdate: "session_info_update", title: event.name }]
      case "UserSaid":
        return showsUser() ? [chunk("user_message_chunk", event.text)] : []
      case "ModelSwitched":
        state.window = event.model.window
        return []
      case "ModeSwitched":
        return [{ sessionUpdate: "current_mode_update", currentModeId: event.mode }]
      case "ModelResponded": {
        state.cost += event.cost ?? 0
        const { cacheRead, cacheWrite, input, output } = event.usage
        return [
          ...remainder(event.content),
          {
            sessionUpdate: "usage_update",
            used: input + cacheRead + cacheWrite + output,
            size: state.window,
            cost: { amount: state.cost, currency: "USD" }
          }
        ]
      }
      case "ToolProposed":
        return [{
          sessionUpdate: "tool_call_update",
          toolCallId: event.call,
          locations: locations(event.access, absolute),
          ...(event.access.length === 0 ? {} : { title: CallSummary.label(event.access.map(CallSummary.describeAccess).join(", ")) })
        }]
      case "ToolStarted":
        return [{ sessionUpdate: "tool_call_update", toolCallId: event.call, status: "in_progress" }]
      case "ToolFinished":
        state.output.delete(event.call)
        return [{
          sessionUpdate: "tool_call_update",
          toolCallId: event.call,
          status: event.outcome.status === "succeeded" ? "completed" : "failed",
          ...(hasTerminal(event.call) ? {} : { content: outcomeContent(event.outcome, absolute) }),
          ...(event.outcome.view === undefined ? {} : { rawOutput: { view: event.outcome.view } })
        }]
      case "TodoUpdated":
        return [{ sessionUpdate: "plan", entries: event.items.map(planEntry) }]
      case "ContextCompacted":
        return event.why === "asked" ? [chunk("agent_message_chunk", CallSummary.describe(event))] : []
      case "TaskFinished":
        // A tool may end the task with a result that the model did not write as text: a plan, for example.
        return event.result === "" || event.result === state.lastText ? [] : [chunk("agent_message_chunk", event.result)]
      default:
        return []
    }
  }

  return (event) => {
    switch (event._tag) {
      case "Settled":
        return settled(event.at)
      case "Parsed": {
        const { part } = event
        if (part._tag === "ToolCall") {
          return part.malformed !== undefined || (part.partial && state.calls.has(part.id)) ? []
            : startCall(part.id, part.name, part.params)
        }
        if (part.text === "") return []
        if (part._tag === "Text") state.streamed.text += part.text
        else state.streamed.thought += part.text
        return [chunk(part._tag === "Text" ? "agent_message_chunk" : "agent_thought_chunk", part.text)]
      }
      case "Discarded":
        state.streamed = { text: "", thought: "" }
        return []
      case "Output": {
        if (hasTerminal(event.call)) return []
        const output = ((state.output.get(event.call) ?? "") + event.text).slice(-maxOutput)
        state.output.set(event.call, output)
        return [{ sessionUpdate: "tool_call_update", toolCallId: event.call, content: [textContent(output)] }]
      }
      default:
        return []
    }
  }
}

const chunk = (
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: string
): SessionUpdate => ({ sessionUpdate, content: { type: "text", text } })

const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } })

const planEntry = ({ state, text }: NonNullable<Outcome["todo"]>[number]): PlanEntry => ({
  content: text,
  priority: "medium",
  status: state === "done" ? "completed" : state
})

/** Tools by what they do, as clients choose icons by it. */
const toolKinds: Readonly<Record<string, ToolKind>> = {
  apply_patch: "edit",
  ask_user: "other",
  browser: "fetch",
  delegate: "think",
  edit_file: "edit",
  fetch_url: "fetch",
  web_search: "fetch",
  list_definitions: "search",
  list_files: "search",
  read_file: "read",
  run_command: "execute",
  search_files: "search",
  update_todo: "think",
  write_file: "edit",
  write_files: "edit"
}

const locations = (access: ReadonlyArray<Access>, absolute: (path: string) => string): Array<ToolCallLocation> =>
  access.flatMap((one) => one._tag === "Read" || one._tag === "Edit" ? [{ path: absolute(one.path) }] : [])

const outcomeContent = ({ content, display, status, view }: Outcome, absolute: (path: string) => string): Array<ToolCallContent> => {
  if (view !== undefined) return viewContent(view, absolute)
  const diffs = display === undefined ? [] : diffContent(display, absolute)
  const text = View.text(Message.text(content))
  return diffs.length > 0 || text === "" ? diffs : [textContent(status === "failed" ? ResultText.withoutSteps(text) : text)]
}

/** A view as a client shows it: a diff as diffs, anything else as aligned text in a code block, where nothing in it is Markdown. */
const viewContent = (view: ResultView, absolute: (path: string) => string): Array<ToolCallContent> => {
  const diffs = view.type === "diff" ? diffContent(view.diff, absolute) : []
  return diffs.length > 0 ? diffs : [textContent(codeBlock(ResultViewLines.lines(view, plain).join("\n")))]
}

/** A fenced block, with more backticks than the text contains. */
const codeBlock = (text: string): string => {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${fence}\n${text}\n${fence}`
}

/** A unified diff as the diffs of the protocol: the lines of each hunk before and after. Empty for any other text. */
export const diffContent = (diff: string, absolute: (path: string) => string): Array<ToolCallContent> => {
  const parsed = UnifiedDiff.parse(diff)
  if (Result.isFailure(parsed)) return []
  return parsed.success.files.flatMap((file): ReadonlyArray<ToolCallContent> => {
    const { path } = file
    if (path === undefined) return []
    if (file._tag === "Add") return [{ type: "diff", path: absolute(path), oldText: null, newText: file.content }]
    if (file._tag !== "Update") return []
    return file.blocks.map(({ replace, search }): ToolCallContent => ({
      type: "diff",
      path: absolute(path),
      oldText: search.join("\n"),
      newText: replace.join("\n")
    }))
  })
}
