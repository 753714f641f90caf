/** A read outside of the workspace: refused without approval, done with it, and no wider than what was approved. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createAgent } from "../../src/layers/createAgent.ts"
import * as Process from "../cli/support/Process.ts"

/** A folder beside the workspace with a page, a secret, and a link to the page in the workspace. */
const withDocs = (place: ReturnType<typeof Process.scene>) => {
  const docs = join(place.root, "docs")
  mkdirSync(docs)
  writeFileSync(join(docs, "guide.md"), "the blue guide\n")
  writeFileSync(join(docs, "other.md"), "the blue other\n")
  writeFileSync(join(docs, ".env"), "TOKEN=blue\n")
  symlinkSync(join(docs, "guide.md"), join(place.cwd, "link.md"))
  return docs
}

const read = (path: string) => ({ name: "read_file", params: { path } })

/** What the model was told about the last call, and what the session denied. */
const ask = async (place: ReturnType<typeof Process.scene>, calls: ReadonlyArray<{ readonly name: string; readonly params: object }>, ...flags: ReadonlyArray<string>) => {
  const model = place.script({ calls }, { text: "Done." })
  const ended = await Process.run(place, ["-p", "--output-format", "stream-json", "--model", model, ...flags, "--", "Look"])
  const results = ended.stdout.split("\n").filter((line) => line.includes("\"tool_result\""))
  return { ...ended, results: results.join("\n") }
}

describe("a read outside of the workspace", () => {
  it("is done where a rule allows it, of exactly what the rule names", async () => {
    await using place = Process.scene()
    const docs = withDocs(place)
    const { results } = await ask(place, [read(join(docs, "guide.md")), read(join(docs, "other.md"))], "--allowedTools", `Read(/${docs}/guide.md)`)
    expect(results).toContain("the blue guide")
    expect(results).not.toContain("the blue other")
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0 })
  })

  it("is not done because all reads are allowed: such a rule is about the folder", async () => {
    await using place = Process.scene()
    const docs = withDocs(place)
    const { results } = await ask(place, [read(join(docs, "guide.md")), read("link.md")], "--allowedTools", "Read")
    expect(results).not.toContain("blue")
    expect(results).toContain("It is outside the workspace.")
  })

  it("is done in a mode without prompts, and a search skips secrets", async () => {
    await using place = Process.scene()
    const docs = withDocs(place)
    const { results } = await ask(
      place,
      [read("link.md"), { name: "list_files", params: { path: docs } }, { name: "search_files", params: { path: docs, regex: "blue" } }, read("/proc/self/status")],
      "--permission-mode",
      "bypassPermissions"
    )
    expect(results).toContain("the blue guide")
    expect(results).toContain("other.md:1: the blue other")
    // Its own files only: what needs approval of its own in an open folder needs it here.
    expect(results).not.toContain("TOKEN")
    expect(results).not.toContain("VmPeak")
    expect(results).toContain("It is outside the workspace.")
  })

  it("is done after an answer, of the file that was asked about", async () => {
    await using place = Process.scene()
    const docs = withDocs(place)
    const link = join(place.cwd, "link.md")
    const answers: Array<() => void> = [() => {}, () => {}, () => {
      unlinkSync(link)
      symlinkSync(join(docs, "other.md"), link)
    }]
    await using agent = createAgent({
      cwd: place.cwd,
      home: join(place.root, "home"),
      model: place.script({ calls: [read(join(docs, "guide.md"))] }, { calls: [read("link.md")] }, { calls: [read("link.md")] }, { text: "Done." }),
      approve: () => {
        answers.shift()?.()
        return "allow"
      }
    })
    const seen: Array<string> = []
    for await (const one of (await agent.session()).stream("Look")) {
      if (one._tag === "Settled" && one.at.event._tag === "ToolFinished") seen.push(JSON.stringify(one.at.event.outcome.content))
    }
    expect(answers).toHaveLength(0)
    expect(seen.map((text) => text.includes("the blue guide"))).toEqual([true, true, false])
    expect(seen[2]).toContain("needs separate approval")
  })

  it("never happens without approval", async () => {
    await using place = Process.scene()
    const docs = withDocs(place)
    const { results, stderr } = await ask(place, [read(join(docs, "guide.md")), read("link.md"), { name: "search_files", params: { path: docs, regex: "blue" } }])
    expect(results).not.toContain("blue")
    expect(stderr).toContain("outside the workspace")
  })
})
