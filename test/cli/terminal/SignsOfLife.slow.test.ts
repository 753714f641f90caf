/** What the built command shows while a model is silent, thinks and writes. */
import { expect, it } from "@effect/vitest"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Process from "../support/Process.ts"
import * as Tmux from "../support/Tmux.ts"

it("says whether it waits for the model, or the model thinks or writes", async () => {
  using place = Process.place()
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  const server = createServer((request, response) => {
    request.resume()
    if (request.url?.endsWith("/chat/completions") === true) return resolve(response.writeHead(200, { "content-type": "text/event-stream" }))
    response.writeHead(404).end()
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  try {
    const environment = { VLLM_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
    using terminal = Tmux.open(place, ["--model", "vllm/silent", "hello"], environment)
    const model = await promise
    await terminal.shows(/. Waiting for the model \d+ s/)
    const send = (delta: object) =>
      model.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "silent", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`)
    send({ role: "assistant", content: "" })
    send({ reasoning_content: "Greetings are easy." })
    await terminal.shows(/. Thinking \d+ s/)
    send({ content: "Good morning" })
    expect(await terminal.shows(/. Writing \d+ s/)).toContain("Good morning")
    terminal.press("Escape")
    await terminal.shows("Interrupted.")
    model.end()
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
