/** What a user asks of the records: tokens and money, settings and where they stand, a session shown again. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"

const run = (place: Process.Place, ...args: ReadonlyArray<string>) => Process.run(place, args)

const json = async (place: Process.Place, ...args: ReadonlyArray<string>) => {
  const ended = await run(place, ...args, "--output-format", "json")
  expect(ended).toMatchObject({ code: 0, stderr: "" })
  return JSON.parse(ended.stdout)
}

/** Two requests of one session: the second reads most of its input from the cache. */
const session = async (place: Process.Place): Promise<string> => {
  writeFileSync(join(place.cwd, "a.txt"), "one\n")
  const model = place.script(
    { calls: [{ name: "read_file", params: { path: "a.txt" } }], usage: { input: 3_000, output: 20 } },
    { text: "It says one.", chunkSize: 3, delayMs: 5, usage: { input: 400, cacheRead: 3_000, output: 30 } }
  )
  const ended = await run(place, "-p", "--output-format", "json", "--model", model, "Read a.txt")
  expect(ended.code).toBe(0)
  return JSON.parse(ended.stdout).session_id
}

describe("dacapo stats", () => {
  it("sums tokens by request, session, day and model, and explains cache hits and misses", async () => {
    using place = Process.place()
    expect(await run(place, "stats")).toMatchObject({ code: 0, stdout: "No requests recorded.\n" })
    const id = await session(place)
    const byRequest = await json(place, "stats", "--session", id)
    expect(byRequest.by).toBe("request")
    expect(byRequest.rows.map(({ usage: { cacheRead, input, output } }: { usage: Record<string, number> }) => [input, cacheRead, output]))
      .toEqual([[3_000, 0, 20], [400, 3_000, 30]])
    expect(byRequest.rows.map(({ misses }: { misses: object }) => Object.keys(misses))).toEqual([["first request"], []])
    for (const by of ["session", "day", "model"]) {
      const { rows, total } = await json(place, "stats", "--by", by)
      expect(rows, by).toHaveLength(1)
      expect(total, by).toMatchObject({ requests: 2, usage: { input: 3_400, cacheRead: 3_000, output: 50 } })
    }
    const shown = await run(place, "stats", "--days", "1")
    expect(shown.stdout).toContain("3.0k of 6.4k input tokens were read from the cache.")
    expect(shown.stdout).toMatch(/1 of 2 requests read less than half of their input from it: first request/)
    expect((await run(place, "stats", "--by", "moon")).code).toBe(2)
  })
})

describe("dacapo config", () => {
  it("sets, shows and removes a setting, preserves comments, and shows where a value comes from", async () => {
    using place = Process.place()
    expect(await run(place, "config", "list")).toMatchObject({ code: 0, stdout: "No settings are set.\n" })
    const file = join(place.root, "home", "config.jsonc")
    mkdirSync(join(place.root, "home"), { recursive: true })
    writeFileSync(file, "{\n  // what I like\n  \"model\": \"anthropic/claude-sonnet-4-5\"\n}\n")
    expect(await run(place, "config", "set", "permissions.deny", "[\"Bash(rm:*)\"]")).toMatchObject({ code: 0, stderr: "" })
    const invalid = await run(place, "config", "set", "permissions.deny", "[\"Bash(\"]")
    expect(invalid).toMatchObject({ code: 52, stdout: "" })
    expect(invalid.stderr).toContain("not a valid rule")
    expect(readFileSync(file, "utf8")).toContain("// what I like")
    expect(await json(place, "config", "get", "permissions.deny")).toEqual({ value: ["Bash(rm:*)"], file })
    expect((await run(place, "config", "get", "model")).stdout).toBe("anthropic/claude-sonnet-4-5\n")
    expect((await run(place, "config", "set", "model")).stdout).toContain("Removed model from")
    expect(await run(place, "config", "get", "model")).toMatchObject({ code: 42, stderr: expect.stringContaining("model is not set") })
    expect(await run(place, "config", "get", "theme")).toMatchObject({ code: 0, stdout: "auto\n", stderr: expect.stringContaining("This is the default") })
    const keyed = { ...place, environment: { ...place.environment, ANTHROPIC_API_KEY: "k" } }
    expect(await run(keyed, "config", "get", "model")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^anthropic\/claude-sonnet-[\d-]+\n$/),
      stderr: expect.stringContaining("the default for the API key that is set")
    })
    expect(await json(place, "config", "get", "permissions.defaultMode")).toEqual({ value: "default", file: null })
  })

  it("rejects unknown settings and invalid values, and leaves the file unchanged", async () => {
    using place = Process.place()
    await run(place, "config", "set", "model", "openai/gpt-5")
    const file = join(place.root, "home", "config.jsonc")
    const before = readFileSync(file, "utf8")
    expect(before).toMatch(/"\$schema": "https:\/\/unpkg\.com\/dacapo@\d+\.\d+\.\d+\/dist\/schemas\/config\.json"/)
    expect(existsSync("dist/schemas/config.json")).toBe(true)
    expect(await run(place, "config", "set", "modle", "x")).toMatchObject({ code: 2, stderr: expect.stringContaining("\"modle\" is not a setting") })
    expect(await run(place, "config", "set", "permissions.deny", "7")).toMatchObject({ code: expect.toSatisfy((code) => code > 0), stderr: expect.stringContaining("deny") })
    expect(await run(place, "config", "walk")).toMatchObject({ code: 2, stderr: expect.stringContaining("get, list, schema, set") })
    expect(readFileSync(file, "utf8")).toBe(before)
  })

  it("uses only the stricter settings of an untrusted repository, and prints the schema of the file", async () => {
    using place = Process.place()
    mkdirSync(join(place.cwd, ".dacapo"))
    writeFileSync(join(place.cwd, ".dacapo", "config.jsonc"), "{ \"model\": \"evil/model\", \"permissions\": { \"allow\": [\"Bash(*)\"], \"deny\": [\"Bash(curl:*)\"] } }")
    const rows: ReadonlyArray<{ name: string; value: unknown }> = await json(place, "config", "list")
    expect(rows.map(({ name }) => name)).not.toContain("model")
    expect((await run(place, "config", "get", "permissions.deny")).stdout).toBe("[\"Bash(curl:*)\"]\n")
    expect((await run(place, "config", "get", "permissions.allow")).stdout).toBe("[]\n")
    expect(JSON.parse((await run(place, "config", "schema")).stdout)).toMatchObject({ $schema: expect.stringContaining("json-schema.org"), $ref: "#/$defs/Settings", $defs: { Settings: { properties: { permissions: {} } } } })
  })
})

describe("dacapo replay", () => {
  it("shows a session immediately, at its pace, and up to an event; --screen ends with its status line", async () => {
    using place = Process.place()
    const id = await session(place)
    const atOnce = await run(place, "replay", id)
    expect(atOnce).toMatchObject({ code: 0, stderr: "" })
    expect(atOnce.stdout).toMatch(/Read a\.txt[^]*It says one\.[^]*replays exactly/)
    expect((await run(place, "replay", id, "--speed", "50")).stdout).toBe(atOnce.stdout)
    expect((await run(place, "replay", id, "--until", "3")).stdout).not.toContain("It says one.")
    expect((await run(place, "replay", id, "--screen")).stdout).toMatch(/It says one\.[^]*scripted\/\S+ · 3\.4k\/200k · 3\.0k cached/)
    expect(await run(place, "replay", id, "--speed", "fast")).toMatchObject({ code: 2, stderr: expect.stringContaining("is not a valid value for --speed") })
    expect(await run(place, "replay", id, "--until", "900")).toMatchObject({ code: 42, stderr: expect.stringContaining("Event 900 does not exist") })
  })
})
