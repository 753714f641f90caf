/**
 * Runs seeds of the simulation (docs/simulation.md):
 *
 *     npm run simulate -- --seeds 10000             runs that many seeds, from 1 or --from on, on every core or --workers
 *     npm run simulate -- --seed 51                 reproduces one, and prints what happened in it
 *     npm run simulate -- --seed 51 --shrink        leaves out faults while it still fails, and saves its logs
 *
 * With --cluster each seed is a cluster of several runners.
 *
 * The exit code is 1 if a rule was broken.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { availableParallelism } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    workers: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string" },
    shrink: { type: "boolean", default: false },
    cluster: { type: "boolean", default: false },
    "no-replay": { type: "boolean", default: false }
  }
})
/** Every seed that is a multiple of this runs twice, and both times must be the same. */
const twiceEvery = 20
const maxReported = 10
/** Seeds that a process runs until it asks for more, so that none is left without work before the others. */
const seedsAtOnce = 20
/** Set in the processes that this one starts. */
const worker = "DACAPO_SIMULATION_WORKER"

// Errors are part of what is simulated, and their stack traces a large part of the time it takes.
if (values.seed === undefined) Error.stackTraceLimit = 0

// Every process loads the whole agent from its TypeScript.
enableCompileCache()

const { run } = values.cluster
  ? await import("../src/layers/testing/simulation/cluster/ClusterSimulation.ts")
  : await import("../src/layers/testing/simulation/Simulation.ts")
const Shrink = await import("../src/layers/testing/simulation/Shrink.ts")
const Scenario = await import("../src/layers/testing/simulation/Scenario.ts")

/** How this process was called, for those that it starts, and for the user to repeat a seed. */
const flags = [...values.cluster ? ["--cluster"] : [], ...values["no-replay"] ? ["--no-replay"] : []]

const number = (name, text) => {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  console.error(`--${name} must be a whole number above 0, not ${text}.`)
  process.exit(2)
}

const describe = ({ actions, faults, hash, processes, seed, violations }) =>
  [
    `Seed ${seed}: ${violations.length === 0 ? "no rule is broken" : violations[0]}`,
    ...violations.slice(1).map((violation) => `  also: ${violation}`),
    `  ${processes} processes; faults: ${faults.length === 0 ? "none" : faults.join(", ")}`,
    ...actions.map((action) => `  ${action}`),
    `  hash ${hash}`
  ].join("\n")

const runOne = async (seed) => {
  const options = { seed, replays: !values["no-replay"] }
  const outcome = await run(options)
  console.log(describe(outcome))
  if (outcome.violations.length === 0 || !values.shrink) return outcome.violations.length === 0
  const { outcome: smallest, runs } = await Shrink.shrink(run, options, outcome)
  console.log(`\nWith ${smallest.faults.length} of ${outcome.faults.length} faults (${runs} runs):\n${describe(smallest)}`)
  const folder = join(root, "test", "fixtures", "simulation")
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of await Scenario.files(smallest, values.cluster ? "cluster" : "seed")) {
    writeFileSync(join(folder, name), text)
    console.log(`Saved ${relative(root, join(folder, name))}`)
  }
  return false
}

let reported = 0

/** Runs seeds in this process; what fails is printed. */
const runRange = async ({ from, seeds }) => {
  const cpu = process.cpuUsage()
  const totals = { failed: 0, events: 0, faults: 0, processes: 0 }
  for (let seed = from; seed < from + seeds; seed++) {
    const options = { seed, replays: !values["no-replay"] }
    const outcome = await run(options)
    totals.events += outcome.events
    totals.faults += outcome.faults.length
    totals.processes += outcome.processes
    const isSame = seed % twiceEvery !== 0 || (await run({ ...options, replays: false })).hash === outcome.hash
    if (outcome.violations.length === 0 && isSame) continue
    totals.failed++
    if (++reported > maxReported) continue
    console.log(isSame ? describe(outcome) : `Seed ${seed} is not the same twice.`)
    console.log(`  npm run simulate -- ${values.cluster ? "--cluster " : ""}--seed ${seed} --shrink\n`)
  }
  const { system, user } = process.cpuUsage(cpu)
  return { ...totals, cpuSeconds: (system + user) / 1e6 }
}

/** Runs ranges in a process of its own, one after the other, until there are no more. */
const runApart = async (ranges) => {
  const child = fork(fileURLToPath(import.meta.url), flags, { env: { ...process.env, [worker]: "1" } })
  const end = once(child, "exit").then(([code, signal]) => {
    throw new Error(`A process of the simulation ended with ${signal ?? `exit code ${code}`}.`)
  })
  end.catch(() => {})
  const totals = []
  for (const range of ranges) {
    child.send(range)
    totals.push((await Promise.race([once(child, "message"), end]))[0])
  }
  child.disconnect()
  return totals
}

/** All seeds in ranges, each dealt to the worker that asks next. */
function* rangesOf(seeds, from) {
  for (let start = 0; start < seeds; start += seedsAtOnce) yield { seeds: Math.min(seedsAtOnce, seeds - start), from: from + start }
}

const runAll = async (seeds, from, workers) => {
  const started = performance.now()
  const ranges = rangesOf(seeds, from)
  const count = Math.min(workers, Math.ceil(seeds / seedsAtOnce))
  const totals = count === 1 ? [await runRange({ from, seeds })]
    : (await Promise.all(Array.from({ length: count }, () => runApart(ranges)))).flat()
  const sum = (key) => totals.reduce((all, one) => all + one[key], 0)
  const perSecond = (seconds) => (seeds / seconds).toFixed(1)
  console.log(
    `${seeds} seeds, ${sum("failed")} failed; ${sum("events")} events, ${sum("faults")} faults, ${sum("processes")} processes; ` +
      `${perSecond((performance.now() - started) / 1000)} seeds/s (${perSecond(sum("cpuSeconds"))} per second of CPU time)`
  )
  return sum("failed") === 0
}

if (process.env[worker] === undefined) {
  const passes = values.seed === undefined
    ? await runAll(number("seeds", values.seeds), number("from", values.from), number("workers", values.workers))
    : await runOne(number("seed", values.seed))
  process.exitCode = passes ? 0 : 1
} else process.on("message", async (range) => process.send(await runRange(range)))
