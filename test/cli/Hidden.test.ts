/** The variables that the command was started with, looked for by a command that it runs: in its own environment, and in every process that it can see. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ScriptedResponse, start } from "../../src/layers/testing/servers/Server.ts"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import * as Process from "./support/Process.ts"

const linux = existsSync("/proc/self/environ")
/** Written in two parts, so that the search does not find itself. */
const look = (mark: string) => `m=${mark.slice(0, 6)}; m=$m${mark.slice(6)}; (env; cat /proc/[0-9]*/environ /proc/[0-9]*/task/*/environ 2>/dev/null | tr '\\0' '\\n'; ps eww -A) | grep -ao "[A-Z_][A-Z_]*=$m[a-z-]*" | sort -u > seen.txt; printf '%s\\n' over >> seen.txt`

/** What a command finds of a key, and what the server of the model was sent. */
const seen = (variables: Readonly<Record<string, string>>, variable: string, mark: string, program = [Process.main]) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* start({ ...anthropic, refusals: [] }, [
      ScriptedResponse.Says({ turn: { calls: [{ name: "run_command", params: { command: "bash look.sh" } }] } }),
      ScriptedResponse.Says({ turn: { text: "Done." } })
    ])
    using place = Process.place()
    // A command that names other processes asks in every mode; what a script of the folder does is its own affair.
    writeFileSync(join(place.cwd, "look.sh"), look(mark))
    const here = { ...place, environment: { ...place.environment, ...variables, [variable]: mark } }
    const args = ["-p", "--permission-mode", "bypassPermissions", "--model", "anthropic/claude-opus-4-5", "--base-url", server.url, "Go"]
    const ran = yield* Effect.promise(() => Process.run(here, args, "ignore", program))
    expect(ran).toMatchObject({ code: 0 })
    const found = yield* Effect.promise(() => Process.written(join(place.cwd, "seen.txt")))
    return { found: found.split("\n"), sent: server.requests.map(({ headers }) => headers["x-api-key"]) }
  }))

/** Another process with the same variable, for the search to find. */
const beside = (variable: string, mark: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn("sleep", ["60"], { env: { [variable]: mark }, stdio: "ignore" })
      await new Promise((resolve) => child.once("spawn", resolve))
      return child
    }),
    (child) => Effect.sync(() => child.kill())
  )

describe.runIf(linux)("the environment that dacapo was started with", () => {
  it.effect("is not readable in any process that a command can see, while the provider gets the key", () => Effect.gen(function*() {
    const { found, sent } = yield* seen({}, "ANTHROPIC_API_KEY", "marker-of-a-key")
    expect(found).toEqual(["over"])
    expect(sent).toEqual(["marker-of-a-key", "marker-of-a-key"])
  }))

  it.effect("would be found by the same search", () => Effect.gen(function*() {
    yield* beside("SOME_KEY", "marker-of-another")
    const { found } = yield* seen({}, "ANTHROPIC_API_KEY", "marker-of-another")
    expect(found).toEqual(["SOME_KEY=marker-of-another", "over"])
  }))

  it.effect("is hidden by a restart if the memory can't be overwritten, and nothing of it stays on disk", () => Effect.gen(function*() {
    using place = Process.place()
    const refusing = join(place.root, "refusing.cjs")
    writeFileSync(refusing, `const fs = require("node:fs"); const { openSync } = fs
      fs.openSync = (path, ...rest) => { if (path === "/proc/self/mem") throw new Error("EACCES"); return openSync(path, ...rest) }`)
    const { found, sent } = yield* seen({ NODE_OPTIONS: `--require=${refusing}`, TMPDIR: place.root }, "ANTHROPIC_API_KEY", "marker-after-start")
    expect(found).toEqual(["over"])
    expect(sent).toEqual(["marker-after-start", "marker-after-start"])
    expect(readdirSync(place.root).filter((name) => name.startsWith("dacapo-"))).toEqual([])
  }))

  it.effect("is hidden by an older Node that starts another one", () => Effect.gen(function*() {
    using place = Process.place()
    const root = join(place.root, "installation")
    const repository = fileURLToPath(new URL("../../", import.meta.url))
    cpSync(join(repository, "bin"), join(root, "bin"), { recursive: true })
    cpSync(join(repository, "package.json"), join(root, "package.json"))
    symlinkSync(join(repository, "dist"), join(root, "dist"))
    mkdirSync(join(root, "node_modules", ".bin"), { recursive: true })
    writeFileSync(join(root, "node_modules", ".bin", "node"), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 })
    const older = join(root, "older.cjs")
    writeFileSync(older, `Object.defineProperty(process.versions, "node", { value: "20.0.0" })`)
    const { found, sent } = yield* seen({}, "ANTHROPIC_API_KEY", "marker-of-a-parent", [`--require=${older}`, join(root, "bin", "dacapo")])
    expect(found).toEqual(["over"])
    expect(sent).toEqual(["marker-of-a-parent", "marker-of-a-parent"])
  }))
})
