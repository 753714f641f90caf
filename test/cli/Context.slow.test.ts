/** What the model is shown, through the real command: files that go along, the view of the window, the memory bank. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ContextReport } from "../../src/domain/context/ContextReport.ts"
import * as Process from "./support/Process.ts"

const git = (place: Process.Place, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: place.cwd, stdio: "ignore" })

/** What the model got is in the log: the native events of a session. */
const events = async (place: Process.Place, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<{ readonly event: { readonly _tag: string } & Record<string, unknown> }>> => {
  const { code, stderr, stdout } = await Process.run(place, ["-p", "--output-format", "events", ...args])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return stdout.trim().split("\n").map((line) => JSON.parse(line))
}

const included = (log: Awaited<ReturnType<typeof events>>) =>
  log.flatMap(({ event }) => event._tag === "ContextPlanned" ? (event["included"] ?? []) as ReadonlyArray<{ readonly path: string; readonly why: string; readonly text: string }> : [])

const report = async (place: Process.Place): Promise<ContextReport> => {
  const { code, stdout } = await Process.run(place, ["context", "--output-format", "json"])
  expect(code).toBe(0)
  return JSON.parse(stdout)
}

describe("what a new session would send first", () => {
  it("is shown without sending or storing anything", async () => {
    await using place = Process.scene()
    const files = { "AGENTS.md": "Use tabs, says the rules file.\n", "basket.ts": "export const total = 1\n", ".mcp.json": "{\"mcpServers\":{}}\n", "secrets.ts": "export const a = 1\n" }
    for (const [path, text] of Object.entries(files)) writeFileSync(join(place.cwd, path), text)
    git(place, "init", "-q")
    await Process.run(place, ["trust"])
    const model = ["--model", place.script()]
    const { code, stdout } = await Process.run(place, ["context", "--preview", "Mend the basket", ...model])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^First request: about [\d.]+k tokens\. Nothing was sent\.\nIncluded automatically: basket\.ts \([^\n]*\)\nTools: [^\n]*read_file/)
    for (const part of ["── System prompt\n", "Use tabs, says the rules file.", "── Message of the user\n\nMend the basket\n", "export const total = 1"]) expect(stdout).toContain(part)
    const json = JSON.parse((await Process.run(place, ["context", "--preview", "Mend the basket", ...model, "--output-format", "json"])).stdout)
    expect(json).toMatchObject({ tokens: expect.any(Number), included: [{ path: "basket.ts" }], request: expect.anything() })
    expect((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout.trim()).toBe("[]")
  })
})

describe("files that git reports as changed", () => {
  it("stay out where they hold settings or secrets", async () => {
    await using place = Process.scene()
    mkdirSync(join(place.cwd, ".claude"))
    for (const path of [".claude/settings.json", ".mcp.json", "CLAUDE.md", ".eslintrc", "secrets.yml", "prod.tfvars", "basket.ts"]) writeFileSync(join(place.cwd, path), "a: 1\n")
    git(place, "init", "-q")
    const log = await events(place, "--model", place.script({ calls: [{ name: "list_files", params: { path: "." } }] }, { text: "Done." }), "Mend it")
    expect(included(log).map(({ path }) => path)).toEqual(["basket.ts"])
  })

  it("are sent with the next message, once, and the context report says why", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "basket.ts"), "export const total = 1\n")
    writeFileSync(join(place.cwd, ".env"), "KEY=secret-of-the-folder\n")
    git(place, "init", "-q")
    const log = await events(place, "--model", place.script({ calls: [{ name: "list_files", params: { path: "." } }] }, { text: "Done." }), "Mend it")
    expect(included(log)).toMatchObject([{ path: "basket.ts", text: "1 | export const total = 1", why: expect.stringContaining("outside this session") }])
    expect(JSON.stringify(log)).not.toContain("secret-of-the-folder")
    const { items, tokens, usable } = await report(place)
    expect(items.filter(({ name }) => name.includes("included (basket.ts)"))).toEqual([
      { kind: "message", name: expect.any(String), tokens: expect.any(Number), why: expect.stringMatching(/^included automatically: .*outside this session.*; removed early when room is needed$/) }
    ])
    expect(tokens).toBeLessThanOrEqual(usable)
    const text = (await Process.run(place, ["context"])).stdout
    for (const { name } of items.filter(({ kind }) => kind === "section")) expect(text).toContain(name)
    expect(text).toMatch(/included \(basket\.ts\).* — included automatically/)
  })

  it("are not sent when the user turns that off", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "basket.ts"), "export const total = 1\n")
    git(place, "init", "-q")
    expect(included(await events(place, "--config", "autoFiles=0", "--model", place.script({ text: "Done." }), "Mend it"))).toEqual([])
  })
})

describe("a file that changed since the model saw it", () => {
  const read = { name: "read_file", params: { path: "a.ts" } }
  const edit = { name: "edit_file", params: { path: "a.ts", old_text: "theirs", new_text: "both" } }
  const other = { name: "run_command", params: { command: "echo theirs > a.new && mv a.new a.ts" } }
  const outcomes = (log: Awaited<ReturnType<typeof events>>) =>
    log.flatMap(({ event }) => event._tag === "ToolFinished" ? [(event["outcome"] as { readonly status: string }).status] : [])
  const play = async (place: Process.Place, ...more: ReadonlyArray<string>) => {
    writeFileSync(join(place.cwd, "a.ts"), "ours\n")
    const model = place.script({ calls: [read] }, { calls: [other, edit] }, { calls: [edit] }, { calls: [read] }, { calls: [edit] }, { text: "Done." })
    return await events(place, "--permission-mode", "bypassPermissions", "--model", model, ...more, "Go")
  }

  it("is not edited until it is read again, and the model is told why", async () => {
    await using place = Process.scene()
    const log = await play(place, "--config", "autoFiles=0")
    expect(outcomes(log)).toEqual(["succeeded", "succeeded", "failed", "failed", "succeeded", "succeeded"])
    expect(log.some(({ event }) => event._tag === "ContextPlanned" && /changed since you last saw them[^]*- a\.ts/.test(`${event["current"]}`))).toBe(true)
    expect(readFileSync(join(place.cwd, "a.ts"), "utf8")).toBe("both\n")
  })

  it("is shown in its current state, and can then be edited", async () => {
    await using place = Process.scene()
    const log = await play(place)
    expect(outcomes(log).slice(0, 4)).toEqual(["succeeded", "succeeded", "failed", "succeeded"])
    expect(included(log)).toMatchObject([{ path: "a.ts", text: "1 | theirs" }])
    expect(log.some(({ event }) => event._tag === "ContextPlanned" && `${event["current"]}`.includes("changed since you last saw them"))).toBe(false)
  })
})

describe("the context report", () => {
  it("lists every section and message with its tokens and reason, also for a resumed session", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "AGENTS.md"), "# Style\nTabs.\n")
    writeFileSync(join(place.cwd, "a.ts"), "const a = 1\n")
    const model = place.script({ calls: [{ name: "read_file", params: { path: "a.ts" } }] }, { text: "One." }, { text: "Two." })
    await events(place, "--model", model, "Look at @a.ts")
    await events(place, "--continue", "And again")
    const { items, tokens, ...rest } = await report(place)
    expect(rest).toMatchObject({ window: expect.any(Number), usable: expect.any(Number), factor: expect.any(Number), notes: [] })
    expect(items.map(({ name }) => name.replace(/:[\s\S]*/, ""))).toEqual(expect.arrayContaining(["system prompt", "project rules", "1. user", "1. mention (a.ts)", "2. call of read_file", "3. result of read_file (a.ts)", "5. user"]))
    expect(items.every(({ why }) => why !== "")).toBe(true)
    expect(Math.abs(items.reduce((sum, item) => sum + item.tokens, 0) - tokens)).toBeLessThan(items.length * 6)
  })

  it("reports an unknown session, and how to list the known ones", async () => {
    using place = Process.place()
    const { code, stderr, stdout } = await Process.run(place, ["context", "nobody"])
    expect({ code, stdout }).toEqual({ code: 42, stdout: "" })
    expect(stderr).toContain("nobody")
  })
})

describe("compaction on demand", () => {
  it("takes instructions after its name, and sends the model nothing else", async () => {
    await using place = Process.scene()
    const model = place.script({ calls: [{ name: "list_files", params: { path: "." } }] }, { text: "One." }, { text: "Two." })
    await events(place, "--model", model, "Begin")
    const log = await events(place, "--continue", "/compact keep the names")
    const tags = log.map(({ event }) => event._tag)
    expect(log.find(({ event }) => event._tag === "CompactionAsked")?.event["words"]).toBe("keep the names")
    expect(tags.slice(tags.indexOf("CompactionAsked"))).toContain("ContextCompacted")
    expect(tags.slice(tags.indexOf("CompactionAsked"))).not.toContain("ModelRequested")
  })
})

describe("the memory bank", () => {
  it("is created once, is never overwritten, and is read when a session begins", async () => {
    await using place = Process.scene()
    const made = await Process.run(place, ["memory", "init"])
    expect(made).toMatchObject({ code: 0, stderr: "" })
    const folder = join(place.cwd, "memory-bank")
    expect(readdirSync(folder).sort()).toEqual(["activeContext.md", "productContext.md", "progress.md", "projectbrief.md", "systemPatterns.md", "techContext.md"])
    writeFileSync(join(folder, "projectbrief.md"), "# A parser\nOf everything.\n")
    expect((await Process.run(place, ["memory", "init"])).stdout).toContain("Nothing was changed")
    expect(readFileSync(join(folder, "projectbrief.md"), "utf8")).toBe("# A parser\nOf everything.\n")
    const log = await events(place, "--model", place.script({ text: "Done." }), "Go")
    expect(log.find(({ event }) => event._tag === "ContextPlanned")?.event["facts"]).toMatchObject({
      memory: ["projectbrief", "productContext", "systemPatterns", "techContext", "activeContext", "progress"].map((name) => ({ path: `memory-bank/${name}.md` }))
    })
    expect((await report(place)).items.find(({ name }) => name === "memory bank")).toMatchObject({ why: "complete" })
  })

  it("is off unless the folder exists, has one subcommand, and reports what it can't create", async () => {
    await using place = Process.scene()
    await events(place, "--model", place.script({ text: "Done." }), "Go")
    expect((await report(place)).items.some(({ name }) => name === "memory bank")).toBe(false)
    expect(await Process.run(place, ["memory", "make"])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("init") })
    writeFileSync(join(place.cwd, "memory-bank"), "a file")
    expect(await Process.run(place, ["memory", "init"])).toMatchObject({ code: 42, stdout: "", stderr: expect.stringContaining("memory-bank") })
  })

  it("is created in the folder that -C names, and never through a link out of it", async () => {
    await using place = Process.scene()
    mkdirSync(join(place.cwd, "sub"))
    expect((await Process.run(place, ["memory", "init", "-C", "sub"])).code).toBe(0)
    expect(existsSync(join(place.cwd, "sub", "memory-bank", "progress.md"))).toBe(true)
    expect(existsSync(join(place.cwd, "memory-bank"))).toBe(false)
    symlinkSync("/nonexistent-dacapo", join(place.cwd, "memory-bank"))
    expect((await Process.run(place, ["memory", "init"])).code).toBe(42)
  })
})
