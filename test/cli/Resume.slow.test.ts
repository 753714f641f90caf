/** `--resume` and the word behind it: a session's name where a session has it, and the prompt where none has. */
import { describe, expect, it } from "@effect/vitest"
import * as Process from "./support/Process.ts"

/** Sessions by what was said in them, the newest first. */
const said = async (place: Process.Place) => {
  const all = JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout) as ReadonlyArray<{ readonly id: string }>
  return Promise.all(all.map(async ({ id }) => {
    const { stdout } = await Process.run(place, ["sessions", "show", id, "--output-format", "events"])
    return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line).event).flatMap((event) => event._tag === "UserSaid" ? [event.text] : [])
  }))
}

const turns = [{ text: "One." }, { text: "Two." }, { text: "Three." }]

describe("--resume followed by an argument", () => {
  it("resumes the session of that name, given by the user or its first line", async () => {
    await using place = Process.scene()
    const model = place.script(...turns)
    const go = (...args: ReadonlyArray<string>) => Process.run(place, ["-p", "--model", model, ...args])
    await go("fix the build")
    await go("something else")
    expect(await go("--resume", "fix the build", "and test it")).toMatchObject({ code: 0, stdout: "Two.\n", stderr: "" })
    const { id } = (JSON.parse((await Process.run(place, ["sessions", "list", "--output-format", "json"])).stdout) as ReadonlyArray<{ readonly id: string }>)[0]!
    await Process.run(place, ["sessions", "name", id, "the build"])
    expect(await go("now", "this", "-r", "the build")).toMatchObject({ code: 0, stdout: "Three.\n" })
    expect(await said(place)).toEqual([["fix the build", "and test it", "now this"], ["something else"]])
  })

  it("resumes the latest session with that prompt if no session has the name", async () => {
    await using place = Process.scene()
    const model = place.script(...turns)
    const go = (...args: ReadonlyArray<string>) => Process.run(place, ["-p", "--model", model, ...args])
    await go("look around")
    expect(await go("--resume", "fix the build")).toMatchObject({ code: 0, stdout: "Two.\n", stderr: "" })
    expect(await go("--resume=fix the build", "go on")).toMatchObject({ code: 42, stderr: expect.stringContaining("No session is called fix the build") })
    expect(await said(place)).toEqual([["look around", "fix the build"]])
  })

  it("sends no mistyped name to the latest session", async () => {
    await using place = Process.scene()
    const model = place.script(...turns)
    const go = (...args: ReadonlyArray<string>) => Process.run(place, ["-p", "--model", model, ...args])
    await go("fix the build")
    expect(await go("--resume", "fix teh build", "go on")).toMatchObject({ code: 42, stdout: "", stderr: expect.stringContaining("No session is called \"fix teh build\". Did you mean fix the build?") })
    expect(await go("-r", "biuld", "go on")).toMatchObject({ code: 42, stderr: expect.stringContaining("No session is called \"biuld\".") })
    expect(await said(place)).toEqual([["fix the build"]])
  })

  it("reports that several sessions have the name", async () => {
    using place = Process.place()
    const model = place.script(...turns)
    const go = (...args: ReadonlyArray<string>) => Process.run(place, ["-p", "--model", model, ...args])
    await go("fix the build")
    await go("fix the build")
    expect(await go("-r", "fix the build", "go on")).toMatchObject({ code: 42, stderr: expect.stringMatching(/2 sessions are called fix the build\. Use a longer id\. Did you mean [0-9a-f-]{36} or [0-9a-f-]{36}\?/) })
  })
})
