/**
 * Runs the linters: oxlint for floors, cycles and common mistakes (.oxlintrc.json); Effect's diagnostics for misuse of Effect
 * and for anything that would make a replay differ (clock, randomness, ids, timers, environment); dprint for formatting,
 * which `npm run format` applies. They are installed into tools/ and not by `npm ci`, because a lock file requires the
 * binaries of all platforms and not every registry has them.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"))
/** Runs a command and returns whether it passed; its output is shown only if it failed. */
const run = (command, args, options = {}) => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8", ...options })
  if (status !== 0) process.stdout.write(`${stdout ?? ""}${stderr ?? ""}`)
  return status === 0
}

const linters = Object.entries(read("tools/package.json").devDependencies)
const areInstalled = () =>
  linters.every(([name, version]) => {
    const file = `tools/node_modules/${name}/package.json`
    return existsSync(join(root, file)) && read(file).version === version
  })

/** Effect's rules by what they guard; a file in owners.json is exempt from those that it owns. */
const guards = {
  clock: ["globalDate", "globalDateInEffect"],
  timers: ["globalTimers", "globalTimersInEffect"],
  chance: ["globalRandom", "globalRandomInEffect", "cryptoRandomUUID", "cryptoRandomUUIDInEffect"],
  env: ["processEnv", "processEnvInEffect"],
  network: ["globalFetch", "globalFetchInEffect"]
}
const severity = (rules, level) => ({ diagnosticSeverity: Object.fromEntries(rules.map((rule) => [rule, level])) })

/** A date made from a number does not read the clock. Effect's rule can't tell, so src/cli relies on the architecture test. */
const screens = { include: ["src/cli/**/*.ts", "src/cli/**/*.tsx"], options: severity(guards.clock, "off") }
const owners = Object.entries(read("scripts/owners.json"))

const mistakes = ["floatingEffect", "missingReturnYieldStar", "missingStarInYieldEffectGen", "outdatedApi"]
/** Some layers work with system errors and their codes; these are tagged where they leave the layer. */
const disabledRules = ["globalErrorInEffectCatch"]

const diagnostics = {
  diagnosticSeverity: { ...severity(mistakes, "error").diagnosticSeverity, ...severity(disabledRules, "off").diagnosticSeverity },
  overrides: [
    { include: ["src/**/*.ts", "src/**/*.tsx"], options: severity(Object.values(guards).flat(), "error") },
    { include: ["src/domain/**/*.ts", "src/services/**/*.ts"], options: severity(["nodeBuiltinImport"], "error") },
    screens,
    { include: ["test/**/*.ts", "test/**/*.tsx"], options: severity(["multipleEffectProvide"], "off") },
    ...owners.map(([file, { owns }]) => ({ include: [file], options: severity(owns.flatMap((guard) => guards[guard] ?? []), "off") }))
  ]
}

if (!areInstalled()) {
  console.log("Installing the linters into tools/ (once).")
  const npm = ["install", "--prefix", "tools", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
  run("npm", npm, { stdio: "ignore", timeout: 120_000 })
  if (!areInstalled()) {
    console.log("The linters could not be installed. test/architecture.test.ts still checks floors, circular imports and ambient reads.")
    process.exit(0)
  }
}

const bin = (name) => join(root, "tools", "node_modules", ".bin", name)
const folders = ["src", "test", "scripts", "bench", "examples"].filter((folder) => existsSync(join(root, folder)))
const project = ["diagnostics", "--project", "tsconfig.json", "--format", "text", "--severity", "error,warning", "--strict"]
const results = [
  run(bin("oxlint"), ["--deny-warnings", "--format=unix", ...folders]),
  run(bin("effect-tsgo"), [...project, "--lspconfig", JSON.stringify(diagnostics)]),
  run(bin("dprint"), ["check"])
]
process.exit(results.every(Boolean) ? 0 : 1)
