/** `dacapo doctor`: what is found here, what is missing, and what to do about it. Exit 0 where dacapo can work. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFile } from "node:child_process"
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { promisify } from "node:util"
import { rules } from "../../layers/context/sources/rules.ts"
import * as SmallFile from "../../layers/context/sources/SmallFile.ts"
import * as Chromium from "../../layers/browser/Chromium.ts"
import * as OwnFolder from "../../layers/storage/PrivateFolder.ts"
import * as Confined from "../../layers/workspace/shell/SandboxedShell.ts"
import * as ProcessTree from "../../layers/workspace/shell/ProcessTree.ts"
import * as Ripgrep from "../../layers/workspace/files/Ripgrep.ts"
import type { Environment } from "../../services/Environment.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Settings } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import { Storage } from "../../services/Storage.ts"
import type { Run } from "../Commands.ts"
import * as ErrorReport from "../process/ErrorMessage.ts"
import { endings, type Failure } from "../process/ExitCode.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Lines from "../render/text/BlockLines.ts"
import * as View from "../render/view/View.ts"
import * as Wrap from "../render/text/Wrap.ts"
import * as Runtime from "../process/UnattendedAgent.ts"
import { Wiring } from "../process/AgentLayers.ts"
import * as Auth from "./Auth.ts"

/** `bad` keeps dacapo from working; `warn` takes something away. */
interface Finding {
  readonly name: string
  readonly state: "good" | "warn" | "bad"
  readonly detail: string
}

export const run: Run = Effect.fnUntraced(function*({ values: { cd, orphans: end, outputFormat = "text" } }) {
  const { cwd: here, environment, node, stdout } = yield* Host
  const cwd = yield* Folder.open(here, cd)
  const findings: ReadonlyArray<Finding> = [
    { name: "dacapo", state: "good", detail: `${environment.version} on Node ${node}, ${environment.platform}` },
    yield* folders(environment),
    ...(yield* Effect.provide(kept(cwd), (yield* Wiring).records).pipe(
      Effect.catch((failure: Failure) => Effect.succeed([{ name: "storage", state: "bad" as const, detail: ErrorReport.sentence(failure) }]))
    )),
    yield* Effect.provide(keys, (yield* Wiring).records).pipe(
      Effect.catch((failure: Failure) => Effect.succeed({ name: "keys", state: "bad" as const, detail: ErrorReport.sentence(failure) }))
    ),
    yield* program("bash", ["--version"], "bad", "commands of the agent run in it"),
    yield* program("git", ["--version"], "warn", "without it there are no checkpoints"),
    searcher(environment),
    yield* browser(environment),
    yield* Effect.provide(told(cwd), (yield* Wiring).records),
    yield* Effect.provide(servers(cwd), yield* Runtime.unattended(cwd)).pipe(
      Effect.catch((failure: Failure) => Effect.succeed({ name: "mcp", state: "warn" as const, detail: ErrorReport.sentence(failure) }))
    ),
    yield* sandbox(environment),
    yield* Effect.provide(trust(cwd), (yield* Wiring).records).pipe(
      Effect.catch((failure: Failure) => Effect.succeed({ name: "trust", state: "bad" as const, detail: ErrorReport.sentence(failure) }))
    ),
    yield* orphans(end === true)
  ]
  yield* stdout.write(outputFormat === "text" ? findings.flatMap(rows(stdout.tty ? stdout.columns() : Infinity)).join("") : Json.line(findings))
  return findings.some(({ state }) => state === "bad") ? endings.config.exit : 0
})

const marks = { good: "✓", warn: "!", bad: "✗" } as const

const rows = (columns: number) => ({ detail, name, state }: Finding): ReadonlyArray<string> =>
  Wrap.row(`${marks[state]} ${name.padEnd(10)} `, View.text(detail).replaceAll("\n", " "), columns).map((line) => `${line}\n`)

/** The rules files that a session here would be told, and what of them it would not. */
const told = (cwd: string) =>
  rules.gather({ cwd, files: new Map() }).pipe(
    Effect.provide(SmallFile.layer.pipe(Layer.provide(NodeFileSystem.layer))),
    Effect.map(({ notes = [], rules = [] }): Finding => ({
      name: "rules",
      state: notes.length === 0 ? "good" : "warn",
      detail: [
        rules.length === 0 ? "none: AGENTS.md is where a project keeps them" : rules.map(({ path, text }) => `${path} (${Math.ceil(text.length / 1024)} kB)`).join(", "),
        ...notes
      ].join("; ")
    }))
  )

/** Where everything is kept, and whether it can be written. */
const folders = ({ folders }: Environment["Service"]): Effect.Effect<Finding> =>
  Effect.tryPromise(async () => {
    for (const folder of [folders.config, folders.data, folders.state]) {
      OwnFolder.make(folder)
      await access(folder, constants.W_OK)
    }
  }).pipe(Effect.match({
    onSuccess: (): Finding => ({ name: "folders", state: "good", detail: [...new Set([folders.config, folders.data])].join(", ") }),
    onFailure: ({ cause }): Finding => ({ name: "folders", state: "bad", detail: `can't be written: ${cause instanceof Error ? cause.message : String(cause)}` })
  }))

const kept = Effect.fnUntraced(function*(cwd: string) {
  const storage = yield* Storage
  const settings = yield* Settings
  const sessions = yield* storage.list({})
  const { rules } = yield* settings.load(cwd)
  return [
    { name: "storage", state: "good", detail: Lines.many(sessions.length, "session") },
    { name: "settings", state: "good", detail: `${rules.allow.length} allow, ${rules.ask.length} ask, ${rules.deny.length} deny rules for ${cwd}` }
  ] satisfies ReadonlyArray<Finding>
})

/** Which keys are found, and where; never the keys. */
const keys = Effect.map(Auth.found, (rows): Finding => {
  const found = rows.flatMap(({ from, provider }) => from === null ? [] : [`${provider} (${from})`])
  return found.length > 0
    ? { name: "keys", state: "good", detail: found.join(", ") }
    : { name: "keys", state: "warn", detail: "none: `dacapo auth login <provider>` keeps one, or set its variable (`dacapo auth status` says which), or use a local server" }
})

/** MCP servers that are written down; none is started. */
const servers = (cwd: string) =>
  Effect.map(Effect.flatMap(Mcp, ({ known }) => known(cwd)), ({ notes, servers }): Finding => ({
    name: "mcp",
    state: notes.length === 0 ? "good" : "warn",
    detail: [
      servers.length === 0 ? "no server" : servers.map(({ definition: { disabled, name }, file }) => `${name} (${file}${disabled ? ", disabled" : ""})`).join(", "),
      ...notes
    ].join("; ")
  }))

/** Tried, not only looked for: it may be there and not be let. */
const sandbox = (environment: Environment["Service"]): Effect.Effect<Finding> =>
  Effect.match(Confined.probe(environment), {
    onSuccess: ({ path }): Finding => ({ name: "sandbox", state: "good", detail: `${path} works: --sandbox workspace-write confines commands` }),
    onFailure: (why): Finding => ({ name: "sandbox", state: "warn", detail: why })
  })

/** What of this folder acts, or waits until it is trusted. */
const trust = Effect.fnUntraced(function*(cwd: string) {
  const { holds, waiting } = yield* Trust
  const [trusted, found] = [yield* holds(cwd), yield* waiting(cwd)]
  const list = found.map(({ path, what }) => `${path} ${what}`).join("; ")
  return {
    name: "trust",
    state: trusted || found.length === 0 ? "good" : "warn",
    detail: trusted
      ? `this folder is trusted${list === "" ? "" : `: ${list}`}`
      : list === "" ? "this folder is not trusted, and holds nothing that would act" : `waits for \`dacapo trust\`: ${list}`
  } satisfies Finding
})

/** Processes of an dacapo that was killed. */
const orphans = (end: boolean): Effect.Effect<Finding> =>
  Effect.map(end ? ProcessTree.sweep : ProcessTree.orphans, (left): Finding => {
    const list = left.map(({ command, pid }) => `${pid} ${command.slice(0, 80)}`).join("; ")
    return left.length === 0
      ? { name: "orphans", state: "good", detail: "nothing was left running" }
      : { name: "orphans", state: end ? "good" : "warn", detail: end ? `ended ${list}` : `still running: ${list}. \`dacapo doctor --orphans\` ends them` }
  })

/** ripgrep: the user's own, or the one that comes with dacapo. */
const searcher = ({ platform, variables }: Environment["Service"]): Finding => {
  const found = Ripgrep.find({ path: variables["PATH"] ?? "", platform })
  return found === undefined
    ? { name: "ripgrep", state: "warn", detail: "not found: searches use a slower way without it" }
    : { name: "ripgrep", state: "good", detail: found }
}

/** The browser of the browser tool. */
const browser = (environment: Environment["Service"]): Effect.Effect<Finding> => {
  const found = Chromium.find(environment)
  return found === undefined
    ? Effect.succeed({ name: "browser", state: "warn", detail: `${Chromium.missing(environment.platform).message} Without it there is no browser tool` })
    : Effect.map(program(found, ["--version"], "warn", "it is there and does not run"), ({ detail, state }) => ({ name: "browser", state, detail: `${found}, ${detail.trim()}` }))
}

const execute = promisify(execFile)

const program = (name: string, args: ReadonlyArray<string>, missing: "warn" | "bad", why: string): Effect.Effect<Finding> =>
  Effect.tryPromise(() => execute(name, args, { timeout: 5_000 })).pipe(Effect.match({
    onSuccess: ({ stdout }): Finding => ({ name, state: "good", detail: stdout.split("\n", 1)[0]! }),
    onFailure: (): Finding => ({ name, state: missing, detail: `not found: ${why}` })
  }))
