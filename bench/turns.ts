/**
 * A session of 1,000 turns that read 5 kB each, as one process: processor time of all threads, memory and the size of the request at
 * some turns, each the median of the 20 around it. `node bench/turns.ts FOLDER` measures the build in another folder.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { anthropic } from "../src/layers/testing/servers/anthropic.ts"
import { median } from "./measure.ts"

const turns = 1_000
const lines = 2_000
const linesRead = 60
const folder = mkdtempSync(join(tmpdir(), "dacapo-turns-"))
writeFileSync(join(folder, "a.txt"), Array.from({ length: lines }, (_, i) => `line ${i} ${"abcdefghij klmnop ".repeat(4)}`).join("\n"))

interface Mark {
  readonly cpu: number
  readonly memory: number
  readonly bytes: number
}
const marks: Array<Mark> = []
let pid = 0

/** ms of processor time of all threads, and MiB in memory. */
const used = () => {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).reduce((sum, thread) => sum + Number(readFileSync(`${tasks}/${thread}/schedstat`, "utf8").split(" ")[0]), 0)
  return { cpu: nanoseconds / 1e6, memory: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024 }
}

const server = createServer((request, response) => {
  let bytes = 0
  request.on("data", (chunk: Buffer) => void (bytes += chunk.length)).on("end", () => {
    const turn = marks.push({ ...used(), bytes })
    const start_line = turn * 7 % (lines - linesRead) + 1
    const answer = turn <= turns ? { calls: [{ name: "read_file", params: { path: "a.txt", start_line, end_line: start_line + linesRead - 1 } }] } : { text: "Done." }
    const frames = anthropic.frames(answer, { method: "POST", path: request.url!, headers: {}, body: {}, text: "x".repeat(turn) })
    response.writeHead(200, { "content-type": "text/event-stream" }).end(frames.join(""))
  })
}).listen(0, "127.0.0.1")
await once(server, "listening")

const build = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const args = ["--max-semi-space-size=4", join(build, "bin/dacapo"), "-p", "--max-turns", "5000", "--model", "anthropic/claude-sonnet-4-6", "--base-url", url, "Read it"]
const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore", env: { ...process.env, DACAPO_HOME: join(folder, "home"), ANTHROPIC_API_KEY: "sk-ant-bench" } })
pid = child.pid!
const [code] = await once(child, "exit")
rmSync(folder, { recursive: true, force: true })
if (code !== 0) throw new Error(`The command ended with ${code}.`)

console.log("\n## A session of 1,000 turns\n turn  CPU ms  MiB  request kB")
for (const turn of [5, 50, 500, 1_000]) {
  const around = marks.slice(Math.max(2, turn - 10), turn + 10)
  const cpu = median(around.slice(1).map((mark, i) => mark.cpu - around[i]!.cpu))
  console.log(`${turn}`.padStart(5), cpu.toFixed(1).padStart(7), median(around.map(({ memory }) => memory)).toFixed(0).padStart(4), (median(around.map(({ bytes }) => bytes)) / 1e3).toFixed(0).padStart(11))
}
process.exit(0)
