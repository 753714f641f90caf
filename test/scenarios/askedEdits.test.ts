/** What is asked about edits: what they really do, and nothing about those that can't be made. */
import { describe, expect, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createAgent } from "../../src/layers/createAgent.ts"
import * as Process from "../cli/support/Process.ts"

const replace = (path: string, old_text: string, new_text: string) => ({ name: "edit_file", params: { path, old_text, new_text } })

/** What was asked, the outcomes of all calls, and what the session recorded about them. */
const play = async (place: ReturnType<typeof Process.scene>, ...turns: ReadonlyArray<ReadonlyArray<{ readonly name: string; readonly params: object }>>) => {
  const asked: Array<string> = []
  await using agent = createAgent({
    cwd: place.cwd,
    home: join(place.root, "home"),
    model: place.script(...turns.map((calls) => ({ calls })), { text: "Done." }),
    approve: ({ access, call }) => {
      asked.push(`${access.map((one) => one._tag === "Edit" ? `${one.kind} ${one.path}` : one._tag).join()} ${JSON.stringify(call.params)}`)
      return "allow"
    }
  })
  const outcomes: Array<string> = []
  const session = await agent.session()
  for await (const one of session.stream("Edit")) {
    if (one._tag === "Settled" && one.at.event._tag === "ToolFinished") outcomes.push(JSON.stringify(one.at.event.outcome))
  }
  return { asked, outcomes }
}

describe("an edit", () => {
  it("whose text is not in the file, of a file that is missing or outside, reaches the model without a question", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "a.txt"), "one\ntwo\n")
    const { asked, outcomes } = await play(
      place,
      [replace("a.txt", "three", "3")],
      [replace("b.txt", "one", "1")],
      [replace("a.txt", "two", "2")],
      [replace(join(place.root, "c.txt"), "one", "1")],
      [{ name: "write_file", params: { path: join(place.root, "d.txt"), content: "x" } }],
      [{ name: "apply_patch", params: { patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-four\n+4\n*** End Patch" } }]
    )
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain("\"two\"")
    expect(outcomes[0]).toContain("a.txt was not changed.")
    expect(outcomes[1]).toContain("write_file")
    expect(outcomes[3]).toContain("outside the workspace")
    expect(outcomes[4]).toContain("outside the workspace")
    expect(outcomes[5]).toContain("No file was changed.")
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\n2\n")
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
  })

  it("is looked at when those before it in the same response have run", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "a.txt"), "one\n")
    const { asked } = await play(place, [replace("a.txt", "one", "two"), replace("a.txt", "two", "three"), replace("a.txt", "one", "four")])
    expect(asked).toHaveLength(2)
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("three\n")
  })

  it("that writes over a file is called a change, also of one that was not read", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "a.txt"), "one\n")
    const write = (path: string) => ({ name: "write_file", params: { path, content: "x\n" } })
    const { asked } = await play(place, [write("a.txt"), write("b.txt")])
    expect(asked.map((one) => one.split(" {")[0])).toEqual(["modify a.txt", "create b.txt"])
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
  })

  it("of a file whose content needs approval is asked about first: a failure would quote it", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, ".env"), "TOKEN=blue\n")
    const { asked } = await play(place, [replace(".env", "TOKEN=red", "TOKEN=x")])
    expect(asked).toHaveLength(1)
    const ended = await Process.run(place, ["-p", "--output-format", "stream-json", "--model", place.script({ calls: [replace(".env", "TOKEN=red", "TOKEN=x")] }, { text: "Done." }), "Edit"])
    expect(ended.stdout).not.toContain("blue")
    expect(ended.stderr).toContain("protected")
  })
})
