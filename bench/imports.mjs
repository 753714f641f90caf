/** What an import of the library costs, as whole processes, beside bare Node and parts of Effect in the same run; alternating. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { median, report } from "./measure.ts"

const entry = (name) => fileURLToPath(new URL(`../dist/${name}`, import.meta.url))

const programs = [
  { claim: "bare node", code: "" },
  ...["effect/Effect", "effect/Schema", "effect"].map((claim) => ({ claim, code: `await import(${JSON.stringify(claim)})` })),
  { claim: "dacapo/domain/diff/UnifiedDiff", code: `await import(${JSON.stringify(entry("domain/diff/UnifiedDiff.js"))})` },
  { claim: "dacapo", code: `await import(${JSON.stringify(entry("index.js"))})`, over: { ms: 150, mib: 60 } }
]

const runs = 9
const samples = new Map(programs.map(({ claim }) => [claim, []]))
for (let run = 0; run <= runs; run++) {
  for (const { claim, code } of programs) {
    const start = performance.now()
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", `${code}\nconsole.log(process.memoryUsage().rss)`],
      { cwd: fileURLToPath(new URL("..", import.meta.url)), encoding: "utf8" }
    )
    if (status !== 0) throw new Error(`${claim} ended with ${status}: ${stderr}`)
    if (run > 0) samples.get(claim).push({ ms: performance.now() - start, mib: Number(stdout) / 1024 ** 2 })
  }
}

const figure = (claim, unit) => median(samples.get(claim).map((sample) => sample[unit]))
for (const [unit, title] of [["ms", "ms, medians"], ["mib", "MiB resident, medians"]]) {
  const bare = figure("bare node", unit)
  report("Imports of the library, whole processes", title, programs.map(({ claim, over }) => ({
    claim,
    ours: figure(claim, unit),
    ...(over === undefined ? {} : { limit: bare + over[unit] }),
    ...(claim === "bare node" ? {} : { peer: { name: "bare node", value: bare } })
  })))
}
