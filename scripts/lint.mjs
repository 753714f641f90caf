/**
 * Lints: floors, cycles and plain mistakes by oxlint (.oxlintrc.json); Effect's own mistakes and what would make a
 * replay differ (clock, chance, ids, timers, environment) by Effect's diagnostics; the format of the source by dprint, which
 * `npm run format` applies. The linters are installed here and not by `npm ci`: not every registry carries all their platform
 * binaries, and a lock file wants them all.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"))
/** Whether a command passed; what it printed is shown only when it did not. */
const run = (command, args, options = {}) => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8", ...options })
  if (status !== 0) process.stdout.write(`${stdout ?? ""}${stderr ?? ""}`)
  return status === 0
}

const wanted = Object.entries(read("tools/package.json").devDependencies)
const installed = () =>
  wanted.every(([name, version]) => {
    const file = `tools/node_modules/${name}/package.json`
    return existsSync(join(root, file)) && read(file).version === version
  })

/** Effect's rules by what they guard; a file in owners.json is free of those that it owns. */
const guards = {
  clock: ["globalDate", "globalDateInEffect"],
  timers: ["globalTimers", "globalTimersInEffect"],
  chance: ["globalRandom", "globalRandomInEffect", "cryptoRandomUUID", "cryptoRandomUUIDInEffect"],
  env: ["processEnv", "processEnvInEffect"],
  network: ["globalFetch", "globalFetchInEffect"]
}
const severity = (rules, level) => ({ diagnosticSeverity: Object.fromEntries(rules.map((rule) => [rule, level])) })

/** A date made from a number is no clock, but Effect's rule can't tell; on the screen's floor the architecture test can. */
const screens = { include: ["src/cli/**/*.ts", "src/cli/**/*.tsx"], options: severity(guards.clock, "off") }
const owners = Object.entries(read("scripts/owners.json"))

const mistakes = ["floatingEffect", "missingReturnYieldStar", "missingStarInYieldEffectGen", "outdatedApi"]
/** A system's error with its code is what some layers work with; it is tagged where it leaves them. */
const allowed = ["globalErrorInEffectCatch"]

const diagnostics = {
  diagnosticSeverity: { ...severity(mistakes, "error").diagnosticSeverity, ...severity(allowed, "off").diagnosticSeverity },
  overrides: [
    { include: ["src/**/*.ts", "src/**/*.tsx"], options: severity(Object.values(guards).flat(), "error") },
    { include: ["src/domain/**/*.ts", "src/services/**/*.ts"], options: severity(["nodeBuiltinImport"], "error") },
    screens,
    { include: ["test/**/*.ts", "test/**/*.tsx"], options: severity(["multipleEffectProvide"], "off") },
    ...owners.map(([file, { owns }]) => ({ include: [file], options: severity(owns.flatMap((guard) => guards[guard] ?? []), "off") }))
  ]
}

if (!installed()) {
  console.log("Installing the linters into tools/ (once).")
  const npm = ["install", "--prefix", "tools", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
  run("npm", npm, { stdio: "ignore", timeout: 120_000 })
  if (!installed()) {
    console.log("The linters could not be installed; floors, cycles and ambient reads are still checked by test/architecture.test.ts.")
    process.exit(0)
  }
}

const bin = (name) => join(root, "tools", "node_modules", ".bin", name)
const folders = ["src", "test", "scripts", "bench", "examples"].filter((folder) => existsSync(join(root, folder)))
const project = ["diagnostics", "--project", "tsconfig.json", "--format", "text", "--severity", "error,warning", "--strict"]
const passed = [
  run(bin("oxlint"), ["--deny-warnings", "--format=unix", ...folders]),
  run(bin("effect-tsgo"), [...project, "--lspconfig", JSON.stringify(diagnostics)]),
  run(bin("dprint"), ["check"])
]
process.exit(passed.every(Boolean) ? 0 : 1)
