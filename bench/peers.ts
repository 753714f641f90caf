/**
 * dacapo beside other agents, as whole processes on the same scripted server, alternating. `npm run bench:peers -- claude pi` runs
 * some of them. It looks for them on the path; with `--install` it first installs those that are named, in their newest versions, into
 * `.cache/peers` (or DACAPO_PEERS). ROUNDS is the number of rounds (5).
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { median } from "./measure.ts"
import { dacapo, type Peer, peers } from "./peers/programs.ts"
import { type Exchange, type ScriptedModel, start } from "./peers/ScriptedModel.ts"

const reads = 20
/** ms after which a run counts as failed. */
const timeoutMs = 120_000

interface Program extends Peer {
  readonly file: string
  readonly version: string
}

interface Run {
  readonly wallMs: number
  readonly cpuMs: number
  /** The most memory that the process and its children held at once. */
  readonly peakMiB: number
  readonly exchanges: ReadonlyArray<Exchange>
  readonly startedAt: number
}

const cache = process.env["DACAPO_PEERS"] ?? fileURLToPath(new URL("../.cache/peers", import.meta.url))

/** Installs packages with npm into the cache. Their install scripts run: some of them fetch the program that way. */
const install = (packages: ReadonlyArray<string>): void => {
  mkdirSync(cache, { recursive: true })
  const { status } = spawnSync("npm", ["install", "--prefix", cache, "--no-audit", "--no-fund", ...packages.map((name) => `${name}@latest`)], { stdio: "inherit" })
  if (status !== 0) process.exit(1)
}

/** What is installed here comes before the path. */
const find = (name: string): string | undefined =>
  [join(cache, "node_modules", ".bin"), ...(process.env["PATH"] ?? "").split(delimiter)].map((folder) => join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

const versionOf = (file: string): string => {
  const { stderr, stdout } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: timeoutMs })
  return /\d+\.\d+[^\s)]*/.exec(`${stdout} ${stderr}`)?.[0] ?? "unknown"
}

/** ms of the processor that ended children used (Linux: ticks of 10 ms). */
const childrenCpuMs = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ")
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** Resident memory of a process and its children, in MiB. */
const residentMiB = (pid: number): number => {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter((id) => id !== ""))
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096 / 1024 ** 2 + children.reduce((sum, child) => sum + residentMiB(Number(child)), 0)
  } catch {
    return 0
  }
}

/** Runs a program to its end; fails with the end of its output if it fails. */
const run = async (file: string, args: ReadonlyArray<string>, cwd: string, variables: Readonly<Record<string, string>>, model: ScriptedModel): Promise<Run> => {
  const [startedAt, cpuBefore] = [performance.now(), childrenCpuMs()]
  const child = spawn(file, args, { cwd, env: { PATH: process.env["PATH"], TERM: "dumb", ...variables }, stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => void (output = (output + data.toString("utf8")).slice(-2_000)))
  let peakMiB = 0
  const timer = setInterval(() => void (peakMiB = Math.max(peakMiB, residentMiB(child.pid ?? 0))), 10)
  const [code] = await once(child, "close")
  clearInterval(timer)
  if (code !== 0) throw new Error(`ended with ${code}: ${output.trim().split("\n").slice(-3).join(" ")}`)
  return { wallMs: performance.now() - startedAt, cpuMs: childrenCpuMs() - cpuBefore, peakMiB, exchanges: model.exchanges, startedAt }
}

const { positionals: names, values: { install: installs } } = parseArgs({ allowPositionals: true, options: { install: { type: "boolean", default: false } } })
const unknownNames = names.filter((name) => !peers.some((peer) => peer.name === name))
if (unknownNames.length > 0) {
  console.error(`Unknown: ${unknownNames.join(", ")}. Known are ${peers.map(({ name }) => name).join(", ")}.`)
  process.exit(2)
}
if (installs && names.length === 0) {
  console.error(`Name what to install: ${peers.map(({ name }) => name).join(", ")}.`)
  process.exit(2)
}
const selected = peers.filter(({ name }) => names.length === 0 || names.includes(name))
if (installs) install(selected.flatMap(({ package: name }) => name ?? []))
const candidates = selected.map((peer) => ({ ...peer, file: find(peer.name) }))
const missing = candidates.filter(({ file }) => file === undefined).map(({ name }) => name)
const own = fileURLToPath(new URL("../bin/dacapo", import.meta.url))
const programs: ReadonlyArray<Program> = [{ ...dacapo, file: own }, ...candidates]
  .flatMap(({ file, ...peer }) => file === undefined ? [] : [{ ...peer, file, version: versionOf(file) }])

const folder = mkdtempSync(join(tmpdir(), "dacapo-peers-"))
const cwd = join(folder, "project")
mkdirSync(cwd)
writeFileSync(join(cwd, "a.txt"), "one\n".repeat(50))
const model = await start(join(cwd, "a.txt"))

const runs = new Map(programs.map(({ name }) => [name, { version: [] as Array<Run>, question: [] as Array<Run>, task: [] as Array<Run> }]))
const failures = new Map<string, string>()
const rounds = Number(process.env["ROUNDS"] ?? 5)
for (let round = 0; round <= rounds; round++) {
  for (const program of programs.filter(({ name }) => !failures.has(name))) {
    const home = join(folder, `home-${program.name}`)
    mkdirSync(home, { recursive: true })
    const results = runs.get(program.name)!
    try {
      for (const kind of ["version", "question", "task"] as const) {
        const invocation = { url: model.url, home, prompt: kind === "task" ? "Read it often" : "Say done" }
        for (const [name, text] of Object.entries(program.files?.(invocation) ?? {})) writeFileSync(join(home, name), text)
        const requests = kind === "version" ? 0 : kind === "question" ? 1 : reads + 1
        model.begin(Math.max(0, requests - 1))
        const result = await run(program.file, kind === "version" ? ["--version"] : program.args(invocation), cwd, program.variables(invocation), model)
        if (result.exchanges.length < requests) throw new Error(`sent ${result.exchanges.length} requests with tools instead of ${requests}`)
        if (round > 0) results[kind].push(result)
      }
    } catch (error) {
      failures.set(program.name, (error as Error).message)
    }
  }
}
model.close()
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

const each = (values: ReadonlyArray<Run>, figure: (run: Run) => number, digits = 0): string => median(values.map(figure)).toFixed(digits)
const gaps = (values: ReadonlyArray<Run>): ReadonlyArray<number> =>
  values.flatMap(({ exchanges }) => exchanges.slice(1).map(({ requestedAt }, i) => requestedAt - exchanges[i]!.respondedAt)).toSorted((a, b) => a - b)

console.log(`Medians of ${rounds} alternating rounds, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}. Memory is that of the process and its children.\n`)
console.log("| agent | --version | start to first request | one-shot | its memory | 20 reads | their CPU | gap, median | gap, 95 of 100 | first request |")
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for (const { name, version } of programs) {
  const { question, task, version: versions } = runs.get(name)!
  if (failures.has(name)) continue
  const sorted = gaps(task)
  const cells = [
    `${name} ${version}`,
    `${each(versions, ({ wallMs }) => wallMs)} ms`,
    `${each(question, ({ exchanges, startedAt }) => exchanges[0]!.requestedAt - startedAt)} ms`,
    `${each(question, ({ wallMs }) => wallMs)} ms`,
    `${each(question, ({ peakMiB }) => peakMiB)} MiB`,
    `${each(task, ({ wallMs }) => wallMs)} ms`,
    `${each(task, ({ cpuMs }) => cpuMs)} ms`,
    `${median(sorted).toFixed(1)} ms`,
    `${sorted[Math.floor(sorted.length * 0.95)]!.toFixed(1)} ms`,
    `${each(question, ({ exchanges }) => exchanges[0]!.bytes / 1_000, 1)} kB`
  ]
  console.log(`| ${cells.join(" | ")} |`)
}
for (const [name, message] of failures) console.log(`\n${name} failed: it ${message}`)
if (missing.length > 0) console.log(`\nNot found: ${missing.join(", ")}. To install and compare them: npm run bench:peers -- --install ${missing.join(" ")}`)
process.exitCode = failures.has("dacapo") ? 1 : 0
