/** Sessions one after another in one process: what stays in memory, and the longest pause. `node bench/lasting.ts [sessions]`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createAgent } from "../src/layers/createAgent.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const sessions = Number(process.argv[2] ?? 1000)
const root = mkdtempSync(join(tmpdir(), "dacapo-bench-"))
process.env["DACAPO_HOME"] = join(root, "home")
const script = join(root, "script.json")
writeFileSync(script, JSON.stringify({ turns: [{ text: "I look.", calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "Done. ".repeat(50) }] }))
writeFileSync(join(root, "a.txt"), "hello\n".repeat(200))

const pauses = monitorEventLoopDelay({ resolution: 10 })
const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`
const agent = createAgent({ cwd: root, model: `scripted/${script}` })
for (let count = 0; count <= sessions; count++) {
  const { state } = await (await agent.session()).run(`Task ${count}`)
  if (state !== "finished") throw new Error(`Session ${count} is ${state}.`)
  if (count === 0) pauses.enable()
  if (count % Math.ceil(sessions / 4) !== 0) continue
  const longest = pauses.max / 1e6
  collect()
  const { heapUsed, rss } = process.memoryUsage()
  console.log(`${String(count).padStart(6)} sessions: ${megabytes(heapUsed)} of objects, ${megabytes(rss)} in all, longest pause ${longest.toFixed(0)} ms`)
  pauses.reset()
}
await agent.close()
rmSync(root, { recursive: true, force: true })
