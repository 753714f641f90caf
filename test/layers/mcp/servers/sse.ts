/**
 * A server that speaks the older way over HTTP (protocol 2024-11-05): one stream of events for what it says, whose first event names
 * the address for what it is told. Written by hand, so that nothing of the SDK is on both ends.
 */
import * as Effect from "effect/Effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } }
}

const tool = { name: "work", description: "Says it again.", inputSchema: { type: "object", properties: { text: { type: "string" } } } }

const answers: Readonly<Record<string, (params: Request["params"]) => unknown>> = {
  initialize: () => ({ protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "older", version: "1" } }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": (params) => ({ content: [{ type: "text", text: `again: ${params?.arguments?.text ?? ""}` }] }),
  ping: () => ({})
}

/** The address of its stream, until the scope closes. Asked for "gone" it closes the stream in the middle of the call. */
export const sse = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly streams: () => number; readonly close: () => void }>((resume) => {
    let streams = 0
    let stream: ServerResponse | undefined
    const say = (event: string, data: string) => stream?.write(`event: ${event}\ndata: ${data}\n\n`)
    const heard = async (request: IncomingMessage): Promise<void> => {
      let text = ""
      for await (const chunk of request) text += chunk
      const { id, method, params } = JSON.parse(text) as Request
      if (params?.arguments?.text === "gone") return void stream?.destroy()
      if (id === undefined) return
      const answer = answers[method]
      say("message", JSON.stringify({ jsonrpc: "2.0", id, ...(answer === undefined ? { error: { code: -32601, message: "There is no such method" } } : { result: answer(params) }) }))
    }
    const server = createServer((request, response) => {
      const path = request.url ?? ""
      if (request.method === "GET" && path === "/sse") {
        streams++
        stream = response.writeHead(200, { "content-type": "text/event-stream" })
        return void say("endpoint", "/said")
      }
      if (request.method === "POST" && path === "/said") return void heard(request).finally(() => response.writeHead(202).end())
      response.writeHead(request.method === "POST" ? 405 : 404).end()
    })
    server.listen(0, "127.0.0.1", () =>
      resume(Effect.succeed({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
        streams: () => streams,
        close: () => (server.closeAllConnections(), server.close())
      })))
  }),
  ({ close }) => Effect.sync(close)
)
