/** `dacapo doctor`: checks the installation and says how to fix problems. Exits with 0 if dacapo can work. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFile } from "node:child_process"
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { promisify } from "node:util"
import { durationText } from "../../domain/provider/Retry.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { rules } from "../../layers/context/sources/rules.ts"
import * as SmallFile from "../../layers/context/sources/SmallFile.ts"
import * as Chromium from "../../layers/browser/Chromium.ts"
import * as PrivateFolder from "../../layers/storage/PrivateFolder.ts"
import * as EndpointNotes from "../../layers/provider/EndpointNotes.ts"
import * as SandboxedShell from "../../layers/workspace/shell/SandboxedShell.ts"
import * as ProcessTree from "../../layers/workspace/shell/ProcessTree.ts"
import * as Programs from "../../layers/workspace/Programs.ts"
import * as Ripgrep from "../../layers/workspace/files/Ripgrep.ts"
import type { Environment } from "../../services/Environment.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Settings } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import { Storage } from "../../services/Storage.ts"
import type { Run } from "../Command.ts"
import * as ConfiguredProviders from "../start/ConfiguredProviders.ts"
import * as TrustChanges from "../start/TrustChanges.ts"
import * as ErrorMessage from "../process/ErrorMessage.ts"
import { endings, type Failure } from "../process/ExitCode.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as View from "../render/view/View.ts"
import * as Wrap from "../render/text/Wrap.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import * as Auth from "./Auth.ts"
import { withStore } from "./plugin/manage.ts"
import * as PluginState from "./plugin/PluginState.ts"

/** `bad`: dacapo can't work. `warn`: a feature is missing. */
interface Finding {
  readonly name: string
  readonly state: "good" | "warn" | "bad"
  readonly detail: string
}

export const run: Run = Effect.fnUntraced(function*({ values: { cd, orphans: shouldEnd, outputFormat = "text" } }) {
  const { cwd: hostCwd, environment, node, stdout } = yield* Host
  const cwd = yield* WorkingFolder.open(hostCwd, cd)
  const path = Programs.searchPath(environment, [cwd])
  const findings: ReadonlyArray<Finding> = [
    { name: "dacapo", state: "good", detail: `${environment.version} on Node ${node}, ${environment.platform}` },
    yield* folders(environment),
    ...(yield* Effect.provide(stored(cwd), (yield* AgentLayers).records).pipe(
      Effect.catch((failure: Failure) =>
        Effect.succeed([{ name: "storage", state: "bad" as const, detail: ErrorMessage.sentence(failure) }])
      )
    )),
    yield* Effect.provide(keys, (yield* AgentLayers).records).pipe(
      Effect.catch((failure: Failure) => Effect.succeed({ name: "keys", state: "bad" as const, detail: ErrorMessage.sentence(failure) }))
    ),
    ...(yield* Effect.provide(ConfiguredProviders.describe(cwd), (yield* AgentLayers).records).pipe(
      Effect.map((rows) => rows.map(({ detail, isUsable }): Finding => ({ name: "provider", state: isUsable ? "good" : "warn", detail }))),
      Effect.catch((failure: Failure) =>
        Effect.succeed([{ name: "provider", state: "bad" as const, detail: ErrorMessage.sentence(failure) }])
      )
    )),
    ...(yield* Effect.provide(endpoints, (yield* AgentLayers).records)),
    yield* program("bash", path, ["--version"], "bad", "the agent needs it to run commands"),
    yield* program("git", path, ["--version"], "warn", "checkpoints need it"),
    ripgrep(environment, path),
    yield* browser(environment, path),
    yield* Effect.provide(rulesFiles(cwd), (yield* AgentLayers).records),
    yield* Effect.provide(servers(cwd), yield* UnattendedAgent.unattendedLayer(cwd)).pipe(
      Effect.catch((failure: Failure) => Effect.succeed({ name: "mcp", state: "warn" as const, detail: ErrorMessage.sentence(failure) }))
    ),
    yield* Effect.catch(
      plugins,
      (failure: Failure) => Effect.succeed({ name: "plugins", state: "bad" as const, detail: ErrorMessage.sentence(failure) })
    ),
    yield* sandbox(environment, cwd),
    yield* Effect.provide(trustFinding(cwd), (yield* AgentLayers).records).pipe(
      Effect.catch((failure: Failure) => Effect.succeed({ name: "trust", state: "bad" as const, detail: ErrorMessage.sentence(failure) }))
    ),
    yield* orphans(shouldEnd === true)
  ]
  yield* stdout.write(
    outputFormat === "text" ? findings.flatMap(rows(stdout.tty ? stdout.columns() : Infinity)).join("") : StreamJson.line(findings)
  )
  return findings.some(({ state }) => state === "bad") ? endings.config.exit : 0
})

const marks = { good: "✓", warn: "!", bad: "✗" } as const

const rows = (columns: number) => ({ detail, name, state }: Finding): ReadonlyArray<string> =>
  Wrap.row(`${marks[state]} ${name.padEnd(10)} `, View.text(detail).replaceAll("\n", " "), columns).map((line) => `${line}\n`)

/** The rules files that a session in this folder would load, and problems with them. */
const rulesFiles = (cwd: string) =>
  rules.gather({ cwd, files: new Map() }).pipe(
    Effect.provide(SmallFile.layerMachine.pipe(Layer.provide(NodeFileSystem.layer))),
    Effect.map(({ notes = [], rules = [] }): Finding => ({
      name: "rules",
      state: notes.length === 0 ? "good" : "warn",
      detail: [
        rules.length === 0
          ? "none; run `dacapo init` to create AGENTS.md"
          : rules.map(({ path, text }) => `${path} (${Math.ceil(text.length / 1024)} kB)`).join(", "),
        ...notes
      ].join("; ")
    }))
  )

/** The data folders, and whether they are writable. */
const folders = ({ folders }: Environment["Service"]): Effect.Effect<Finding> =>
  Effect.tryPromise(async () => {
    for (const folder of [folders.config, folders.data, folders.state]) {
      PrivateFolder.make(folder)
      await access(folder, constants.W_OK)
    }
  }).pipe(Effect.match({
    onSuccess: (): Finding => ({ name: "folders", state: "good", detail: [...new Set([folders.config, folders.data])].join(", ") }),
    onFailure: ({ cause }): Finding => ({
      name: "folders",
      state: "bad",
      detail: `not writable: ${cause instanceof Error ? cause.message : String(cause)}`
    })
  }))

const stored = Effect.fnUntraced(function*(cwd: string) {
  const storage = yield* Storage
  const settings = yield* Settings
  const sessions = yield* storage.list({})
  const { rules } = yield* settings.load(cwd)
  return [
    { name: "storage", state: "good", detail: BlockLines.plural(sessions.length, "session") },
    {
      name: "settings",
      state: "good",
      detail: `${rules.allow.length} allow, ${rules.ask.length} ask, ${rules.deny.length} deny rules for ${cwd}`
    }
  ] satisfies ReadonlyArray<Finding>
})

/** The sources of the keys; never the keys themselves. */
const keys = Effect.map(Auth.keySources, (rows): Finding => {
  const keyNames = rows.flatMap(({ from, provider }) => from === null ? [] : [`${provider} (${from})`])
  return keyNames.length > 0
    ? { name: "keys", state: "good", detail: keyNames.join(", ") }
    : {
      name: "keys",
      state: "warn",
      detail: "none; run `dacapo auth login <provider>`, set a variable listed by `dacapo auth status`, or use a local server"
    }
})

/** What sessions noted about model servers: pauses after failures, and models whose native tools a server refused. */
const endpoints = Effect.gen(function*() {
  const notes = yield* EndpointNotes.make
  const now = yield* Clock.currentTimeMillis
  const [open, withoutTools] = [yield* notes.list("circuit"), yield* notes.list("xml-tools")]
  return [
    ...(open.length === 0 ? [{ name: "circuits", state: "good", detail: "all closed: no model server is paused" } satisfies Finding] : []),
    ...open.map((note): Finding => ({
      name: "circuits",
      state: "warn",
      detail: `${note.provider} at ${note.address}: paused ${durationText(now - note.since)} ago by process ${note.holder.pid}, ${
        !EndpointNotes.isCurrent(note, now) ? "which has ended"
          : note.until > now ? `which sends it no request for another ${durationText(note.until - now)}`
          : "whose next request tests it"
      }. ${note.message}`
    })),
    ...withoutTools.map(({ address, expires, model = "", provider }): Finding => ({
      name: "tools",
      state: "good",
      detail: `${provider}/${model} at ${address} refused native tools: described as XML until ${Usage.formatDay(expires)}`
    }))
  ]
})

/** The configured MCP servers, without starting them. */
const servers = (cwd: string) =>
  Effect.map(Effect.flatMap(Mcp, ({ list }) => list(cwd)), ({ notes, servers }): Finding => ({
    name: "mcp",
    state: notes.length === 0 ? "good" : "warn",
    detail: [
      servers.length === 0
        ? "no servers"
        : servers.map(({ definition: { disabled, name }, file }) => `${name} (${file}${disabled ? ", disabled" : ""})`).join(", "),
      ...notes
    ].join("; ")
  }))

/** The installed plugins, and whether they are as they were installed. */
const plugins = Effect.map(withStore((store) => store.list), (all): Finding => ({
  name: "plugins",
  state: all.some((plugin) => PluginState.of(plugin) === "changed") ? "warn" : "good",
  detail: all.length === 0 ? "none installed" : all.map((plugin) =>
    `${PluginState.title(plugin)}: ${PluginState.describe(plugin)}`
  ).join("; ")
}))

/** Runs the sandbox: it may be installed but not permitted. */
const sandbox = (environment: Environment["Service"], cwd: string): Effect.Effect<Finding> =>
  Effect.match(SandboxedShell.probe(environment, [cwd]), {
    onSuccess: ({ path }): Finding => ({
      name: "sandbox",
      state: "good",
      detail: `${path} works: --sandbox workspace-write confines commands`
    }),
    onFailure: (why): Finding => ({ name: "sandbox", state: "warn", detail: why })
  })

/** What in this folder takes effect, and what needs trust first. */
const trustFinding = Effect.fnUntraced(function*(cwd: string) {
  const trust = yield* Trust
  const [isTrusted, pending] = [yield* trust.isTrusted(cwd), yield* trust.items(cwd)]
  const list = pending.map(({ path, effect }) => `${path} ${effect}`).join("; ")
  const changes = isTrusted ? TrustChanges.describe(pending) : ""
  if (changes !== "") {
    return {
      name: "trust",
      state: "warn",
      detail: `this folder is trusted, but these changed since; run \`dacapo trust\` to confirm them: ${changes}`
    } satisfies Finding
  }
  return {
    name: "trust",
    state: isTrusted || pending.length === 0 ? "good" : "warn",
    detail: isTrusted
      ? `this folder is trusted${list === "" ? "" : `: ${list}`}`
      : list === ""
      ? "this folder is not trusted, and has nothing that needs trust"
      : `not in effect until you run \`dacapo trust\`: ${list}`
  } satisfies Finding
})

/** Processes left running by a dacapo that was killed. */
const orphans = (shouldEnd: boolean): Effect.Effect<Finding> =>
  Effect.map(shouldEnd ? ProcessTree.sweep : ProcessTree.orphans, (processes): Finding => {
    const list = processes.map(({ command, pid }) => `${pid} ${command.slice(0, 80)}`).join("; ")
    return processes.length === 0
      ? { name: "orphans", state: "good", detail: "no processes left running" }
      : {
        name: "orphans",
        state: shouldEnd ? "good" : "warn",
        detail: shouldEnd ? `ended ${list}` : `still running: ${list}; run \`dacapo doctor --orphans\` to end them`
      }
  })

/** ripgrep: the one on PATH, or the one installed with dacapo. */
const ripgrep = ({ platform }: Environment["Service"], path: string): Finding => {
  const binary = Ripgrep.find({ path, platform })
  return binary === undefined
    ? { name: "ripgrep", state: "warn", detail: "not found; searches are slower without it" }
    : { name: "ripgrep", state: "good", detail: binary }
}

/** Chromium, for the browser tool. */
const browser = (environment: Environment["Service"], path: string): Effect.Effect<Finding> => {
  const binary = Chromium.find({ path, platform: environment.platform })
  return binary === undefined
    ? Effect.succeed({
      name: "browser",
      state: "warn",
      detail: `${Chromium.missingBrowser(environment.platform).message} The browser tool needs it`
    })
    : Effect.map(
      program(binary, path, ["--version"], "warn", "it is installed but does not run"),
      ({ detail, state }) => ({ name: "browser", state, detail: `${binary}, ${detail.trim()}` })
    )
}

const execute = promisify(execFile)

/** Runs a program to see whether it works; `why` says what it is needed for. */
const program = (
  name: string,
  path: string,
  args: ReadonlyArray<string>,
  stateIfMissing: "warn" | "bad",
  why: string
): Effect.Effect<Finding> =>
  Effect.tryPromise(() => execute(name, args, { timeout: 5_000, env: { PATH: path } })).pipe(Effect.match({
    onSuccess: ({ stdout }): Finding => ({ name, state: "good", detail: stdout.split("\n", 1)[0]! }),
    onFailure: (): Finding => ({ name, state: stateIfMissing, detail: `not found; ${why}` })
  }))
