/** Kept files: changed in memory at once, written behind, by any number of processes. */
import { describe, expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as Context from "effect/Context"
import * as JsonFilesLive from "../../../src/layers/settings/JsonFilesLive.ts"
import { Environment } from "../../../src/services/Environment.ts"
import { JsonFiles } from "../../../src/services/JsonFiles.ts"

const environment = (root: string) =>
  Layer.succeed(Environment, {
    variables: {},
    folders: { home: root, config: root, data: root, state: join(root, "state"), cache: root },
    platform: "linux",
    version: "0.0.0"
  })

/** A folder of its own, and a service over it that `close` closes as an exit does. */
const opened = Effect.gen(function*() {
  const root = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-files-"))),
    (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
  )
  const scope = yield* Scope.make()
  const services = yield* Layer.buildWithScope(Layer.provide(JsonFilesLive.layer, environment(root)), scope)
  const file = join(root, "some", "settings.json")
  return { root, file, kept: yield* Context.get(services, JsonFiles).at(file), close: Scope.close(scope, Exit.void) }
})

const add = (item: string) => (before: unknown) => [...(before as ReadonlyArray<string> | undefined ?? []), item]

describe("the service", () => {
  it.effect("reads a file once, however often it is requested", () =>
    Effect.gen(function*() {
      const root = yield* Effect.acquireRelease(Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-files-"))), (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true })))
      const scope = yield* Scope.make()
      const held = () => scope.state._tag === "Open" ? scope.state.finalizers?.size ?? 0 : 0
      const files = yield* JsonFilesLive.make.pipe(Scope.provide(scope), Effect.provide(environment(root)))
      yield* files.at(join(root, "a.json"))
      const once = held()
      yield* Effect.forEach(Array.from({ length: 100 }), () => files.at(join(root, "a.json")))
      expect(held()).toBe(once)
      yield* Scope.close(scope, Exit.void)
    }))
})

describe("a JSON file", () => {
  it.effect("says at once what was changed, and has it on disk half a second later", () =>
    Effect.gen(function*() {
      const { file, kept } = yield* opened
      yield* kept.change(["model"], () => "a/b")
      expect(yield* kept.value).toEqual({ model: "a/b" })
      expect(yield* kept.pending).toEqual([["model"]])
      expect(existsSync(file)).toBe(false)
      yield* TestClock.adjust("499 millis")
      expect(existsSync(file)).toBe(false)
      yield* TestClock.adjust("1 millis")
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ model: "a/b" })
      expect(yield* kept.pending).toEqual([])
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }))

  it.effect("is written when the process leaves, however soon", () =>
    Effect.gen(function*() {
      const { close, file, kept } = yield* opened
      yield* kept.change(["a"], () => 1)
      yield* close
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ a: 1 })
    }))

  it.effect("keeps its comments, and what others wrote into it meanwhile", () =>
    Effect.gen(function*() {
      const { file, kept } = yield* opened
      yield* kept.change(["rules", "allow"], add("Read"))
      mkdirSync(join(file, ".."), { recursive: true })
      writeFileSync(file, "{\n  // mine\n  \"rules\": { \"allow\": [\"Edit\"] } // these\n}\n")
      yield* kept.flush
      const text = readFileSync(file, "utf8")
      expect(text).toContain("// mine")
      expect(text).toContain("// these")
      expect(yield* kept.value).toEqual({ rules: { allow: ["Edit", "Read"] } })
    }))

  it.effect("stays as it is when it is not valid JSON: the change is pending, and written once the file is mended", () =>
    Effect.gen(function*() {
      const { file, kept } = yield* opened
      mkdirSync(join(file, ".."), { recursive: true })
      writeFileSync(file, "{\n  oops\n")
      yield* kept.change(["a"], () => 1)
      expect(yield* Effect.flip(kept.flush)).toMatchObject({ _tag: "SettingsError", where: `${file}:2` })
      expect(readFileSync(file, "utf8")).toBe("{\n  oops\n")
      expect(yield* kept.pending).toEqual([["a"]])
      writeFileSync(file, "{}")
      yield* kept.flush
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ a: 1 })
    }))

  it.effect("is tried again, later and later, until it can be written", () =>
    Effect.gen(function*() {
      const { file, kept, root } = yield* opened
      // A file where its folder should be: no right of root gets past it.
      writeFileSync(join(root, "some"), "in the way")
      yield* kept.change(["a"], () => 1)
      yield* TestClock.adjust("10 seconds")
      expect(yield* kept.pending).toEqual([["a"]])
      rmSync(join(root, "some"))
      yield* TestClock.adjust("30 seconds")
      expect(yield* kept.pending).toEqual([])
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ a: 1 })
    }))

  it.effect("leaves the others alone when one can't be written", () =>
    Effect.gen(function*() {
      const { root } = yield* opened
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(Layer.provide(JsonFilesLive.layer, environment(root)), scope)
      const files = Context.get(services, JsonFiles)
      writeFileSync(join(root, "blocked"), "")
      const bad = yield* files.at(join(root, "blocked", "secrets.json"))
      const good = yield* files.at(join(root, "workspace.json"))
      yield* bad.change(["key"], () => "x")
      yield* good.change(["seen"], () => true)
      yield* TestClock.adjust("1 second")
      expect(yield* good.pending).toEqual([])
      expect(yield* bad.pending).toEqual([["key"]])
    }))
})

const adder = fileURLToPath(new URL("./adder.ts", import.meta.url))
const start = (root: string, name: string, count: number) =>
  spawn(process.execPath, [adder, root, name, String(count)], { stdio: ["ignore", "pipe", "inherit"] })

describe("processes that change one file at once", () => {
  it("lose no change", async () => {
    const root = mkdtempSync(join(tmpdir(), "dacapo-files-"))
    const names = ["a", "b", "c"]
    const ends = await Promise.all(names.map(async (name) => (await once(start(root, name, 20), "exit"))[0]))
    const value = JSON.parse(readFileSync(join(root, "shared.json"), "utf8"))
    rmSync(root, { recursive: true })
    expect(ends).toEqual([0, 0, 0])
    expect([...value.list].sort()).toEqual(names.flatMap((name) => Array.from({ length: 20 }, (_, i) => `${name}${String(i).padStart(2, "0")}`)))
    expect(value.own).toEqual({ a: 19, b: 19, c: 19 })
  })

  it("are killed at any moment without leaving half a file, or a lock", async () => {
    const root = mkdtempSync(join(tmpdir(), "dacapo-files-"))
    for (let round = 0; round < 8; round++) {
      const child = start(root, `k${round}`, 10_000)
      await once(child.stdout!, "data")
      await setTimeout(round * 3)
      child.kill("SIGKILL")
      await once(child, "exit")
      const value = JSON.parse(readFileSync(join(root, "shared.json"), "utf8"))
      expect(Array.isArray(value.list)).toBe(true)
    }
    const [code] = await once(start(root, "last", 1), "exit")
    const value = JSON.parse(readFileSync(join(root, "shared.json"), "utf8"))
    expect(code).toBe(0)
    expect(value.list.at(-1)).toBe("last00")
    expect(readdirSync(root).filter((name) => name.endsWith(".new"))).toEqual([])
    chmodSync(root, 0o700)
    rmSync(root, { recursive: true })
  })
})
