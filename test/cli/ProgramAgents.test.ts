/** Subagents that a program defines for its run, as the Claude Agent SDK passes them. */
import { describe, expect, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "./support/Process.ts"

const reviewer = { description: "Reviews pears.", prompt: "You are the reviewer of pears.", tools: ["Read", "Grep"], model: "inherit" }

const delegating = (place: Process.Place, name: string): string => {
  const file = join(place.root, "script.json")
  const child = { prompt: "Look at it.", turns: [{ text: "It holds.", expect: { system: ["You are the reviewer of pears."] } }] }
  writeFileSync(file, JSON.stringify({
    turns: [{ calls: [{ name: "delegate", params: { tasks: [{ prompt: "Look at it.", agent: name }] } }] }, { text: "All is told." }],
    children: [child]
  }))
  return `scripted/${file}`
}

const run = (place: Process.Place, agents: unknown, ...args: ReadonlyArray<string>) =>
  Process.run(place, ["-p", "--model", delegating(place, "reviewer"), "--agents", typeof agents === "string" ? agents : JSON.stringify(agents), ...args, "go"])

describe("--agents", () => {
  it("runs a delegated task with the prompt and the tools that the program defined", async () => {
    await using place = Process.scene()
    const ended = await run(place, { reviewer }, "--output-format", "stream-json", "--verbose")
    expect(ended.code, ended.stderr + ended.stdout).toBe(0)
    expect(ended.stdout).toContain("All is told.")
    const [child] = JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout).filter((one: any) => one.parent !== undefined)
    expect(child).toBeDefined()
    const log = (await Process.run(place, ["sessions", "show", child.id, "--output-format", "events"])).stdout.trim().split("\n").map((line) => JSON.parse(line))
    const { onlyTools } = log.find(({ event }: any) => event._tag === "SessionStarted").event.settings
    expect(onlyTools).toEqual(["read_file", "search_files"])
  })

  it("takes those of the first request, and lists them", async () => {
    await using place = Process.scene()
    const initialize = { type: "control_request", request_id: "1", request: { subtype: "initialize", agents: { reviewer } } }
    const user = { type: "user", message: { role: "user", content: "go" } }
    const ended = await Process.run(
      place,
      ["-p", "--model", delegating(place, "reviewer"), "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
      `${JSON.stringify(initialize)}\n${JSON.stringify(user)}\n`
    )
    const lines = ended.stdout.trim().split("\n").map((line) => JSON.parse(line))
    expect(lines.find(({ subtype }) => subtype === "init").agents).toContain("reviewer")
    expect(lines.find(({ type }) => type === "result")).toMatchObject({ result: "All is told." })
    expect(ended.stderr).not.toContain("no effect")
  })

  it("names what has no effect, and refuses what limits an agent or is no definition", async () => {
    using place = Process.place()
    expect(await run(place, "[]")).toMatchObject({ code: 2, stderr: expect.stringContaining("expected a JSON object of agents by name") })
    expect(await run(place, { reviewer: { ...reviewer, maxTurns: 3 } })).toMatchObject({ code: 2, stderr: expect.stringContaining("maxTurns of reviewer limits the agent") })
    expect(await run(place, { "a b": reviewer })).toMatchObject({ code: 2, stderr: expect.stringContaining("is not valid") })
    expect(await run(place, { reviewer: { description: "x" } })).toMatchObject({ code: 2 })
  })
})
