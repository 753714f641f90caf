/** `npm run test:cluster -- sessions moments seed`: a drill of the cluster with real processes, and its report. */
import * as ClusterDrill from "./ClusterDrill.ts"

const [sessions = "300", moments = "30", seed = "drill", concurrent = "24"] = process.argv.slice(2)

const { broken, durationMs, events, finished, moments: counts, resumed, unknown } = await ClusterDrill.run({
  sessions: Number(sessions),
  moments: Number(moments),
  concurrent: Number(concurrent),
  replays: 10,
  seed,
  report: (line) => void process.stderr.write(`${line}\n`)
})

const seconds = (ms: number | undefined): string => ms === undefined ? "–" : `${(ms / 1000).toFixed(1)} s`
const percentile = (values: ReadonlyArray<number>, part: number) => values[Math.min(values.length - 1, Math.floor(values.length * part))]

console.log(`\n${finished} of ${sessions} sessions finished with ${events} events in ${seconds(durationMs)}; seed ${seed}.`)
for (const [kind, count] of Object.entries(counts)) {
  const times = resumed[kind] ?? []
  console.log(`${kind}: ${count} times, ${times.length} sessions resumed; median ${seconds(percentile(times, 0.5))}, 95 % ${seconds(percentile(times, 0.95))}`)
}
console.log(`${unknown} commands whose runner died while they ran.`)
console.log(broken.length === 0 ? "Nothing lost, nothing done twice." : `Broken:\n${broken.join("\n")}`)
process.exitCode = broken.length === 0 && finished === Number(sessions) ? 0 : 1
