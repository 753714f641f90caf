/** How often a run looks for its settings: they are loaded once, each file is read once, and the rules are compiled once. */
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as AgentLayersLive from "../../../src/cli/process/AgentLayersLive.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as ReplaceFile from "../../../src/layers/settings/ReplaceFile.ts"
import { dacapo } from "../support/Called.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dacapo-options-"))
  vi.stubEnv("DACAPO_HOME", join(folder, "home"))
  vi.stubEnv("HOME", "/home/me") // as the host of the test says
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** A tracer, and the names of the spans that began in it. */
const recorder = () => {
  const names: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      names.push(options.name)
      return new Tracer.NativeSpan(options)
    }
  })
  return { names, tracer }
}

describe("a run of dacapo -p", () => {
  it.live("loads its settings once, reads each of their files once and compiles the session's rules once", () =>
    Effect.gen(function*() {
      const cwd = join(folder, "project")
      const settingsFiles = [join(folder, "home", "config.jsonc"), join(cwd, ".dacapo", "config.jsonc")]
      const allow = ["Read(a.txt)"]
      const permissions = { allow, ask: ["Bash(git push:*)"], deny: ["Read(.env)"] }
      for (const file of settingsFiles) {
        mkdirSync(join(file, ".."), { recursive: true })
        writeFileSync(file, JSON.stringify({ permissions }))
      }
      writeFileSync(join(cwd, "a.txt"), "one\n")
      const script = join(folder, "script.json")
      const turns = [{ calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "It says one." }]
      writeFileSync(script, JSON.stringify({ turns }))
      // A file that changed within the last tick of the clock is read again, for it may have changed twice.
      yield* Effect.sleep("250 millis")
      const read = vi.spyOn(ReplaceFile, "read")
      const compile = vi.spyOn(Rule, "compile")
      const { names, tracer } = recorder()
      const args = ["-p", "Read a.txt", "--model", `scripted/${script}`, "--disallowedTools", "WebFetch"]
      const { exit, stderr, stdout } = yield* dacapo(args, { cwd, layers: AgentLayersLive.layer })
        .pipe(Effect.provideService(Tracer.Tracer, tracer))
      assert.deepStrictEqual([exit, stdout.trim(), stderr], [0, "It says one.", ""])
      assert.strictEqual(names.filter((name) => name === "Settings.load").length, 1)
      // The user's file also names the session store, which is looked up before there is an agent.
      assert.deepStrictEqual(settingsFiles.map((file) => read.mock.calls.filter(([path]) => path === file).length), [2, 1])
      assert.strictEqual(compile.mock.calls.filter(([{ deny = [] }]) => deny.includes("WebFetch")).length, 1)
    }))
})
