/** What the user says while the agent works, through standard input: it steers, or it waits; and a crash does not lose it. */
import { describe, expect, it } from "@effect/vitest"
import { setTimeout } from "node:timers/promises"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../cli/support/Process.ts"

const flags = ["-p", "--input-format", "stream-json", "--permission-mode", "bypassPermissions"]

const message = (content: unknown, delivery?: "steer" | "queue"): string =>
  `${JSON.stringify({ type: "user", message: { role: "user", content }, ...(delivery === undefined ? {} : { delivery }) })}\n`

const tags = (stdout: string): ReadonlyArray<string> =>
  stdout.split("\n").flatMap((line) => line.startsWith("{\"v\"") ? [JSON.parse(line).event._tag as string] : [])

const slow = { calls: [{ name: "run_command", params: { command: "touch begun; sleep 0.5" } }] }

const begun = async (place: Process.Place) => {
  for (let looks = 0; !existsSync(join(place.cwd, "begun")) && looks < 2_000; looks++) await setTimeout(10)
}

describe("messages on standard input", () => {
  it("wait for the end of the task, one after the other, and each task has its result", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "One." }, { text: "Two.", expect: { contains: ["second"] } })
    const input = message("first") + message([{ type: "text", text: "second" }])
    const ended = await Process.run(place, [...flags, "--output-format", "stream-json", "--model", model], input)
    const results = ended.stdout.trim().split("\n").map((line) => JSON.parse(line)).filter(({ type }) => type === "result")
    expect(ended.code).toBe(0)
    expect(results).toMatchObject([{ subtype: "success", result: "One.", num_turns: 1 }, { subtype: "success", result: "Two.", num_turns: 1 }])
  })

  it("steer the running task: they are in the next request after its tools", async () => {
    await using place = Process.scene()
    const model = place.script(slow, { text: "With tabs.", expect: { contains: ["use tabs"] } })
    const running = Process.start(place, [...flags, "--output-format", "events", "--model", model], "pipe")
    running.child.stdin!.write(message("indent it"))
    await begun(place)
    running.child.stdin!.end(message("use tabs", "steer"))
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    expect(tags(stdout).filter((tag) => tag === "UserSaid" || tag === "ToolFinished" || tag === "TaskFinished")).toEqual([
      "UserSaid",
      "UserSaid",
      "ToolFinished",
      "TaskFinished"
    ])
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("survive a crash: what steered steers, and what waited comes after", async () => {
    await using place = Process.scene()
    const model = place.script(slow, { text: "With tabs.", expect: { contains: ["use tabs"] } }, { text: "Committed.", expect: { contains: ["then commit"] } })
    const running = Process.start(place, [...flags, "--output-format", "events", "--model", model], "pipe")
    running.child.stdin!.write(message("indent it"))
    await begun(place)
    running.child.stdin!.write(message("then commit", "queue") + message("use tabs", "steer"))
    await running.shows("stdout", "use tabs")
    running.child.kill("SIGKILL")
    await running.ended
    const again = await Process.run(place, ["-p", "--continue"])
    expect(again).toMatchObject({ code: 0, stdout: "Committed.\n" })
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
  })

  it("that are invalid end the run with 42 and what was expected", async () => {
    await using place = Process.scene()
    const model = place.script({ text: "One." })
    const wrong = await Process.run(place, [...flags, "--output-format", "json", "--model", model], "hello\n")
    expect(wrong.code).toBe(42)
    expect(JSON.parse(wrong.stdout).result).toContain("Line 1 of standard input is not a valid message")
    expect((await Process.run(place, [...flags, "--model", model], "\n")).code).toBe(42)
  })
})
