/**
 * A model provider on loopback: checks every request as the real one does, then returns the next of its responses, or
 * the fault scripted in its place.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { type ScriptedTurn, type WireRequest, refusal, type Wire } from "./Wire.ts"

/**
 * - `Says`: a complete response. `Fails`: an error response, checked or not. `Raw`: these bytes under status 200.
 * - `Breaks`: the socket dies after this many frames. `Ends`: the response ends early, but in good form.
 * - `Hangs`: silence after this many frames; −1: before the headers. `Resets`: the socket dies before any response.
 */
export type ScriptedResponse = Data.TaggedEnum<{
  Says: { readonly turn: ScriptedTurn }
  Fails: { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  Raw: { readonly parts: ReadonlyArray<string | Uint8Array>; readonly headers?: Readonly<Record<string, string>> }
  Breaks: { readonly turn: ScriptedTurn; readonly after: number }
  Ends: { readonly turn: ScriptedTurn; readonly after: number }
  Hangs: { readonly turn: ScriptedTurn; readonly after: number }
  Resets: {}
}>
export const ScriptedResponse = Data.taggedEnum<ScriptedResponse>()

export interface Server {
  /** Without a path. */
  readonly url: string
  /** Every request so far, rejected ones too. */
  readonly requests: ReadonlyArray<WireRequest>
  /** Names of the rules that rejected requests, in order. */
  readonly refused: ReadonlyArray<string>
  /** Resolves when a connection closes during its response. */
  readonly closed: Effect.Effect<void>
}

type ResponseScript = ReadonlyArray<ScriptedResponse> | ((wireRequest: WireRequest, index: number) => ScriptedResponse)

/** Lives as long as the scope. An exhausted list of responses answers 500 with a message. */
export const start = (wire: Wire, responses: ResponseScript): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function*() {
    const requests: Array<WireRequest> = []
    const refused: Array<string> = []
    const disconnection = yield* Effect.sync(() => Promise.withResolvers<void>())
    let position = 0
    const next = (wireRequest: WireRequest): ScriptedResponse => {
      const index = position++
      return typeof responses === "function"
        ? responses(wireRequest, index)
        : responses[index] ??
          ScriptedResponse.Fails({ status: 500, body: wire.error(500, `The script of ${responses.length} answers is over.`) })
    }
    const server = http.createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        const wireRequest = read(request, Buffer.concat(parts).toString("utf8"))
        requests.push(wireRequest)
        response.on("close", () => {
          if (!response.writableFinished) disconnection.resolve()
        })
        const violation = refusal(wire, wireRequest)
        if (violation !== undefined) {
          refused.push(violation.rule.name)
          send(
            response,
            violation.rule.status,
            wire.error(violation.rule.status, violation.message, violation.rule),
            wire.errorHeaders?.(violation.rule.status, violation.rule)
          )
        } else sendScripted(wire, next(wireRequest), wireRequest, request, response)
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
      closed: Effect.promise(() => disconnection.promise)
    }
  })

const read = (request: http.IncomingMessage, text: string): WireRequest => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value])
  )
  return { method: request.method ?? "", path: (request.url ?? "").replace(/\?.*/, ""), headers, text, body }
}

const send = (response: http.ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  response.writeHead(status, {
    "content-type": typeof body === "string" ? "text/plain" : "application/json",
    "request-id": "req_scripted",
    ...headers
  })
  response.end(text)
}

const sendScripted = (
  wire: Wire,
  script: ScriptedResponse,
  wireRequest: WireRequest,
  request: http.IncomingMessage,
  response: http.ServerResponse
): void => {
  const head = { "content-type": wire.contentType ?? "text/event-stream; charset=utf-8", "request-id": "req_scripted" }
  const firstFrames = (turn: ScriptedTurn, after: number) =>
    Buffer.concat(wire.frames(turn, wireRequest).slice(0, after).map((frame) => Buffer.from(frame)))
  ScriptedResponse.$match(script, {
    Says: ({ turn }) => {
      response.writeHead(200, head)
      for (const frame of wire.frames(turn, wireRequest)) response.write(frame)
      response.end()
    },
    Fails: ({ body, headers, status }) =>
      send(response, status, body ?? wire.error(status, http.STATUS_CODES[status] ?? "Error"), {
        ...wire.errorHeaders?.(status),
        ...headers
      }),
    Raw: ({ headers, parts }) => {
      response.writeHead(200, { ...head, ...headers })
      let pending = Promise.resolve()
      for (const part of parts) pending = pending.then(() => writePart(response, part))
      void pending.then(() => response.end())
    },
    Breaks: ({ after, turn }) => {
      response.writeHead(200, head)
      response.write(firstFrames(turn, after), () => request.socket.destroy())
    },
    Ends: ({ after, turn }) => {
      response.writeHead(200, head)
      response.end(firstFrames(turn, after))
    },
    Hangs: ({ after, turn }) => {
      if (after < 0) return
      response.writeHead(200, head)
      response.write(firstFrames(turn, after))
    },
    Resets: () => {
      request.socket.destroy()
    }
  })
}

/** Each part in a separate write, so that cuts fall where the test puts them. */
const writePart = (response: http.ServerResponse, part: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    response.write(part, () => {
      setImmediate(resolve)
    })
  })
