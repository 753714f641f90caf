/**
 * What `trust`, `doctor` and docs/security.md say about the files of a folder is what its readers read: every row of the table has a
 * reader that reads that place, and every reader's place has a row.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as ProtectedPaths from "../../../src/domain/approval/ProtectedPaths.ts"
import * as ProjectFiles from "../../../src/domain/config/ProjectFiles.ts"
import * as AgentProfileFiles from "../../../src/layers/context/AgentProfileFiles.ts"
import * as CommandFiles from "../../../src/layers/context/CommandFiles.ts"
import * as SkillsLive from "../../../src/layers/context/SkillsLive.ts"
import { memory } from "../../../src/layers/context/sources/basics.ts"
import { rules } from "../../../src/layers/context/sources/rules.ts"
import * as SmallFile from "../../../src/layers/context/sources/SmallFile.ts"
import * as CustomToolsLive from "../../../src/layers/extension/CustomToolsLive.ts"
import * as LoadDefinitions from "../../../src/layers/mcp/client/LoadDefinitions.ts"
import * as JsonFilesLive from "../../../src/layers/settings/JsonFilesLive.ts"
import * as SettingsLive from "../../../src/layers/settings/SettingsLive.ts"
import * as TrustLive from "../../../src/layers/settings/TrustLive.ts"
import * as NodeWorkspace from "../../../src/layers/workspace/files/NodeWorkspace.ts"
import { CustomTools } from "../../../src/services/extension/CustomTools.ts"
import { Environment } from "../../../src/services/Environment.ts"
import { Settings } from "../../../src/services/Settings.ts"
import { Skills } from "../../../src/services/Skills.ts"
import { Trust } from "../../../src/services/Trust.ts"
import { Workspace } from "../../../src/services/Workspace.ts"

/** A file at or below a row's path, and whether its reader has read it. */
interface Probe {
  readonly file: string
  readonly content: string
  readonly read: (cwd: string) => Effect.Effect<boolean, unknown, Services>
}

type Services = Effect.Services<ReturnType<typeof LoadDefinitions.load>> | Environment | Settings | SmallFile.SmallFiles | Skills | Trust | Workspace

const marker = "Written by the project."

/** One reader each; a reader without a row in the table has no probe, and the compiler asks for it. */
const probes: Readonly<Record<ProjectFiles.Reader, (row: ProjectFiles.ProjectFile) => Probe>> = {
  settings: ({ path }) => ({
    file: path,
    content: JSON.stringify({ maxTurns: 7 }),
    read: (cwd) => Effect.map(Effect.flatMap(Settings, ({ load }) => load(cwd)), ({ maxTurns }) => maxTurns === 7)
  }),
  servers: ({ path }) => ({
    file: path,
    content: JSON.stringify({ mcpServers: { probe: { command: "true" } } }),
    read: (cwd) => Effect.map(LoadDefinitions.load(cwd, {}), ({ servers }) => servers.some(({ definition }) => definition.name === "probe"))
  }),
  commands: ({ path, syntax }) => ({
    file: `${path}/probe${syntax === "gemini" ? ".toml" : ".md"}`,
    content: syntax === "gemini" ? `prompt = '${marker}'` : marker,
    read: (cwd) => Effect.map(CommandFiles.find(cwd, "probe"), (command) => command !== undefined && Result.isSuccess(command))
  }),
  agents: ({ path }) => ({
    file: `${path}/probe.md`,
    content: `---\nname: probe\ndescription: ${marker}\n---\nYou probe.`,
    read: (cwd) => Effect.map(AgentProfileFiles.all(cwd), ({ agents }) => agents.some(({ name }) => name === "probe"))
  }),
  rules: ({ path }) => {
    const isFolder = /\/(?:rules|rules-\w+|instructions)$/.test(path)
    const ending = path.startsWith(".cursor/") ? ".mdc" : path.startsWith(".github/") ? ".instructions.md" : ".md"
    return {
      file: isFolder ? `${path}/probe${ending}` : path,
      content: isFolder ? `---\nalwaysApply: true\n---\n${marker}` : marker,
      read: (cwd) => Effect.map(rules.gather({ cwd, files: new Map() }), (facts) => (facts.rules ?? []).some((rule) => rule.path.includes(path)))
    }
  },
  skills: ({ path }) => ({
    file: `${path}/probe/SKILL.md`,
    content: `---\nname: probe\ndescription: ${marker}\n---\nDo it.`,
    read: (cwd) => Effect.map(Effect.flatMap(Skills, ({ list }) => list(cwd)), ({ skills }) => skills.length > 0)
  }),
  tools: ({ path }) => ({
    file: `${path}/probe.md`,
    content: `---\ndescription: ${marker}\n---\n\`\`\`sh\ntrue\n\`\`\`\n`,
    read: (cwd) => Effect.map(Effect.flatMap(CustomTools, ({ list }) => list(cwd)), ({ tools }) => tools.some(({ name }) => name === "probe"))
  }),
  memory: ({ path }) => ({
    file: `${path}/activeContext.md`,
    content: marker,
    read: (cwd) => Effect.map(memory.gather({ cwd, files: new Map() }), ({ memory = [] }) => memory.some(({ text }) => text.includes(marker)))
  }),
  ignore: ({ path }) => ({
    file: path,
    content: "closed.txt\n",
    read: () => Effect.map(Effect.exit(Effect.flatMap(Workspace, ({ readText }) => readText("closed.txt"))), Exit.isFailure)
  })
}

/** What the reader of a row reads before and after the folder is trusted, and what `trust` lists. */
const tried = (row: ProjectFiles.ProjectFile) =>
  Effect.gen(function*() {
    const root = yield* Effect.acquireRelease(Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-rows-"))), (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true })))
    const cwd = join(root, "project")
    const { content, file, read } = probes[row.reader](row)
    mkdirSync(dirname(join(cwd, file)), { recursive: true })
    writeFileSync(join(cwd, "closed.txt"), "text")
    writeFileSync(join(cwd, file), content)
    const environment = Layer.succeed(Environment, { variables: { PATH: "/usr/bin" }, folders: { home: root, config: join(root, "config"), data: root, state: root, cache: root }, platform: "linux", version: "0" })
    const kept = Layer.provideMerge(TrustLive.layer, Layer.provideMerge(JsonFilesLive.layer, environment))
    const files = Layer.provideMerge(SmallFile.layerMachine, NodeFileSystem.layer)
    const services = Layer.merge(CustomToolsLive.layer, SkillsLive.layer).pipe(
      Layer.provideMerge(Layer.mergeAll(SettingsLive.layer, NodeWorkspace.layer({ roots: [cwd] }), files)),
      Layer.provideMerge(Layer.mergeAll(kept, NodeFileSystem.layer))
    )
    return yield* Effect.gen(function*() {
      const trust = yield* Trust
      const before = yield* read(cwd)
      const items = yield* trust.items(cwd)
      yield* trust.change(cwd, "trusted", items)
      return { before, after: yield* read(cwd), claims: items.map(({ path }) => path) }
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)

describe("the table of a folder's files", () => {
  it.effect("has a reader for each row, which waits for trust where the row says so, and only there", () =>
    Effect.gen(function*() {
      expect(ProjectFiles.list.length).toBeGreaterThan(30)
      for (const row of ProjectFiles.list) {
        const { after, before, claims } = yield* tried(row)
        expect({ path: row.path, before, after, claims }).toEqual({ path: row.path, before: !row.needsTrust, after: true, claims: row.needsTrust ? [row.path] : [] })
      }
    }))

  it("has a row for each place that a reader names", () => {
    const names = /["'`/](\.(?:dacapo|claude|cline|codex|cursor|gemini|github|kilo|opencode|roo|windsurf|mcp\.json|agents)[\w./-]*|(?:AGENTS|CLAUDE|GEMINI)[\w.]*\.md)/g
    /** Places that are not read in a folder by themselves, by file. */
    const others: Readonly<Record<string, ReadonlyArray<string>>> = {
      "src/layers/context/CommandFiles.ts": [".claude/commands", ".gemini/commands", ".codex"], // of the user's home
      "src/layers/context/SkillsLive.ts": [".agents/skills"], // of the user's home
      "src/layers/mcp/client/LoadDefinitions.ts": [".dacapo/"], // to tell the project's settings from the user's
      "src/layers/workspace/files/AtomicWrite.ts": [".dacapo-"], // a file while it is written
      "src/layers/workspace/worktree/Worktree.ts": [".dacapo", ".dacapo/worktrees"] // written, never read
    }
    const claims = new Set(ProjectFiles.list.map(({ path }) => path))
    // Files of other agents are read where the user runs `dacapo import`, and nowhere else.
    const files = globSync("src/{layers,services}/**/*.ts").filter((file) => !/\/(?:testing|settings\/foreign)\//.test(file))
    const unclaimed = files.flatMap((file) => {
      const code = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
      return [...code.matchAll(names)].map(([, name = ""]) => name).filter((name) => !claims.has(name) && others[file]?.includes(name) !== true).map((name) => `${file}: ${name}`)
    })
    expect(files.length).toBeGreaterThan(100)
    expect(unclaimed).toEqual([])
  })

  it("holds only places that a broad rule does not change", () => {
    const open = ProjectFiles.list.filter(({ reader }) => reader !== "memory").filter((row) => ProtectedPaths.writeProtection(`/project/${probes[row.reader](row).file}`) === undefined)
    expect(open.map(({ path }) => path)).toEqual([])
  })

  it("is the one in docs/security.md", () => {
    const groups = new Map<string, Array<string>>()
    for (const { effect, needsTrust, path } of ProjectFiles.list) {
      const key = `${effect} | ${needsTrust ? "yes" : "no"} |`
      groups.set(key, [...groups.get(key) ?? [], `\`${path}\``])
    }
    const table = ["| in the folder | effect | needs trust |", "| --- | --- | --- |", ...[...groups].map(([key, paths]) => `| ${paths.join(", ")} | ${key}`)].join("\n")
    expect(/\| in the folder \|[^\n]*\n(?:\|[^\n]*\n)*/.exec(readFileSync("docs/security.md", "utf8"))?.[0].trimEnd()).toBe(table)
  })
})
