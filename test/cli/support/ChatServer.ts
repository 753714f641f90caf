/** A server of Chat Completions on loopback, for the command line: what it was asked, and what a test lets it say. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Record<string, any>
}

/** A response by text and calls, or anything else by its status and JSON. */
export interface Reply {
  readonly status?: number
  readonly json?: object
  readonly text?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly params: object }>
  readonly usage?: object
}

const sse = (model: unknown, { calls = [], text, usage = { prompt_tokens: 2_000, completion_tokens: 5, total_tokens: 2_005 } }: Reply): string => {
  const chunk = (delta: object, finish_reason: string | null, more: object = {}) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model, choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
  const tool_calls = calls.map(({ name, params }, index) => ({ index, id: `call_${index}`, type: "function", function: { name, arguments: JSON.stringify(params) } }))
  return chunk({ role: "assistant", content: text ?? null, ...(calls.length === 0 ? {} : { tool_calls }) }, null) +
    chunk({}, calls.length === 0 ? "stop" : "tool_calls", { usage }) + "data: [DONE]\n\n"
}

/** `reply` is called for every request; the paths that it answers with undefined do not exist. */
export const start = async (reply: (asked: Asked, index: number) => Reply | undefined) => {
  const asked: Array<Asked> = []
  const server = http.createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part)).on("end", () => {
      const text = Buffer.concat(parts).toString()
      const { method = "", url = "", headers: { authorization } } = request
      const one: Asked = { method, path: url, authorization, body: text === "" ? {} : JSON.parse(text) as Record<string, any> }
      asked.push(one)
      const said = reply(one, asked.length - 1)
      if (said === undefined) return response.writeHead(404, { "content-type": "application/json" }).end("{}")
      if (said.json !== undefined || said.status !== undefined) {
        return response.writeHead(said.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(said.json ?? {}))
      }
      response.writeHead(200, { "content-type": "text/event-stream" }).end(sse(one.body["model"], said))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    asked,
    /** The bodies of requests to a model. */
    requests: () => asked.filter(({ method, path }) => method === "POST" && path.endsWith("/chat/completions")).map(({ body }) => body),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
