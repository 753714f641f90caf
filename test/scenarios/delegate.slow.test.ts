/** Work that is given to children, through the real command: side by side, some of them failing, stopped, killed and taken up. */
import { describe, expect, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionEvent, Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Process from "../cli/support/Process.ts"

interface Kid {
  readonly turns: ReadonlyArray<object>
  readonly task?: object
}

/** A script whose first turn gives a task to each child, and whose second ends. */
const script = ({ root }: Process.Place, kids: ReadonlyArray<Kid>, more: object = {}): string => {
  const tasks = kids.map(({ task }, i) => ({ prompt: `Part ${i + 1}.`, name: `kid ${i + 1}`, ...task }))
  const file = join(root, "script.json")
  writeFileSync(file, JSON.stringify({
    turns: [{ calls: [{ name: "delegate", params: { tasks } }] }, { text: "All is told." }],
    children: kids.map(({ turns }, i) => ({ prompt: `Part ${i + 1}.`, turns })),
    synthesis: { text: "The synthesis." },
    ...more
  }))
  return `scripted/${file}`
}

const objects = (text: string): ReadonlyArray<Record<string, any>> => text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))

interface Listed {
  readonly id: string
  readonly title: string
  readonly parent?: string
}

/** Parents first, then the subagents of each by their names: which of them began first is a matter of chance. */
const sessions = async (place: Process.Place) => {
  const listed = JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout) as ReadonlyArray<Listed>
  const rank = ({ parent }: Listed) => listed.findIndex(({ id }) => id === parent)
  return listed.toSorted((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title))
}

const eventsOf = async (place: Process.Place, id: string) => objects((await Process.run(place, ["sessions", "show", id, "--output-format", "events"])).stdout) as unknown as ReadonlyArray<SessionEvent>

const of = <Tag extends Settled["_tag"]>(events: ReadonlyArray<SessionEvent>, tag: Tag) =>
  events.flatMap(({ event }) => event._tag === tag ? [event as Extract<Settled, { _tag: Tag }>] : [])

const finds = (i: number): Kid => ({ turns: [{ calls: [{ name: "list_files", params: { path: "." } }] }, { text: `- Part ${i} holds.` }] })
const slow: ReadonlyArray<object> = [{ text: "x".repeat(4000), chunkSize: 1, delayMs: 500 }]

describe("eight subagents", () => {
  it("work at once; one fails, one is too slow, and the rest is made into one answer", async () => {
    await using place = Process.scene()
    const model = script(place, [
      ...[1, 2, 3, 4, 5, 6].map(finds),
      { turns: [{ error: { reason: { _tag: "BadRequest" }, message: "No such part." } }] },
      { turns: slow, task: { timeout: 2 } }
    ])
    const { code, stdout } = await Process.run(place, ["-p", "--output-format", "stream-json", "--model", model, "Look."])
    expect(code).toBe(0)
    const lines = objects(stdout)
    const progress = lines.filter(({ subtype }) => subtype === "progress")
    const children = progress.filter(({ kind }) => kind === "child")
    expect(children.filter(({ state }) => state === "started").map(({ name }) => name)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((i) => `kid ${i}`))
    // Several run before the first of them ends (how many, is a matter of speed), and their calls stand under them.
    expect(children.findIndex(({ state }) => state !== "started")).toBeGreaterThan(1)
    const ids = new Set(children.map(({ id }) => id))
    expect(progress.filter(({ kind, state }) => kind === "tool" && state === "ended" && ids.has(progress.find(({ id }) => id)?.id)).length).toBe(6)
    expect(children.filter(({ state }) => state === "failed").map(({ name, note }) => [name, note]).sort()).toEqual([
      ["kid 7", "failed: No such part."],
      ["kid 8", "timed out: Stopped after 2 s."]
    ])
    expect(lines.find(({ subtype }) => subtype === "progress_summary")).toMatchObject({ by: expect.arrayContaining([expect.objectContaining({ name: "child", count: 8, failed: 2 })]) })
    const result = lines.flatMap(({ message, parent_tool_use_id }) => parent_tool_use_id === null ? message?.content ?? [] : []).find(({ type }) => type === "tool_result").content
    expect(result).toContain("The synthesis.")
    expect(result).toContain("- Part 6 holds. (6)")
    expect(result).toContain("- 7. kid 7: failed. No such part.")
    expect(result).toContain("- 8. kid 8: timed out.")
    expect(lines.filter(({ message, parent_tool_use_id }) => parent_tool_use_id === "call_1_1" && message.role === "assistant").length).toBeGreaterThanOrEqual(12)
    expect(lines.filter(({ type }) => type === "result")).toMatchObject([{ is_error: false, result: "All is told." }])
    const all = await sessions(place)
    expect(all.map(({ parent, title }) => [title, parent])).toEqual([["Look.", undefined], ...[1, 2, 3, 4, 5, 6, 7, 8].map((i) => [`kid ${i}`, all[0]!.id])])
    const listed = (await Process.run(place, ["sessions", "list"])).stdout
    expect(listed.match(/^└ .*kid \d$/gm)).toHaveLength(8)
    expect((await Process.run(place, ["replay", all[0]!.id, "--verify"])).stdout).toContain("all hashes equal, and so do its 8 subagent sessions.")
    // The newest session is the one that was asked for, not the last of its children.
    expect((await Process.run(place, ["sessions", "show"])).stdout).toContain("> Look.")
  })

  it("share one budget, which stops them all", async () => {
    await using place = Process.scene()
    const usage = { input: 1000, output: 100 }
    const kids = Array.from({ length: 8 }, (): Kid => ({ turns: Array.from({ length: 30 }, () => ({ calls: [{ name: "list_files", params: { path: "." } }], usage })) }))
    const model = script(place, kids, { model: { price: { input: 0.5, output: 2 } } })
    const { code, stdout } = await Process.run(place, ["-p", "--output-format", "json", "--max-budget-usd", "0.01", "--model", model, "Look."])
    expect(code).toBe(56)
    const [result] = objects(stdout)
    expect(result).toMatchObject({ subtype: "error_max_budget_usd", is_error: true })
    expect(result!["total_cost_usd"]).toBeLessThanOrEqual(0.01)
    expect(result!["total_cost_usd"]).toBeGreaterThan(0.004)
    const events = await eventsOf(place, "latest")
    const reports = of(events, "ChildFinished").map(({ report }) => report)
    expect(reports.map(({ status }) => status)).toEqual(reports.map(() => "failed"))
    // Whoever found nothing left for the moment waited for the others; how many get a turn before it is gone, is chance.
    expect(reports.some(({ calls }) => calls > 0)).toBe(true)
    expect(new Set(of(events, "BudgetReserved").map(({ child }) => child)).size).toBeGreaterThan(1)
    let open = new Map<string, number>()
    let spent = 0
    for (const { event } of events) {
      if (event._tag === "BudgetReserved") open.set(event.child ?? "", event.usd)
      if (event._tag === "BudgetSettled") {
        open.delete(event.child ?? "")
        spent += event.usd
      }
      expect([...open.values()].reduce((sum, usd) => sum + usd, spent)).toBeLessThanOrEqual(0.01 + 1e-9)
    }
  })
})

describe("subagents whose session", () => {
  it("is interrupted end with it, and nothing of them is left", async () => {
    await using place = Process.scene()
    const model = script(place, [
      { turns: [{ calls: [{ name: "run_command", params: { command: "echo $$ > pid; exec sleep 300" } }] }], task: { mode: "edit" } },
      { turns: slow }
    ])
    const running = Process.start(place, ["-p", "--output-format", "stream-json", "--permission-mode", "bypassPermissions", "--model", model, "Look."])
    const pid = Number(await Process.written(join(place.cwd, "pid")))
    running.child.kill("SIGINT")
    const { code, stdout } = await running.ended
    expect(code).toBe(130)
    expect(objects(stdout).filter(({ type }) => type === "result")).toMatchObject([{ reason: "interrupted", is_error: true }])
    expect(() => process.kill(pid, 0)).toThrow()
    const [parent, ...children] = await sessions(place)
    const outcomes = of(await eventsOf(place, parent!.id), "ToolFinished").map(({ outcome }) => outcome.status)
    expect(outcomes).toEqual(["interrupted"])
    expect(children).toHaveLength(2)
    for (const { id } of children) expect(of(await eventsOf(place, id), "Interrupted")).toHaveLength(1)
  })

  it("was killed continue where they were, and finished ones do not run again", async () => {
    await using place = Process.scene()
    const kids: ReadonlyArray<Kid> = [
      finds(1),
      { turns: [{ calls: [{ name: "list_files", params: { path: "." } }] }, { text: "- Part 2 holds.", chunkSize: 1, delayMs: 400 }] },
      finds(3)
    ]
    const running = Process.start(place, ["-p", "--output-format", "stream-json", "--model", script(place, kids), "Look."])
    await running.shows("stdout", "\"state\":\"ended\",\"kind\":\"child\",\"name\":\"kid 3\"")
    await running.shows("stdout", "\"state\":\"ended\",\"kind\":\"child\",\"name\":\"kid 1\"")
    running.child.kill("SIGKILL")
    await running.ended
    script(place, [kids[0]!, { turns: [kids[1]!.turns[0]!, { text: "- Part 2 holds." }] }, kids[2]!])
    const { code, stderr, stdout } = await Process.run(place, ["-p", "--resume=latest"])
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stdout: "All is told.\n" })
    const events = await eventsOf(place, "latest")
    const children = of(events, "ChildStarted")
    expect(children.map(({ name }) => name)).toEqual(["kid 1", "kid 2", "kid 3"])
    expect(of(events, "ChildFinished").map(({ report: { name, status } }) => [name, status]).sort()).toEqual([["kid 1", "finished"], ["kid 2", "finished"], ["kid 3", "finished"]])
    expect(await Promise.all(children.map(async ({ session }) => of(await eventsOf(place, session), "Resumed").length))).toEqual([0, 1, 0])
  })
})

describe("a subagent", () => {
  it("only reads unless its task says otherwise, and has the tools that it was given", async () => {
    await using place = Process.scene()
    const model = script(place, [
      { turns: [{ calls: [{ name: "write_file", params: { path: "a.txt", content: "a" } }] }, { text: "I could not write." }] },
      { turns: [{ calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "I could not read." }], task: { tools: ["list_files"] } },
      { turns: [{ calls: [{ name: "write_file", params: { path: "b.txt", content: "b\n" } }] }, { text: "Written." }], task: { mode: "edit" } }
    ])
    expect(await Process.run(place, ["-p", "--permission-mode", "acceptEdits", "--model", model, "Look."])).toMatchObject({ code: 0 })
    const [parent, ...children] = await sessions(place)
    const told = await Promise.all(children.map(async ({ id }) => of(await eventsOf(place, id), "ToolFinished").map(({ outcome }) => (outcome.content[0] as { text: string }).text.split("\n")[0])))
    expect(told).toEqual([
      ["write_file is not available: this task is read-only. End with what you found."],
      ["read_file is not one of the tools of this task: list_files."],
      [expect.stringContaining("b.txt")]
    ])
    const reports = of(await eventsOf(place, parent!.id), "ChildFinished").map(({ report }) => report)
    expect(reports.flatMap(({ changed }) => changed)).toEqual(["b.txt"])
  })

  it("delegates parts of its own task once more, and its subagents can't", async () => {
    await using place = Process.scene()
    const file = join(place.root, "script.json")
    const gives = (prompt: string) => ({ calls: [{ name: "delegate", params: { tasks: [{ prompt, name: prompt }] } }] })
    writeFileSync(file, JSON.stringify({
      turns: [gives("the whole"), { text: "All is told." }],
      children: [
        { prompt: "the whole", turns: [gives("a part"), { text: "- The part holds." }] },
        { prompt: "a part", turns: [gives("a crumb"), { text: "- I looked myself." }] }
      ]
    }))
    const { code, stdout } = await Process.run(place, ["-p", "--output-format", "stream-json", "--model", `scripted/${file}`, "Look."])
    expect(code).toBe(0)
    const [parent, child, grandchild, ...others] = await sessions(place)
    expect([child!.parent, grandchild!.parent, others]).toEqual([parent!.id, child!.id, []])
    const [refused] = of(await eventsOf(place, grandchild!.id), "ToolFinished")
    expect(refused!.outcome.content).toMatchObject([{ text: expect.stringContaining("delegate is not available to a subagent at this depth. Do the task yourself.") }])
    const lines = objects(stdout)
    const progress = lines.filter(({ kind, subtype }) => subtype === "progress" && kind === "child")
    expect(progress.map(({ name, state }) => [name, state])).toEqual([["the whole", "started"], ["a part", "started"], ["a part", "ended"], ["the whole", "ended"]])
    const call = lines.flatMap(({ message, parent_tool_use_id }) => parent_tool_use_id === "call_1_1" ? message.content : []).find(({ type }) => type === "tool_use")
    expect(lines.filter(({ message, parent_tool_use_id }) => parent_tool_use_id === call.id && message.role === "assistant")).toHaveLength(2)
    expect((await Process.run(place, ["replay", parent!.id, "--verify"])).stdout).toContain("so do its 2 subagent sessions")
  })

  it("asks whoever answers for its parent, by its name", async () => {
    await using place = Process.scene()
    const model = script(place, [{ turns: [{ calls: [{ name: "run_command", params: { command: "rm -rf x" } }] }, { text: "No." }], task: { mode: "edit", name: "cleaner" } }])
    const { stderr } = await Process.run(place, ["-p", "--model", model, "Look."])
    expect(stderr).toContain("Denied run rm -rf x for cleaner")
  })
})
