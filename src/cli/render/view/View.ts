/**
 * What the user sees of a session: a pure fold over its events.
 * Untrusted text from models, tools, files and servers enters through `text`, whose brand every renderer requires.
 */
import * as ErrorReport from "../../../domain/ErrorReport.ts"
import * as Denial from "../../../domain/approval/Denial.ts"
import * as Message from "../../../domain/message/Message.ts"
import type { Content } from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import { durationText, maxServerPauseMs } from "../../../domain/provider/Retry.ts"
import * as Budget from "../../../domain/session/Budget.ts"
import type { Followed, Live, Settled } from "../../../domain/session/SessionEvent.ts"
import * as Usage from "../../../domain/session/Usage.ts"
import * as ImageLabels from "../terminal/ImageLabels.ts"
import type { Block, Tone } from "./Block.ts"
import * as StreamingResponse from "./StreamingResponse.ts"
import * as CallSummary from "./CallSummary.ts"
import * as ResultText from "./ResultText.ts"
import { describeAccess, describeCall, describeRead, label as describeLabel, seconds } from "./CallSummary.ts"
import { line, pushText, emptyStream, tail, text, type SafeText } from "./DisplayText.ts"
import { ownModel, resumed, type Call, type Status, type View } from "./ViewState.ts"
import type { HiddenEvent } from "./HiddenEvent.ts"

export { initial, type Call, type Pause, type Status, type View } from "./ViewState.ts"

export type { Block, Tone } from "./Block.ts"
export { emptyStream, line, pushText, tail, text, type SafeText, type TextStream } from "./DisplayText.ts"
export { describeAccess, seconds } from "./CallSummary.ts"

export const update = (view: View, followed: Followed): View => {
  if (followed._tag === "Settled") {
    return { ...view, saving: undefined, changedAt: followed.at.time, ...applySettled(view, followed.at.event, followed.at.time) }
  }
  const changes = applyLive(view, followed)
  return changes === undefined ? view : { ...view, ...changes }
}

const applyLive = (view: View, event: Live): Partial<View> | undefined => {
  switch (event._tag) {
    case "Parsed":
      switch (event.part._tag) {
        case "Text": {
          const [answer, fragment] = StreamingResponse.push(view.answer, event.part.text)
          const newBlocks = pendingThoughts(view)
          return {
            answer,
            streamedLength: view.streamedLength + event.part.text.length,
            ...(newBlocks.length === 0 ? {} : { thought: emptyStream, hasPrintedThoughts: true }),
            ...add(view, ...newBlocks, ...(fragment === undefined ? [] : [responseBlock(fragment)]))
          }
        }
        case "Reasoning":
          return { thought: pushText(view.thought, event.part.text), streamedLength: view.streamedLength + event.part.text.length }
        case "ToolCall": {
          const { id, name, params } = event.part
          return {
            calls: updateCall(view.calls, id, {
              label: describeCall(name, params),
              state: "writing",
              writtenLength: CallSummary.writtenLength(params),
              preview: CallSummary.previewLines(params)
            })
          }
        }
      }
      return undefined
    case "Discarded":
      return {
        ...(view.answer.printed === "" ? {} : addNote(view, "This attempt failed; ignore the partial response above.", "warn")),
        ...noResponse
      }
    case "Output":
      return {
        calls: view.calls.map((call) => call.id === event.call ? { ...call, output: tail(pushText(call.output, event.text), 4_000) } : call)
      }
    case "Notice":
      return add(view, note(event.text, "info"))
    case "Saving":
      return { saving: { saved: event.saved, total: event.total } }
  }
}

/** No response is streaming. */
const noResponse = {
  answer: StreamingResponse.empty,
  thought: emptyStream,
  streamedLength: 0,
  hasPrintedThoughts: false,
  calls: []
} satisfies Partial<View>

/** Events that the view does not show. A new event must be listed here or shown. */
type IgnoredEvent =
  | HiddenEvent
  | "BudgetExhausted"
  | "Rewound"

const applySettled = (view: View, event: Settled, time: number): Partial<View> | undefined => {
  const { status } = view
  switch (event._tag) {
    case "SessionStarted":
    case "Resumed":
      return {
        ...noteAssumedModel(view, event.settings),
        ...resumed(view, event._tag === "Resumed" && event.goOn),
        status: {
          ...status,
          mode: event.settings.mode,
          ...ownModel(event.settings.model),
          window: event.settings.model.window
        }
      }
    case "UserSaid":
      return {
        ...add(
          view,
          { _tag: "User", text: ImageLabels.shortenAttachments(text(event.text)), isQueued: event.delivery === "queue" && view.isWorking },
          ...(event.parts ?? []).flatMap((part): ReadonlyArray<Block> =>
            part._tag === "Text" && part.origin === "notice" ? [{ _tag: "Note", text: text(part.text), tone: "warn" }] : []
          )
        ),
        title: view.title === "" ? line(event.text.trim().split("\n", 1)[0]!) : view.title,
        isWorking: true,
        canContinue: false,
        taskTokens: view.isWorking ? view.taskTokens : 0,
        status: { ...status, queued: event.delivery === "queue" && view.isWorking ? status.queued + 1 : status.queued }
      }
    case "SessionNamed":
      return { title: line(event.name) }
    case "ContextPlanned":
      return {
        ...(event.included === undefined ? {} : add(view, note(CallSummary.includedFiles(event.included), "info"))),
        ...(event.facts?.git === undefined ? {} : { status: { ...status, branch: text(event.facts.git?.branch ?? "") } })
      }
    case "ModeSwitched":
      return { status: { ...status, mode: event.mode } }
    case "ModelSwitched":
      return {
        ...noteAssumedModel(view, event),
        status: { ...status, ...ownModel(event.model), window: event.model.window }
      }
    case "FallbackTaken":
      return {
        ...add(view, note(`${event.why} ${CallSummary.modelSwitch(status, event)}`, "warn")),
        pause: undefined,
        status: { ...status, ...ownModel(event.model), window: event.model.window }
      }
    case "ModelRequested":
      return {
        ...noResponse,
        ...add(view, ...newNotes(view, event.adapted ?? [])),
        pause: view.pause?.isWaiting === true ? view.pause : undefined,
        status: { ...status, model: text(event.model) }
      }
    case "ModelResponded":
      return {
        ...noResponse,
        lastResponse: Message.text(event.content) || view.lastResponse,
        pause: undefined,
        ...add(
          view,
          ...(view.hasPrintedThoughts ? pendingThoughts(view) : event.content.flatMap(thoughtBlocks)),
          ...StreamingResponse.remainder(view.answer, event.content).map(responseBlock),
          ...event.warnings.map((warning) => note(warning, "warn"))
        ),
        calls: event.content.flatMap((part) =>
          part._tag === "ToolCall"
            ? [{
              id: part.id,
              name: part.name,
              label: describeCall(part.name, part.params),
              readLabel: describeRead(part.name, part.params),
              kind: "read" as const,
              state: "waiting" as const,
              output: emptyStream
            }]
            : []
        ),
        taskTokens: view.taskTokens + event.usage.output,
        status: {
          ...status,
          tokens: Usage.inputTotal(event.usage) + event.usage.output,
          cost: status.cost + (event.cost ?? 0),
          cached: event.usage.cacheRead,
          estimated: status.estimated || event.usage.estimated === true
        }
      }
    case "ModelRetrying":
      return {
        ...add(view, {
          _tag: "Note",
          text: text(`Attempt ${event.attempt} failed: ${event.message} Retrying in ${seconds(event.delayMs)}.`),
          tone: "warn"
        }),
        pause: { until: time + event.delayMs, isWaiting: false },
        status: addCost(status, event.spent)
      }
    case "ModelWaiting":
      return {
        // Shown once; the countdown is in the hint line.
        ...(view.pause?.isWaiting === true ? {} : add(view, {
          _tag: "Note",
          text: text(
            `${event.message} Retrying ${
              event.delayMs > maxServerPauseMs ? `in ${durationText(event.delayMs)}` : `every ${seconds(event.delayMs)}`
            }.`
          ),
          tone: "warn"
        })),
        pause: { until: time + event.delayMs, isWaiting: true }
      }
    case "ModelFailed":
      return {
        ...noResponse,
        status: addCost(status, event.spent),
        ...add(
          view,
          ...StreamingResponse.unprinted(view.answer).map(responseBlock),
          ...(event.reason._tag === "Interrupted" || view.pause?.isWaiting === true || isLastNote(view, text(event.message)) ?
            []
            : [{ _tag: "Note", text: text(event.message), tone: "bad" } as const])
        )
      }
    case "ToolProposed": {
      const call = view.calls.find(({ id }) => id === event.call)
      const reads = event.access.every(({ _tag }) => _tag === "Read")
      const label = event.access.length === 0 ? undefined
        : reads ? call?.readLabel : describeLabel(event.access.map(describeAccess).join(", "))
      const remedy = Denial.remedy(event)
      return {
        calls: updateCall(view.calls, event.call, {
          kind: event.kind,
          ...(remedy === undefined ? {} : { remedy: text(remedy) }),
          ...(label === undefined ? {} : { label }),
          ...(event.decision === "ask" ? { approval: { action: event.action, risk: event.risk } } : {})
        })
      }
    }
    case "ApprovalAsked":
      return { calls: updateCall(view.calls, event.call, { state: "asked" }) }
    case "ApprovalDecided":
      return { calls: updateCall(view.calls, event.call, { state: "waiting" }) }
    case "ToolStarted":
      return { calls: updateCall(view.calls, event.call, { state: "running" }) }
    case "ToolFinished": {
      const call = view.calls.find(({ id }) => id === event.call)
      const { content, display, ends, status, todo, view: resultView } = event.outcome
      const isShownElsewhere = status === "succeeded" && (ends !== undefined || todo !== undefined) // as the task result, in the todo list
      return {
        ...(isShownElsewhere ? {} : add(view, {
          _tag: "Tool",
          label: call?.label ?? text(event.call),
          status,
          kind: call?.kind ?? "read",
          result: ResultText.withRemedy(ResultText.of(status, text(Message.text(content)), call?.output.safe ?? text("")), call?.remedy),
          display: display === undefined ? undefined : text(display),
          ...(display !== undefined && wasShown(view, text(display)) ? { wasShown: true } as const : {}),
          ...(resultView === undefined ? {} : { view: resultView })
        })),
        calls: view.calls.filter(({ id }) => id !== event.call)
      }
    }
    case "BudgetSettled":
    case "ToolsChanged":
      return add(
        view,
        ...(event._tag === "ToolsChanged" ? event.notes : Budget.settlementNotes(event)).map((message) => note(message, "warn"))
      )
    case "ContextCompacted":
      return add(view, note(CallSummary.describe(event), event.failed === undefined ? "info" : "warn"))
    case "CheckpointsOff":
      return add(view, note(`Checkpoints are off: ${event.why}`, "warn"))
    case "TodoUpdated":
      return { todo: event.items.map((item) => ({ text: text(item.text), state: item.state })) }
    case "Reminded":
      return add(view, note(`Reminder to the model: ${event.text}`, "info"))
    case "Interrupted": {
      const started = view.calls.filter(({ state }) => state !== "writing")
      return {
        ...add(
          view,
          ...pendingThoughts(view),
          ...StreamingResponse.unprinted(view.answer).map(responseBlock),
          // Calls that were interrupted say so themselves.
          ...(started.length === 0 ? [interruption] : [])
        ),
        calls: started,
        answer: StreamingResponse.empty,
        thought: emptyStream,
        pause: undefined,
        isWorking: false,
        canContinue: view.isWorking || view.canContinue
      }
    }
    case "TaskFinished": {
      return {
        ...(event.result === "" || isLastResponse(view, event.result) ? {}
          : { ...add(view, { _tag: "End", text: text(event.result), tone: "good" }), lastResponse: event.result }),
        calls: [],
        isWorking: status.queued > 0,
        canContinue: false,
        status: { ...status, queued: 0 }
      }
    }
    case "TaskFailed": {
      const last = view.blocks.at(-1)
      const message = text(ErrorReport.line(ErrorReport.ofTask(event)))
      const isNoted = last?._tag === "Note" && message.startsWith(last.text)
      const remaining = (isNoted ? message.slice(last.text.length).trim() : message) as SafeText
      return {
        ...(remaining === "" ? {} : add(view, isNoted ? note(remaining, "warn") : { _tag: "End", text: remaining, tone: "bad" })),
        calls: [],
        pause: undefined,
        isWorking: false,
        canContinue: event.reason === "provider"
      }
    }
    default:
      event._tag satisfies IgnoredEvent
      return undefined
  }
}

/** Whether the question about a call showed this diff in full. */
const wasShown = ({ blocks }: View, diff: SafeText): boolean =>
  blocks.slice(-20).some((block) =>
    block._tag === "Diff" ? block.diff === diff
      : block._tag === "Approval" && block.diff === diff && diff.split("\n").length <= block.diffRows
  )

const interruption: Block = { _tag: "End", text: text("Interrupted."), tone: "warn" }

const note = (message: string, tone: Tone): Block => ({ _tag: "Note", text: text(message), tone })

/** Adds a note. */
export const addNote = (view: View, message: string, tone: Tone): View => ({ ...view, ...add(view, note(message, tone)) })

/** Appends blocks in place. */
export const add = (view: View, ...blocks: ReadonlyArray<Block>): Pick<View, "blocks"> => {
  ;(view.blocks as Array<Block>).push(...blocks)
  return { blocks: view.blocks }
}

/** Adds the cost of a failed attempt. */
const addCost = (status: Status, spent: Usage.Spending | undefined): Status =>
  spent === undefined ? status : { ...status, cost: status.cost + (spent.cost ?? 0), estimated: true }

/** Notes the assumptions about a model that is not in the catalogue. */
const noteAssumedModel = (view: View, choice: Model.ModelChoice): Pick<View, "blocks"> =>
  add(view, ...(choice.model.assumed !== true ? [] : newNotes(view, [CallSummary.assumedModel(choice)])))

/** Whether the view ends with this note: a second attempt failed as the first one did. */
const isLastNote = ({ blocks }: View, note: SafeText): boolean => {
  const last = blocks.at(-1)
  return last?._tag === "Note" && last.text === note
}

/** Whether the text that the model wrote last is this result, and nothing but notes came after it. */
const isLastResponse = ({ blocks, lastResponse }: View, result: string): boolean =>
  result === lastResponse && blocks.findLast(({ _tag }) => _tag !== "Note")?._tag === "Response"

/** Notes that the view does not show yet. */
const newNotes = ({ blocks }: View, notes: ReadonlyArray<string>): ReadonlyArray<Block> =>
  notes.map(text).filter((note) => !blocks.some((block) => block._tag === "Note" && block.text === note)).map((text): Block => ({
    _tag: "Note",
    text,
    tone: "info"
  }))

const updateCall = (calls: ReadonlyArray<Call>, id: string, changes: Partial<Call>): ReadonlyArray<Call> =>
  calls.some((call) => call.id === id)
    ? calls.map((call) => call.id === id ? { ...call, ...changes } : call)
    : [...calls, { id, label: text(id), kind: "read", state: "waiting", output: emptyStream, ...changes }]

/** Whether a view contains Markdown. */
export const hasText = ({ answer, blocks }: View): boolean =>
  StreamingResponse.hasText(answer) || blocks.some(({ _tag }) => _tag === "Response" || _tag === "End")

const responseBlock = (fragment: StreamingResponse.Fragment): Block => ({ _tag: "Response", ...fragment })

const thoughtBlocks = (part: Content): ReadonlyArray<Block> => part._tag === "Reasoning" ? thoughtBlock(text(part.text)) : []

/** Reasoning that is not printed yet. */
const pendingThoughts = ({ thought }: View): ReadonlyArray<Block> => thought.safe === "" ? [] : thoughtBlock(thought.safe)

const thoughtBlock = (text: SafeText): ReadonlyArray<Block> =>
  text.trim() === "" ? [] : [{ _tag: "Reasoning", text: text.trim() as SafeText }]
