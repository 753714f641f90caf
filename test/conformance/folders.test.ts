/** The services of a folder: on a disk and in memory, they pass the same suites; git.slow.test.ts has those that run git. */
import { afterAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Session from "../../src/domain/session/Session.ts"
import * as Outcome from "../../src/domain/tool/Outcome.ts"
import * as Composition from "../../src/layers/Composition.ts"
import { builtin as sources } from "../../src/layers/context/builtin.ts"
import * as DiffLive from "../../src/layers/diff/DiffLive.ts"
import * as Live from "../../src/layers/Live.ts"
import * as McpLive from "../../src/layers/mcp/McpLive.ts"
import * as MemoryStorage from "../../src/layers/storage/MemoryStorage.ts"
import * as Test from "../../src/layers/Test.ts"
import * as checkpoints from "../../src/layers/testing/conformance/checkpoints.ts"
import * as mcp from "../../src/layers/testing/conformance/mcp.ts"
import * as source from "../../src/layers/testing/conformance/source.ts"
import * as workspace from "../../src/layers/testing/conformance/workspace.ts"
import * as worktrees from "../../src/layers/testing/conformance/worktrees.ts"
import * as MemoryCheckpoints from "../../src/layers/testing/MemoryCheckpoints.ts"
import * as MemoryWorkspace from "../../src/layers/testing/MemoryWorkspace.ts"
import * as MemoryWorktrees from "../../src/layers/testing/MemoryWorktrees.ts"
import * as ScriptedMcp from "../../src/layers/testing/ScriptedMcp.ts"
import * as NodeWorkspace from "../../src/layers/workspace/files/NodeWorkspace.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Approver } from "../../src/services/Approver.ts"
import { environment, folder } from "../layers/workspace/fixture.ts"

interface Case {
  readonly name: string
  readonly run: Effect.Effect<void, unknown>
}

const suite = (name: string, cases: ReadonlyArray<Case>) =>
  describe(name, () => {
    for (const { name, run } of cases) it.live(name, () => run)
  })

/** A layer over a folder of its own. */
const inFolder = <A, E>(make: (root: string) => Layer.Layer<A, E>): Layer.Layer<A, E> => Layer.unwrap(Effect.map(folder(), make))

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@test", "-c", "init.defaultBranch=main", ...args], { cwd, stdio: "ignore" })

const onDisk = (root: string) => Layer.provide(NodeWorkspace.layer({ roots: [root] }), environment())
const inMemory = (files = MemoryWorkspace.files({})) => MemoryWorkspace.layer(files, Test.cwd)

suite("NodeWorkspace", workspace.cases(inFolder(onDisk), (path, target) => Effect.sync(() => fs.symlinkSync(target, path))))
suite("MemoryWorkspace", workspace.cases(Layer.suspend(inMemory)))

suite("MemoryCheckpoints", checkpoints.cases(Layer.suspend(() => {
  const files = MemoryWorkspace.files({})
  return Layer.provideMerge(MemoryCheckpoints.layer(files), inMemory(files)).pipe(Layer.provide(DiffLive.layer))
})))

const shared = "one\ntwo\nthree\nfour\nfive\nsix\n"
/** The agent of a worktree has work of its own elsewhere: here its folder is looked at. */
const idle = Layer.mock(Agent)({})

suite("MemoryWorktrees", worktrees.cases(Effect.sync((): worktrees.World => {
  const files = MemoryWorkspace.files({ "shared.txt": shared })
  const folders = new Map([[Test.cwd, files]])
  return {
    cwd: Test.cwd,
    layer: MemoryWorktrees.layerWith(files, () => idle, folders),
    write: (folder, path, text) => Effect.sync(() => void folders.get(folder)!.set(path, new TextEncoder().encode(text))),
    read: (folder, path) => Effect.sync(() => {
      const bytes = folders.get(folder)?.get(path)
      return bytes === undefined ? null : new TextDecoder().decode(bytes)
    })
  }
})))

const session = (cwd: string): Session.Session => ({
  ...Session.empty,
  id: "session",
  cwd,
  home: cwd,
  settings: { ...Session.empty.settings, mode: "bypassPermissions" }
})
const server = fileURLToPath(new URL("../layers/mcp/servers/suite.mjs", import.meta.url))
const nobody = Layer.succeed(Approver, {
  ask: () => Effect.succeed({ decision: "deny", scope: "once", by: "nobody" }),
  question: () => Effect.succeed({ by: "nobody" })
})
suite("McpLive", mcp.cases(
  Composition.layer({
    ...Test.parts(),
    approver: nobody,
    environment: environment(),
    mcp: McpLive.layer({ servers: { suite: { command: process.execPath, args: [server] } } })
  }),
  session(process.cwd())
))
suite("ScriptedMcp", mcp.cases(
  ScriptedMcp.layer({
    suite: {
      tools: {
        echo: { description: "Echoes.", run: ({ text }) => `echo: ${text}` },
        fail: { run: () => Outcome.failed("It failed.") }
      },
      resources: { "test://note": "A note." },
      prompts: { greet: { arguments: [{ name: "name", required: true }], text: ({ name }) => `Hello, ${name}` } }
    }
  }),
  session(Test.cwd)
))

const inMemoryServices = Composition.layer({
  ...Test.parts({
    files: MemoryWorkspace.files({
      "AGENTS.md": "Work well.",
      "memory-bank/notes.md": "half done",
      ".git/HEAD": "ref: refs/heads/main\n",
      ".agents/skills/look/SKILL.md": "---\nname: look\ndescription: How to look.\n---\nTwice."
    })
  }),
  approver: nobody
})
const root = fs.mkdtempSync(join(tmpdir(), "dacapo-sources-"))
afterAll(() => fs.rmSync(root, { recursive: true }))
fs.writeFileSync(join(root, "AGENTS.md"), "Work well.")
git(root, "init", "--quiet")
const onDiskServices = Composition.layer({
  ...Live.parts({ roots: [root] }),
  approver: nobody,
  environment: environment({ PATH: process.env["PATH"], SHELL: "/bin/sh" }, { home: join(root, "home"), data: join(root, "data") }),
  storage: MemoryStorage.layer
})
for (const one of sources) {
  suite(`the source ${one.name} in memory`, source.cases(one, { cwd: Test.cwd, services: inMemoryServices }))
  suite(`the source ${one.name} on a disk`, source.cases(one, { cwd: root, services: onDiskServices }))
}
