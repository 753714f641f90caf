/** What the faces for editors, programs and other terminals need is read by their commands alone. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import * as Server from "../../src/layers/testing/servers/Server.ts"
import * as Process from "./support/Process.ts"

/** Texts of modules that only one command needs. */
const markers = {
  acp: "The client closed the session.",
  attach: "The token of the server is missing",
  serve: "dacapo control protocol",
  stdio: "A line is not a valid request.",
  terminal: "asks for hidden input: Ctrl-O to type it"
}

/** The faces whose code a command reads. */
const faces = async (place: Process.Place, args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const preload = join(place.root, "reads.cjs")
  const record = join(place.root, "reads.json")
  writeFileSync(preload, `
    const fs = require("node:fs")
    const files = new Set()
    for (const name of ["readFileSync", "openSync"]) {
      const read = fs[name]
      fs[name] = (file, ...rest) => (files.add(String(file)), read(file, ...rest))
    }
    process.on("exit", () => fs.writeFileSync(${JSON.stringify(record)}, JSON.stringify([...files])))
  `)
  const { code, stderr } = await Process.run(place, args, "", ["--require", preload, Process.main])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  const files: ReadonlyArray<string> = JSON.parse(readFileSync(record, "utf8"))
  const texts = files.filter((file) => /\/dist\/.*\.c?js$/.test(file)).map((file) => readFileSync(file, "utf8"))
  expect(texts).not.toEqual([])
  return Object.entries(markers).flatMap(([name, marker]) => texts.some((text) => text.includes(marker)) ? [name] : [])
}

describe("the code of a face", () => {
  it("is read by its own command", async () => {
    using place = Process.place()
    const model = place.script({ text: "Hi." })
    expect(await faces(place, ["-p", "hi", "--model", model])).toEqual([])
    expect(await faces(place, ["sessions", "list"])).toEqual([])
    expect(await faces(place, ["acp", "--model", model])).toEqual(["acp"])
    expect(await faces(place, ["serve", "--stdio", "--model", model])).toEqual(["stdio"])
    expect(await faces(place, ["config", "list"])).toEqual([])
    expect(await faces(place, ["auth", "status"])).toEqual([])
  })
})

describe("a command that prints plain letters", () => {
  it("prepares no rules for splitting Unicode into characters, which takes a third of the time of starting Node", async () => {
    using place = Process.place()
    const preload = join(place.root, "segmenter.cjs")
    writeFileSync(preload, `Intl.Segmenter = class { constructor() { throw new Error("A segmenter was made.") } }`)
    const run = (...args: ReadonlyArray<string>) => Process.run(place, args, "", ["--require", preload, Process.main])
    expect(await run("-p", "hi", "--model", place.script({ text: "Hi." }))).toMatchObject({ code: 0, stdout: "Hi.\n", stderr: "" })
    expect(await run("config", "list")).toMatchObject({ code: 0, stderr: "" })
    expect(await run("sessions", "list")).toMatchObject({ code: 0, stderr: "" })
  })
})

describe("a request to a model server", () => {
  it.live("does without Node's own HTTP client, which costs as much as starting Node", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* Server.start(anthropic, () => Server.ScriptedResponse.Says({ turn: { text: "Hi." } }))
      yield* Effect.promise(async () => {
        using place = Process.place()
        const [preload, record] = [join(place.root, "modules.cjs"), join(place.root, "modules.json")]
        const write = `require("node:fs").writeFileSync(${JSON.stringify(record)}, JSON.stringify(process.moduleLoadList))`
        writeFileSync(preload, `process.on("exit", () => ${write})`)
        const environment = { ...place.environment, ANTHROPIC_API_KEY: "sk-ant-test" }
        const args = ["-p", "hi", "--model", "anthropic/claude-sonnet-4-6", "--base-url", url]
        const { code, stderr } = await Process.run({ ...place, environment }, args, "", ["--require", preload, Process.main])
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
        const modules: ReadonlyArray<string> = JSON.parse(readFileSync(record, "utf8"))
        expect(modules).toContain("NativeModule http")
        expect(modules.filter((name) => /undici|https|http2|tls/.test(name))).toEqual([])
      })
    })))
})
