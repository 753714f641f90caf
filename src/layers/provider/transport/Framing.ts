/** How the bytes of an answer are cut into events; each event goes on as the text of its data. */
import * as EventStream from "../../../domain/provider/AwsEventStream.ts"
import * as ServerSentEvents from "../../../domain/provider/ServerSentEvents.ts"

/** `push` gives undefined, or what is wrong with the bytes: then nothing more can be read. */
export interface Frames {
  readonly push: (bytes: Uint8Array) => string | undefined
  readonly end: () => void
}

export type Framing = (contentType: string, take: (data: string) => void) => Frames

/** Server-sent events; a server that streams nothing sends one JSON text instead. */
export const sse: Framing = (contentType, take) => {
  if (/application\/json/i.test(contentType)) return whole(take)
  const text = new TextDecoder()
  let state = ServerSentEvents.initial()
  return {
    push: (bytes) => {
      const [next, events] = ServerSentEvents.push(state, text.decode(bytes, { stream: true }))
      state = next
      for (const data of events) take(data)
      return state.wrong
    },
    end: () => {}
  }
}

/** Frames of AWS, each as an object with one field: the kind of the event, and its payload. */
export const eventStream: Framing = (contentType, take) => {
  if (/application\/json/i.test(contentType)) return whole(take)
  const text = new TextDecoder()
  let state = EventStream.initial()
  return {
    push: (bytes) => {
      const [next, frames] = EventStream.push(state, bytes)
      state = next
      for (const { headers, payload } of frames) take(told(headers, text.decode(payload)))
      return state.wrong
    },
    end: () => {}
  }
}

const told = (headers: Readonly<Record<string, string>>, payload: string): string => {
  const kind = headers[":event-type"] ?? headers[":exception-type"]
  return kind === undefined
    ? JSON.stringify({ [headers[":error-code"] ?? "error"]: { message: headers[":error-message"] ?? payload } })
    : `{${JSON.stringify(kind)}:${payload === "" ? "{}" : payload}}`
}

const whole = (take: (data: string) => void): Frames => {
  const text = new TextDecoder()
  const parts: Array<string> = []
  return {
    push: (bytes) => {
      parts.push(text.decode(bytes, { stream: true }))
      return undefined
    },
    end: () => take(parts.join(""))
  }
}
