/** Sessions at once in one process, beside the same sessions one after the other. `node bench/together.ts [sessions]` */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { createAgent } from "../src/layers/createAgent.ts"
import { cpu } from "./measure.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const count = Number(process.argv[2] ?? 200)
const root = mkdtempSync(join(tmpdir(), "dacapo-bench-"))
const script = join(root, "script.json")
writeFileSync(script, JSON.stringify({ turns: [{ text: "I look.", calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "Done. ".repeat(50) }] }))
writeFileSync(join(root, "a.txt"), "hello\n".repeat(200))

const agent = createAgent({ cwd: root, model: `scripted/${script}`, home: join(root, "home") })
const runTask = async (i: number) => {
  const { state } = await (await agent.session()).run(`Task ${i}`)
  if (state !== "finished") throw new Error(`Session ${i} is ${state}.`)
}
const tasks = Array.from({ length: count }, (_, i) => i)

const measure = async (name: string, run: () => Promise<unknown>) => {
  collect()
  const before = process.memoryUsage().heapUsed
  const pauses = monitorEventLoopDelay({ resolution: 10 })
  pauses.enable()
  let peak = before
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed)), 20)
  const start = performance.now()
  const cpuStart = cpu()
  await run()
  const seconds = (performance.now() - start) / 1000
  const cpuPerSession = (cpu() - cpuStart) / count
  clearInterval(sampler)
  pauses.disable()
  const lag = (percentile: number) => `${(pauses.percentile(percentile) / 1e6).toFixed(0)} ms`
  console.log(
    `${name}: ${(count / seconds).toFixed(0)} sessions/s, ${cpuPerSession.toFixed(1)} ms of processor time and ` +
      `${((peak - before) / count / 1024).toFixed(0)} KiB at most per session, event loop delay ${lag(50)} (p50), ${lag(99)} (p99)`
  )
}

await runTask(0)
await measure(`${count} sessions one after the other`, async () => {
  for (const i of tasks) await runTask(i)
})
await measure(`${count} sessions at once`, () => Promise.all(tasks.map(runTask)))
await agent.close()
rmSync(root, { recursive: true, force: true })
