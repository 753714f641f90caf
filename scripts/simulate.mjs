/**
 * Runs seeds of the simulation (docs/simulation.md):
 *
 *     npm run simulate -- --seeds 10000             runs that many seeds, from 1 or --from on
 *     npm run simulate -- --seed 51                 reproduces one, and prints what happened in it
 *     npm run simulate -- --seed 51 --shrink        leaves out faults while it still fails, and saves its logs
 *
 * The exit code is 1 if a rule was broken.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    shrink: { type: "boolean", default: false },
    "no-replay": { type: "boolean", default: false }
  }
})
/** Every seed with this many others before it runs twice, and both times must be the same. */
const twiceEvery = 20
const maxReported = 10

// Errors are part of what is simulated, and their stack traces a large part of the time it takes.
if (values.seed === undefined) Error.stackTraceLimit = 0

const Simulation = await import("../src/layers/testing/simulation/Simulation.ts")
const Shrink = await import("../src/layers/testing/simulation/Shrink.ts")
const Scenario = await import("../src/layers/testing/simulation/Scenario.ts")

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
  const outcome = await Simulation.run(options)
  console.log(describe(outcome))
  if (outcome.violations.length === 0 || !values.shrink) return outcome.violations.length === 0
  const { outcome: smallest, runs } = await Shrink.shrink(options, outcome)
  console.log(`\nWith ${smallest.faults.length} of ${outcome.faults.length} faults (${runs} runs):\n${describe(smallest)}`)
  const folder = join(root, "test", "fixtures", "simulation")
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of await Scenario.files(smallest)) {
    writeFileSync(join(folder, name), text)
    console.log(`Saved ${relative(root, join(folder, name))}`)
  }
  return false
}

const runAll = async (seeds, from) => {
  const started = performance.now()
  const cpu = process.cpuUsage()
  const totals = { events: 0, faults: 0, processes: 0 }
  let failed = 0
  for (let seed = from; seed < from + seeds; seed++) {
    const options = { seed, replays: !values["no-replay"] }
    const outcome = await Simulation.run(options)
    totals.events += outcome.events
    totals.faults += outcome.faults.length
    totals.processes += outcome.processes
    const isSame = (seed - from) % twiceEvery !== 0 || (await Simulation.run({ ...options, replays: false })).hash === outcome.hash
    if (outcome.violations.length === 0 && isSame) continue
    failed++
    if (failed > maxReported) continue
    console.log(isSame ? describe(outcome) : `Seed ${seed} is not the same twice.`)
    console.log(`  npm run simulate -- --seed ${seed} --shrink\n`)
  }
  const seconds = (performance.now() - started) / 1000
  const { system, user } = process.cpuUsage(cpu)
  const cpuSeconds = (system + user) / 1e6
  console.log(
    `${seeds} seeds, ${failed} failed; ${totals.events} events, ${totals.faults} faults, ${totals.processes} processes; ` +
      `${(seeds / seconds).toFixed(1)} seeds/s (${(seeds / cpuSeconds).toFixed(1)} per second of CPU time)`
  )
  return failed === 0
}

const passes = values.seed === undefined
  ? await runAll(number("seeds", values.seeds), number("from", values.from))
  : await runOne(number("seed", values.seed))
process.exitCode = passes ? 0 : 1
