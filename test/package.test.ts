/** The package as an embedder gets it: built by `npm ci`, imported by its name. */
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"

const root = fileURLToPath(new URL("../", import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"))

/** What a module at the checkout's root prints: it resolves `dacapo` as an embedder's does. */
const run = (code: string) => {
  const text = execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: root, encoding: "utf8" })
  return text === "" ? undefined : JSON.parse(text)
}

describe("the package", () => {
  it("has a file and types behind every name that it exports", () => {
    for (const target of Object.values<Record<string, string> | string>(manifest.exports)) {
      for (const file of typeof target === "string" ? [target] : Object.values(target)) {
        assert.isNotEmpty(globSync(file.replace("*", "**/*"), { cwd: root }), `${file} is missing: run \`npm run build\``)
      }
    }
  })

  it("has each module of the domain and of the services under its own name, with types", () => {
    for (const module of globSync(["src/domain/**/*.ts", "src/services/*.ts"], { cwd: root }).map((file) => file.slice("src/".length, -".ts".length))) {
      assert.isTrue(existsSync(`${root}dist/${module}.js`) && existsSync(`${root}dist/${module}.d.ts`), module)
    }
  })

  it("does nothing when it is imported", () => {
    assert.isUndefined(run(`await import("dacapo"); await import("dacapo/domain"); await import("dacapo/testing")`))
  })

  it("loads a few files when it is imported, without the model catalogue, the shell's grammar, the protocols of providers and streams", () => {
    const files: ReadonlyArray<string> = run(`
      import { registerHooks } from "node:module"
      import { fileURLToPath } from "node:url"
      const files = []
      registerHooks({ load: (url, context, next) => (url.startsWith("file:") && files.push(fileURLToPath(url)), next(url, context)) })
      await import("dacapo")
      console.log(JSON.stringify(files))
    `)
    assert.deepStrictEqual(files.filter((file) => /effect\/dist\/(?:Stream|Channel|Queue|Match)\.js$/.test(file)), [])
    const ours = files.filter((file) => !file.includes("/node_modules/"))
    assert.isBelow(ours.length, 10)
    const texts = ours.map((file) => readFileSync(file, "utf8"))
    assert.isTrue(texts.some((text) => text.includes("dacapo/ToolContext")))
    for (const part of ["claude-opus-4-8", "unbash", "node:sqlite", "node:http", "tool_use_id", "functionDeclarations", "picomatch"]) assert.isFalse(texts.some((text) => text.includes(part)), part)
    assert.isBelow(texts.reduce((sum, text) => sum + text.length, 0), 320_000)
  })

  it("loads nothing of Node that the import does not need, beside what Effect loads", () => {
    const loaded: ReadonlyArray<string> = run(`
      for (const name of ["Schema", "Stream", "ManagedRuntime"]) await import("effect/" + name)
      const before = new Set(process.moduleLoadList)
      await import("dacapo")
      console.log(JSON.stringify(process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.replace(/^.* /, ""))))
    `)
    assert.deepStrictEqual(loaded, [])
  })

  it("works with the embedder's own Effect, and its entries share their classes", () => {
    const found = run(`
      import * as Context from "effect/Context"
      import * as Effect from "effect/Effect"
      import * as Layer from "effect/Layer"
      import { Storage } from "dacapo"
      import { Memory } from "dacapo/testing"
      const listed = Effect.flatMap(Storage, (storage) => storage.list({}))
      const own = Layer.succeed(Storage, { ...Context.get(await Effect.runPromise(Effect.scoped(Layer.build(Memory.layer))), Storage), list: () => Effect.succeed(["own"]) })
      console.log(JSON.stringify([await Effect.runPromise(Effect.provide(listed, Memory.layer)), await Effect.runPromise(Effect.provide(listed, own))]))
    `)
    assert.deepStrictEqual(found, [[], ["own"]])
  })
})

/** Bundled for a browser, by its built file. */
const bundle = (module: string) =>
  build({
    entryPoints: [`${root}dist/domain/${module}.js`],
    bundle: true,
    minify: true,
    format: "iife",
    globalName: "domain",
    platform: "browser",
    write: false,
    logLevel: "silent"
  })

it("a module of the domain brings only what it needs into a bundle", async () => {
  const { outputFiles } = await bundle("diff/UnifiedDiff")
  assert.isBelow(outputFiles[0]!.contents.length, 60_000)
})

it("the catalogue's check fails once it is older than 30 days", () => {
  const { date } = JSON.parse(readFileSync(`${root}src/domain/provider/catalogue.json`, "utf8")) as { readonly date: string }
  const check = (days: number) => {
    const now = `Date.now = () => ${Date.parse(date) + days * 86_400_000}`
    const { status, stderr } = spawnSync(process.execPath, ["--import", `data:text/javascript,${now}`, "scripts/catalogue.mjs", "--check"], { cwd: root, encoding: "utf8" })
    return { status, stderr }
  }
  assert.deepStrictEqual(check(30), { status: 0, stderr: "" })
  const { status, stderr } = check(31)
  assert.strictEqual(status, 1)
  assert.include(stderr, "older than 30 days")
})

it("can't be published without the addresses of its source, page and bugs", () => {
  const missing = ["repository", "homepage", "bugs"].filter((field) => manifest[field] === undefined)
  const { status, stderr } = spawnSync(process.execPath, ["scripts/publishable.mjs"], { cwd: root, encoding: "utf8" })
  assert.strictEqual(status, missing.length === 0 ? 0 : 1)
  for (const field of missing) assert.include(stderr, `no ${field}`)
  assert.include(manifest.scripts.prepublishOnly, "scripts/publishable.mjs")
})

it("the domain runs where there is no Node", async () => {
  const { outputFiles, warnings } = await bundle("index")
  assert.deepStrictEqual(warnings, [])
  const page = createContext({ TextDecoder, TextEncoder, URL, performance, queueMicrotask, setTimeout })
  runInContext(outputFiles[0]!.text, page)
  const parts = runInContext(`JSON.stringify(domain.XmlTools.parse("So: <read><path>a.ts</path></read>", {
    tools: [{ name: "read", params: [{ name: "path" }] }]
  }))`, page)
  assert.deepStrictEqual(JSON.parse(parts).map(({ _tag }: { readonly _tag: string }) => _tag), ["Text", "ToolCall"])
})
