/** Start-up of the built command as whole processes, beside bare Node in the same run; alternating, so that a busy moment hits all. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median, report } from "./measure.ts"

const folder = mkdtempSync(join(tmpdir(), "dacapo-startup-"))
const bare = join(folder, "bare.mjs")
writeFileSync(bare, "")
const dacapo = fileURLToPath(new URL("../bin/dacapo", import.meta.url))
const env = { ...process.env, DACAPO_HOME: join(folder, "home") }

/** What is started, and what the claim allows over bare Node, in ms. */
const programs = [
  { claim: "bare node", command: process.execPath, args: [bare] },
  { claim: "--version", command: dacapo, args: ["--version"], over: 15 },
  { claim: "--help", command: dacapo, args: ["--help"] },
  { claim: "sessions list", command: dacapo, args: ["sessions", "list"] }
]

const runs = 15
const times = new Map(programs.map(({ claim }) => [claim, []]))
for (let run = 0; run <= runs; run++) {
  for (const { args, claim, command } of programs) {
    const start = performance.now()
    const { status } = spawnSync(command, args, { env, cwd: folder, stdio: "ignore" })
    if (status !== 0) throw new Error(`${claim} ended with ${status}`)
    if (run > 0) times.get(claim).push(performance.now() - start)
  }
}
rmSync(folder, { recursive: true, force: true })

const node = median(times.get("bare node"))
report("Start-up, whole processes", "ms, medians", programs.map(({ claim, over }) => ({
  claim,
  ours: median(times.get(claim)),
  ...(over === undefined ? {} : { limit: node + over }),
  ...(claim === "bare node" ? {} : { peer: { name: "bare node", value: node } })
})))
