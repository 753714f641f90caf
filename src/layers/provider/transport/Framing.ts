/** How the bytes of a response are split into events. Each event is passed on as the text of its data. */
import * as AwsEventStream from "../../../domain/provider/AwsEventStream.ts"
import * as ServerSentEvents from "../../../domain/provider/ServerSentEvents.ts"

/** `push` returns undefined, or what is wrong with the bytes: then nothing more can be read. */
export interface Frames {
  readonly push: (bytes: Uint8Array) => string | undefined
  readonly end: () => void
}

/** `isWhole`: the data is the entire response, which was not streamed. */
export type OnData = (data: string, isWhole: boolean) => void

export type Framing = (contentType: string, onData: OnData) => Frames

/** The first character decides, because servers and the proxies before them often send another content type. */
export const sse: Framing = (contentType, onData) => {
  if (isJson(contentType)) return wholeBody(onData)
  let frames: Frames | undefined
  return {
    push: (bytes) => {
      const first = frames === undefined ? bytes.find((byte) => !blankBytes.has(byte)) : undefined
      if (frames === undefined && first === undefined) return undefined
      frames ??= first === BRACE || first === BRACKET ? wholeBody(onData)
        : first === LESS ? { push: () => htmlPage, end: () => {} }
        : sseFrames(onData)
      return frames.push(bytes)
    },
    end: () => frames?.end()
  }
}

const isJson = (contentType: string): boolean => /application\/(?:[\w.-]+\+)?json/i.test(contentType)

/** White space, and the bytes of a byte order mark. */
const blankBytes: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf])
const BRACE = 0x7b
const BRACKET = 0x5b
const LESS = 0x3c

/** What is wrong with a response that is an HTML page. */
export const htmlPage = "a web page instead of a response"

const sseFrames = (onData: OnData): Frames => {
  const text = new TextDecoder()
  let state = ServerSentEvents.initial()
  return {
    push: (bytes) => {
      const [next, events] = ServerSentEvents.push(state, text.decode(bytes, { stream: true }))
      state = next
      for (const data of events) onData(data, false)
      return state.problem
    },
    end: () => {}
  }
}

/** AWS frames, each as an object with one field: the type of the event, and its payload. */
export const awsEventStream: Framing = (contentType, onData) => {
  if (isJson(contentType)) return wholeBody(onData)
  const text = new TextDecoder()
  let state = AwsEventStream.initial()
  return {
    push: (bytes) => {
      const [next, frames] = AwsEventStream.push(state, bytes)
      state = next
      for (const { headers, payload } of frames) onData(awsEvent(headers, text.decode(payload)), false)
      return state.problem
    },
    end: () => {}
  }
}

const awsEvent = (headers: Readonly<Record<string, string>>, payload: string): string => {
  const type = headers[":event-type"] ?? headers[":exception-type"]
  return type === undefined
    ? JSON.stringify({ [headers[":error-code"] ?? "error"]: { message: headers[":error-message"] ?? payload } })
    : `{${JSON.stringify(type)}:${payload === "" ? "{}" : payload}}`
}

const wholeBody = (onData: OnData): Frames => {
  const text = new TextDecoder()
  const parts: Array<string> = []
  return {
    push: (bytes) => {
      parts.push(text.decode(bytes, { stream: true }))
      return undefined
    },
    end: () => onData(parts.join(""), true)
  }
}
