/**
 * The loop as whole processes, beside bare Node in the same run: one question and one answer, and twenty turns with a
 * read_file each, against a model server on loopback that answers at once.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { anthropic } from "../src/layers/testing/servers/anthropic.ts"
import * as Server from "../src/layers/testing/servers/Server.ts"
import { median, report } from "./measure.ts"

const turns = 20
const folder = mkdtempSync(join(tmpdir(), "dacapo-loop-"))
writeFileSync(join(folder, "a.txt"), "one\n".repeat(50))
writeFileSync(join(folder, "bare.mjs"), "")

/** When each answer was given and each request came, in ms. */
const answered: Array<number> = []
const gaps: Array<number> = []

const server = await Effect.runPromise(Server.start(anthropic, (asked) => {
  const now = performance.now()
  const last = answered.at(-1)
  const place = (asked.body as { readonly messages: ReadonlyArray<{ readonly role: string }> }).messages.filter(({ role }) => role === "assistant").length
  if (last !== undefined && place > 0) gaps.push(now - last)
  answered.push(now)
  const task = JSON.stringify(asked.body).includes("Read it often")
  const turn = task && place < turns ? { calls: [{ name: "read_file", params: { path: "a.txt", start_line: place + 1 } }] } : { text: "Done." }
  // In one write, so that the answer is over when it has been given.
  return Server.ScriptedResponse.Raw({ parts: [anthropic.frames(turn, asked).join("")], headers: { "content-type": "text/event-stream" } })
}).pipe(Effect.provideService(Scope.Scope, Effect.runSync(Scope.make()))))

/** ms of the processor that ended children used (Linux: ticks of 10 ms). */
const used = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ")
  return (Number(fields[13]) + Number(fields[14])) * 10
}

const run = async (command: string, args: ReadonlyArray<string>) => {
  const [start, before] = [performance.now(), used()]
  const child = spawn(command, args, {
    cwd: folder,
    stdio: "ignore",
    env: { ...process.env, DACAPO_HOME: join(folder, "home"), ANTHROPIC_API_KEY: "sk-ant-bench" }
  })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}`)
  return { wall: performance.now() - start, cpu: used() - before }
}

const dacapo = fileURLToPath(new URL("../bin/dacapo", import.meta.url))
const task = (prompt: string) => ["-p", "--model", "anthropic/claude-sonnet-4-6", "--base-url", server.url, prompt]
const programs = [
  { claim: "bare node", command: process.execPath, args: [join(folder, "bare.mjs")] },
  { claim: "one question, one answer", command: dacapo, args: task("Say done"), wall: 300 },
  { claim: `${turns} turns with a read_file each`, command: dacapo, args: task("Read it often"), cpu: 700 }
]

const times = programs.map(() => ({ wall: [] as Array<number>, cpu: [] as Array<number> }))
for (let round = 0; round <= 7; round++) {
  for (const [i, { args, command }] of programs.entries()) {
    const { cpu, wall } = await run(command, args)
    if (round > 0) {
      times[i]!.wall.push(wall)
      times[i]!.cpu.push(cpu)
    }
  }
}
rmSync(folder, { recursive: true, force: true })

for (const unit of ["wall", "cpu"] as const) {
  const node = median(times[0]![unit])
  report(`The loop, whole processes, ${unit}`, "ms, medians", programs.map((program, i) => ({
    claim: program.claim,
    ours: median(times[i]![unit]),
    ...(program[unit] === undefined ? {} : { limit: program[unit] }),
    ...(i === 0 ? {} : { peer: { name: "bare node", value: node } })
  })))
}
const sorted = [...gaps].sort((a, b) => a - b)
report("From a response to the next request", "ms", [
  { claim: "a read_file run included, median", ours: median(gaps), limit: 5 },
  { claim: "a read_file run included, 95 of 100", ours: sorted[Math.floor(sorted.length * 0.95)]!, limit: 15 }
])
process.exit(0)
