/**
 * A model provider on loopback: checks every request as the real one does, then gives the next of its answers, or
 * the fault that stands in its place.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { type Answered, type Asked, refusal, type Wire } from "./Wire.ts"

/**
 * - `Says`: a whole answer. `Fails`: an error answer, checked or not. `Raw`: bytes as they stand under status 200.
 * - `Breaks`: the socket dies after so many frames. `Ends`: the answer ends early, but in good form.
 * - `Hangs`: silence after so many frames; −1: before the headers. `Resets`: the socket dies before any answer.
 */
export type Answer = Data.TaggedEnum<{
  Says: { readonly turn: Answered }
  Fails: { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  Raw: { readonly parts: ReadonlyArray<string | Uint8Array>; readonly headers?: Readonly<Record<string, string>> }
  Breaks: { readonly turn: Answered; readonly after: number }
  Ends: { readonly turn: Answered; readonly after: number }
  Hangs: { readonly turn: Answered; readonly after: number }
  Resets: {}
}>
export const Answer = Data.taggedEnum<Answer>()

export interface Server {
  /** Without a path. */
  readonly url: string
  /** Every request so far, refused ones too. */
  readonly requests: ReadonlyArray<Asked>
  /** Names of the rules that refused, in order. */
  readonly refused: ReadonlyArray<string>
  /** Resolves when a connection that was being answered is gone. */
  readonly closed: Effect.Effect<void>
}

type Answers = ReadonlyArray<Answer> | ((asked: Asked, place: number) => Answer)

/** Lives as long as the scope. An answer list that is used up answers 500 and says so. */
export const start = (wire: Wire, answers: Answers): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function*() {
    const requests: Array<Asked> = []
    const refused: Array<string> = []
    const gone = yield* Effect.sync(() => Promise.withResolvers<void>())
    let place = 0
    const next = (asked: Asked): Answer => {
      const at = place++
      return typeof answers === "function"
        ? answers(asked, at)
        : answers[at] ?? Answer.Fails({ status: 500, body: wire.error(500, `The script of ${answers.length} answers is over.`) })
    }
    const server = http.createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        const asked = read(request, Buffer.concat(parts).toString("utf8"))
        requests.push(asked)
        response.on("close", () => {
          if (!response.writableFinished) gone.resolve()
        })
        const wrong = refusal(wire, asked)
        if (wrong !== undefined) {
          refused.push(wrong.rule.name)
          send(response, wrong.rule.status, wire.error(wrong.rule.status, wrong.message, wrong.rule), wire.errorHeaders?.(wrong.rule.status, wrong.rule))
        } else give(wire, next(asked), asked, request, response)
      })
    })
    yield* Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    })
    yield* Effect.addFinalizer(() =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
    )
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      requests,
      refused,
      closed: Effect.promise(() => gone.promise)
    }
  })

const read = (request: http.IncomingMessage, text: string): Asked => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]))
  return { method: request.method ?? "", path: (request.url ?? "").replace(/\?.*/, ""), headers, text, body }
}

const send = (response: http.ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  response.writeHead(status, { "content-type": typeof body === "string" ? "text/plain" : "application/json", "request-id": "req_scripted", ...headers })
  response.end(text)
}

const give = (wire: Wire, answer: Answer, asked: Asked, request: http.IncomingMessage, response: http.ServerResponse): void => {
  const head = { "content-type": wire.contentType ?? "text/event-stream; charset=utf-8", "request-id": "req_scripted" }
  const some = (turn: Answered, after: number) => Buffer.concat(wire.frames(turn, asked).slice(0, after).map((frame) => Buffer.from(frame)))
  Answer.$match(answer, {
    Says: ({ turn }) => {
      response.writeHead(200, head)
      for (const frame of wire.frames(turn, asked)) response.write(frame)
      response.end()
    },
    Fails: ({ body, headers, status }) => send(response, status, body ?? wire.error(status, http.STATUS_CODES[status] ?? "Error"), { ...wire.errorHeaders?.(status), ...headers }),
    Raw: ({ headers, parts }) => {
      response.writeHead(200, { ...head, ...headers })
      let sent = Promise.resolve()
      for (const part of parts) sent = sent.then(() => written(response, part))
      void sent.then(() => response.end())
    },
    Breaks: ({ after, turn }) => {
      response.writeHead(200, head)
      response.write(some(turn, after), () => request.socket.destroy())
    },
    Ends: ({ after, turn }) => {
      response.writeHead(200, head)
      response.end(some(turn, after))
    },
    Hangs: ({ after, turn }) => {
      if (after < 0) return
      response.writeHead(200, head)
      response.write(some(turn, after))
    },
    Resets: () => {
      request.socket.destroy()
    }
  })
}

/** Each part in a write of its own, so that cuts fall where the test puts them. */
const written = (response: http.ServerResponse, part: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    response.write(part, () => {
      setImmediate(resolve)
    })
  })
