/** Four processes on one store, each appending to a session of its own as fast as it is acknowledged, every tenth safe from a power cut. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { Storage } from "../src/services/Storage.ts"
import * as Sqlite from "../src/layers/storage/sqlite/Sqlite.ts"
import { lines, summary } from "../src/layers/testing/conformance/storage.ts"
import { median, report } from "./measure.ts"

const each = 1000

/** ms of each append of one process, and the longest that its event loop stood still. */
const write = (folder: string, session: string) =>
  Effect.gen(function*() {
    const storage = yield* Storage
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const times: Array<number> = []
    delay.enable()
    for (const line of lines(each)) {
      const start = performance.now()
      yield* storage.append(session, [line], { sync: line.seq % 10 === 0, summary: summary(line.seq) })
      times.push(performance.now() - start)
    }
    return { times, still: delay.max / 1e6 }
  }).pipe(Effect.provide(Sqlite.layerIn(folder)))

const [folder, session] = process.argv.slice(2)
if (folder !== undefined && session !== undefined) {
  process.stdout.write(JSON.stringify(await Effect.runPromise(write(folder, session))))
} else {
  const data = mkdtempSync(join(tmpdir(), "dacapo-bench-"))
  const outputs = await Promise.all(["a", "b", "c", "d"].map((id) =>
    text(spawn(process.execPath, [fileURLToPath(import.meta.url), data, id], { stdio: ["ignore", "pipe", "inherit"] }).stdout)
  ))
  rmSync(data, { recursive: true, force: true })
  const results = outputs.map((output): { readonly times: ReadonlyArray<number>; readonly still: number } => JSON.parse(output))
  const times = results.flatMap((result) => result.times).sort((a, b) => a - b)
  report("Four processes on four sessions of one store", "ms", [
    { claim: "an append, median", ours: median(times) },
    { claim: "an append, 99 of 100", ours: times[Math.floor(times.length * 0.99)]!, limit: 50 },
    { claim: "an append, the slowest", ours: times.at(-1)! },
    { claim: "the event loop stood still, at most", ours: Math.max(...results.map(({ still }) => still)) }
  ])
}
