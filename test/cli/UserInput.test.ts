/** What a user says, through the real command: mentions, commands of their own, skills, modes with models of their own, and what is no message. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { docx, paragraph } from "../layers/documents/documents.ts"
import * as Process from "./support/Process.ts"

type Event = { readonly _tag: string } & Record<string, unknown>

const write = (place: Process.Place, files: Readonly<Record<string, string | Uint8Array>>) => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place.cwd, path)), { recursive: true })
    writeFileSync(join(place.cwd, path), content)
  }
}

const events = async (place: Process.Place, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<Event>> => {
  const { code, stderr, stdout } = await Process.run(place, ["-p", "--output-format", "events", ...args])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return stdout.trim().split("\n").map((line) => (JSON.parse(line) as { readonly event: Event }).event)
}

const of = (log: ReadonlyArray<Event>, tag: string) => log.filter(({ _tag }) => _tag === tag)

describe("mentions", () => {
  it("are included: lines of a file, a document as text, a folder; unreadable ones are reported", async () => {
    await using place = Process.scene()
    write(place, { "src/a.ts": "one\ntwo\nthree\n", "my plan.docx": docx(paragraph("words of a document")) })
    const log = await events(place, "--model", place.script({ text: "Done." }), "Compare @src/a.ts:2-3 with @\"my plan.docx\" in @src/ and @gone.ts")
    const parts = of(log, "UserSaid")[0]?.["parts"] as ReadonlyArray<{ readonly text: string; readonly origin: string }>
    expect(parts.map(({ origin, text }) => [origin, text])).toEqual([
      ["mention", "<file path=\"src/a.ts\">\n2 | two\n3 | three\n</file>"],
      ["mention", expect.stringContaining("1 | words of a document\n[This is a Word document, converted to text")],
      ["mention", "<mention of=\"@src/\">\nsrc/a.ts\n</mention>"],
      ["notice", expect.stringContaining("@gone.ts could not be read")]
    ])
  })

  it("are rejected in a message that is empty, not UTF-8, or mentions too much", async () => {
    using place = Process.place()
    const model = place.script({ text: "Done." })
    const said = async (prompt: string) => (await Process.run(place, ["-p", "--model", model, prompt])).code
    expect(await said("   ")).toBe(42)
    expect(await said(Array.from({ length: 21 }, (_, i) => `@f${i}.ts`).join(" "))).toBe(42)
    const piped = Process.start(place, ["-p", "--model", model], "pipe")
    piped.child.stdin?.end(Buffer.from([0x68, 0x69, 0xff, 0xfe]))
    expect((await piped.ended).code).toBe(42)
  })
})

describe("a skill", () => {
  it("is listed by name and description, and read when the model asks for it", async () => {
    await using place = Process.scene()
    write(place, { ".agents/skills/review/SKILL.md": "---\nname: review\ndescription: How to review a change here.\n---\nRead it twice.", ".agents/skills/review/list.md": "- a" })
    const log = await events(place, "--model", place.script({ calls: [{ name: "read_skill", params: { name: "review" } }] }, { text: "Done." }), "Review it")
    expect(of(log, "ContextPlanned")[0]?.["facts"]).toMatchObject({ skills: [{ name: "review", description: "How to review a change here." }] })
    expect(JSON.stringify(of(log, "ContextPlanned"))).not.toContain("Read it twice")
    expect(JSON.stringify(of(log, "ToolFinished")[0])).toContain("Read it twice.")
    expect(JSON.stringify(of(log, "ToolFinished")[0])).toContain("list.md")
  })
})

describe("a custom slash command", () => {
  it("is expanded with its arguments", async () => {
    await using place = Process.scene()
    write(place, { "../home/commands/fix.md": "---\ndescription: Fix it\n---\nFix $1 as @$1 says, $ARGUMENTS.", "a.ts": "one\n" })
    const [said] = of(await events(place, "--model", place.script({ text: "Done." }), "/fix a.ts now"), "UserSaid")
    expect(said).toMatchObject({ text: "Fix a.ts as @a.ts says, a.ts now.", parts: [{ text: "<file path=\"a.ts\">\n1 | one\n</file>" }] })
  })
})

describe("planning and acting", () => {
  it("can use different models, and a switch is logged", async () => {
    await using place = Process.scene()
    const acts = place.script({ text: "The turn that the plan took." }, { text: "Done." })
    const plans = place.script({ text: "First this, then that." })
    const planned = await events(place, "--model", acts, "--plan-model", plans, "--permission-mode", "plan", "Plan it")
    expect(of(planned, "ModelRequested").map(({ model }) => model)).toEqual([plans])
    const acted = await events(place, "--continue", "--permission-mode", "default", "Do it")
    expect(of(acted, "ModelRequested").map(({ model }) => model).at(-1)).toBe(acts)
    expect(of(acted, "Resumed").at(-1)?.["settings"]).toMatchObject({ mode: "default", plan: { model: { provider: "scripted" } } })
  })
})
