/** What has arrived of a response that is not settled yet, and of the output of running commands. */
import type { Live, SessionEvent } from "../../domain/session/SessionEvent.ts"

export interface LiveCall {
  readonly id: string
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface LiveResponse {
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyArray<LiveCall>
  /** The end of the output of each running call. */
  readonly output: ReadonlyMap<string, string>
  readonly notices: ReadonlyArray<string>
  readonly saving: { readonly saved: number; readonly total: number } | undefined
  /** The page joined in the middle of a response: its beginning comes when it is complete. */
  readonly isPartial: boolean
}

export const empty: LiveResponse = {
  text: "",
  reasoning: "",
  calls: [],
  output: new Map(),
  notices: [],
  saving: undefined,
  isPartial: false
}

/** How much of a command's output is shown while it runs, in characters. */
const maxOutput = 16_000

export const push = (live: LiveResponse, event: Live): LiveResponse => {
  switch (event._tag) {
    case "Parsed":
      switch (event.part._tag) {
        case "Text":
          return { ...live, text: live.text + event.part.text }
        case "Reasoning":
          return { ...live, reasoning: live.reasoning + event.part.text }
        case "ToolCall": {
          const { id, name, params } = event.part
          const call = { id, name, params }
          const exists = live.calls.some((one) => one.id === id)
          return { ...live, calls: exists ? live.calls.map((one) => one.id === id ? call : one) : [...live.calls, call] }
        }
      }
      return live
    case "Discarded":
      return { ...live, text: "", reasoning: "", calls: [], isPartial: false }
    case "Output": {
      const output = new Map(live.output)
      output.set(event.call, ((output.get(event.call) ?? "") + event.text).slice(-maxOutput))
      return { ...live, output }
    }
    case "Notice":
      return { ...live, notices: [...live.notices, event.text].slice(-20) }
    case "Saving":
      return { ...live, saving: { saved: event.saved, total: event.total } }
  }
}

/** A settled event ends what it settles. */
export const settle = (live: LiveResponse, { event }: SessionEvent): LiveResponse => {
  switch (event._tag) {
    case "ModelRequested":
    case "ModelResponded":
    case "ModelFailed":
      return { ...live, text: "", reasoning: "", calls: [], saving: undefined, isPartial: false }
    case "ToolFinished": {
      const output = new Map(live.output)
      output.delete(event.call)
      return { ...live, output }
    }
    case "CheckpointSaved":
      return { ...live, saving: undefined }
    case "TaskFinished":
    case "TaskFailed":
    case "Interrupted":
      return empty
    default:
      return live
  }
}
