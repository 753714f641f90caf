/** Runs every benchmark in this folder, or those whose names are given: `npm run bench -- sessions startup`. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
/** Not benchmarks, or asked for by themselves. */
const shared = new Set(["measure.ts", "peers.ts", "resting.ts", "run.mjs"])
const wanted = process.argv.slice(2)

const peers = Object.keys(JSON.parse(readFileSync(join(here, "package.json"), "utf8")).dependencies)
if (peers.some((name) => !existsSync(join(here, "node_modules", name)))) {
  spawnSync("npm", ["install", "--prefix", here, "--no-package-lock", "--no-audit", "--no-fund"], { stdio: "inherit" })
}

const failed = readdirSync(here)
  .filter((file) => /\.(?:ts|mjs)$/.test(file) && !shared.has(file))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(`${name}.`)))
  .filter((file) => spawnSync(process.execPath, [join(here, file)], { stdio: "inherit" }).status !== 0)

if (failed.length > 0) {
  console.error(`Failed: ${failed.join(", ")}`)
  process.exitCode = 1
}
