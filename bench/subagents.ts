/**
 * Eight subagents of one call: how far apart their first requests are, and the processor time and memory of each until then. The model
 * server is a process of its own; it answers when all eight have asked. The first call runs cold, the others with compiled code.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createAgent } from "../src/layers/createAgent.ts"
import { anthropic } from "../src/layers/testing/servers/anthropic.ts"
import { median, report, type Row } from "./measure.ts"

const count = 8
const rounds = Number(process.env["ROUNDS"] ?? 5)

/** From the server: where it listens; a call was requested; all subagents have asked, at these times in ms. */
type Message = { readonly url: string } | { readonly delegated: true } | { readonly asked: ReadonlyArray<number> }
const tell = (message: Message) => process.send?.(message)

const serve = () => {
  let waiting: Array<ServerResponse> = []
  let asked: Array<number> = []
  const answer = (response: ServerResponse, turn: Parameters<typeof anthropic.frames>[0], request: Parameters<typeof anthropic.frames>[1]) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(anthropic.frames(turn, request).join(""))
  const done = { text: "Done." }
  const server = createServer((incoming, response) => {
    let text = ""
    incoming.setEncoding("utf8").on("data", (part: string) => text += part).on("end", () => {
      const request = { method: "POST", path: incoming.url ?? "", headers: {}, text, body: JSON.parse(text) as unknown }
      // The result, and the request for an overview of the reports.
      if (/"tool_result"|<\/overview>/.test(text)) return answer(response, done, request)
      if (!text.includes("bench-part-")) {
        tell({ delegated: true })
        const tasks = Array.from({ length: count }, (_, i) => ({ prompt: `bench-part-${i}` }))
        return answer(response, { calls: [{ name: "delegate", params: { tasks } }] }, request)
      }
      waiting.push(response)
      asked.push(performance.timeOrigin + performance.now())
      if (asked.length < count) return
      tell({ asked })
      process.once("message", () => {
        const responses = waiting
        waiting = []
        asked = []
        for (const each of responses) answer(each, done, request)
      })
    })
  })
  server.listen(0, "127.0.0.1", () => tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
}

interface Figures {
  readonly spreadMs: number
  readonly cpuMs: number
  readonly rssMiB: number
  readonly heapMiB: number
}

const measure = async () => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  const root = mkdtempSync(join(tmpdir(), "dacapo-subagents-"))
  const server = fork(fileURLToPath(import.meta.url), ["serve"])
  const [{ url }] = await once(server, "message") as [{ readonly url: string }]
  const agent = createAgent({ cwd: root, model: "anthropic/claude-sonnet-4-6", home: join(root, "home"), baseUrl: url, apiKey: "sk-ant-bench" })
  const cpu = () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1000
  }
  const runs: Array<Figures> = []
  for (let round = 0; round <= rounds; round++) {
    let before = { cpu: 0, memory: process.memoryUsage() }
    const listen = (message: Message) => {
      if ("delegated" in message) {
        collect()
        before = { cpu: cpu(), memory: process.memoryUsage() }
      }
      if (!("asked" in message)) return
      const cpuMs = (cpu() - before.cpu) / count
      const rss = process.memoryUsage().rss
      collect()
      const heap = process.memoryUsage().heapUsed
      runs.push({
        spreadMs: Math.max(...message.asked) - Math.min(...message.asked),
        cpuMs,
        rssMiB: (rss - before.memory.rss) / count / 2 ** 20,
        heapMiB: (heap - before.memory.heapUsed) / count / 2 ** 20
      })
      server.send("answer")
    }
    server.on("message", listen)
    const { state } = await (await agent.session()).run("Delegate the parts.")
    server.off("message", listen)
    if (state !== "finished") throw new Error(`The task is ${state}.`)
  }
  await agent.close()
  server.kill()
  rmSync(root, { recursive: true, force: true })
  const [cold, ...warm] = runs
  const rows = (name: string, figures: ReadonlyArray<Figures>): ReadonlyArray<Row> => {
    const of = (what: keyof Figures) => median(figures.map((each) => each[what]))
    return [
      { claim: `${name}: first requests within, ms`, ours: of("spreadMs"), limit: 100 },
      { claim: `${name}: processor time of each, ms`, ours: of("cpuMs"), limit: 30 },
      { claim: `${name}: resident memory of each, MiB`, ours: of("rssMiB"), limit: 5 },
      { claim: `${name}: heap of each, MiB`, ours: of("heapMiB"), limit: 5 }
    ]
  }
  report(`${count} subagents until their first requests`, "medians", [...rows("cold", [cold!]), ...rows("warm", warm)])
}

if (process.argv[2] === "serve") serve()
else await measure()
