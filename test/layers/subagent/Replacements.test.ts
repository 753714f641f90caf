/** A subagent in a worktree works with the services that its program has replaced. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DiffLive from "../../../src/layers/diff/DiffLive.ts"
import * as Live from "../../../src/layers/Live.ts"
import * as EnvironmentLive from "../../../src/layers/settings/EnvironmentLive.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import * as FunctionShell from "../../../src/layers/workspace/shell/FunctionShell.ts"
import * as ScriptedApprover from "../../../src/layers/testing/ScriptedApprover.ts"
import * as ScriptedProvider from "../../../src/layers/testing/ScriptedProvider.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Diff } from "../../../src/services/Diff.ts"

it.live("uses the given shell and edit engine, in its own folder", () =>
  Effect.gen(function*() {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "dacapo-replacements-")))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(root, { recursive: true, force: true })))
    const project = join(root, "project")
    execFileSync("git", ["init", "--quiet", project])
    writeFileSync(join(project, "a.txt"), "one\n")
    execFileSync("git", ["-C", project, "add", "."])
    execFileSync("git", ["-C", project, "-c", "user.name=t", "-c", "user.email=t@t.test", "commit", "--quiet", "-m", "start"])
    const folders: Array<string> = []
    const edits: Array<string> = []
    const diff = Layer.effect(Diff, Effect.map(Diff, (diff) => ({
      ...diff,
      exact: (input: Parameters<typeof diff.exact>[0]) => (edits.push(input.old_text), diff.exact(input))
    }))).pipe(Layer.provide(DiffLive.layer))
    const task = Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* agent.start({ cwd: project, model: "scripted/test", mode: "bypassPermissions" })
      yield* agent.say(id, "Delegate it")
      return (yield* agent.settled(id)).task
    })
    const layer = Live.layer({
      roots: [project],
      approver: ScriptedApprover.layer([]),
      diff,
      environment: EnvironmentLive.layerWith({ DACAPO_HOME: join(root, "home") }),
      provider: ScriptedProvider.layer(
        [{ calls: [{ name: "delegate", params: { tasks: [{ prompt: "Do it.", mode: "edit" }] } }] }, { text: "Done." }],
        {},
        undefined,
        {
          children: [{
            prompt: "Do it.",
            turns: [
              { calls: [{ name: "run_command", params: { command: "make" } }] },
              { calls: [{ name: "read_file", params: { path: "a.txt" } }] },
              { calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "two" } }] },
              { text: "- It is done." }
            ]
          }],
          synthesis: { text: "It is done." }
        }
      ),
      shell: FunctionShell.layer(({ cwd }) => Effect.sync(() => (folders.push(cwd), { output: "made\n" }))),
      storage: MemoryStorage.layer
    })
    const { state } = yield* Effect.provide(task, layer)
    assert.strictEqual(state, "finished")
    assert.deepStrictEqual([...new Set(edits)], ["one"])
    assert.deepStrictEqual(folders.map((folder) => /^(.*)\/\.dacapo\/worktrees\/[^/]+$/.exec(folder)?.[1]), [project])
  }).pipe(Effect.scoped))
