/** A newcomer's way: a local server that speaks Chat Completions, and no key; from `dacapo` to the first edit. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import * as Tmux from "../cli/support/Tmux.ts"
import { openAiChat } from "../../src/layers/testing/servers/openAiChat.ts"
import * as Server from "../../src/layers/testing/servers/Server.ts"

/** Before the scripted server stands what a local one answers about its models. */
const local = (model: string, chat: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = http.createServer((request, response) => {
        if (request.url === "/v1/models") return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ object: "list", data: [{ id: model, object: "model" }] }))
        if (request.method === "GET" || !request.url!.includes("/chat/completions")) return void response.writeHead(404).end()
        request.pipe(http.request(`${chat}${request.url}`, { method: "POST", headers: request.headers }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        }))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  )

it.effect("finds a local model, keeps the choice, asks for the first edit and makes it", () =>
  Effect.gen(function*() {
    const chat = yield* Server.start(openAiChat, [
      Server.ScriptedResponse.Says({ turn: { calls: [{ name: "read_file", params: { path: "hello.txt" } }] } }),
      Server.ScriptedResponse.Says({ turn: { calls: [{ name: "edit_file", params: { path: "hello.txt", old_text: "world", new_text: "reader" } }] } }),
      Server.ScriptedResponse.Says({ turn: { text: "It greets the reader now." } })
    ])
    const server = yield* local("qwen3-coder", chat.url)
    const nowhere = Object.fromEntries(["OLLAMA", "LMSTUDIO", "LLAMACPP"].map((name) => [`${name}_BASE_URL`, "http://127.0.0.1:9/v1"]))
    const environment = { ...nowhere, VLLM_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
    yield* Effect.promise(async () => {
      using place = Process.place()
      writeFileSync(join(place.cwd, "hello.txt"), "hello world\n")
      using terminal = Tmux.open(place, [], environment)
      await terminal.asks("› vllm/qwen3-coder (local)")
      terminal.press("Enter")
      await terminal.shows("Enter to send")
      terminal.type("greet the reader")
      terminal.press("Enter")
      await terminal.shows("y  Yes")
      terminal.press("y")
      await terminal.shows("It greets the reader now.")
      expect(readFileSync(join(place.cwd, "hello.txt"), "utf8")).toBe("hello reader\n")
      expect(JSON.parse(readFileSync(join(place.root, "home", "config.jsonc"), "utf8").replace(/^\/\/.*$/gm, ""))).toMatchObject({ model: "vllm/qwen3-coder" })
    })
  }).pipe(Effect.scoped))
