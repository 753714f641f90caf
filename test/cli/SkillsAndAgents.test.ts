/** What people wrote down for a session, as lists: `dacapo skills` and `dacapo agents`. */
import { describe, expect, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Process from "./support/Process.ts"

const write = (place: Process.Place, files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.root, path)), { recursive: true })
    writeFileSync(join(place.root, path), text)
  }
}
const skill = (name: string, description = `The skill ${name}.`) => `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`
const list = async (place: Process.Place, command: string) => {
  const { code, stderr, stdout } = await Process.run(place, [command, "--output-format", "json"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return (JSON.parse(stdout) as ReadonlyArray<Record<string, unknown>>).map(({ path, ...row }) => ({ ...row, path: `${path}`.slice(place.root.length + 1) }))
}

describe("dacapo skills", () => {
  it("lists each with its path, and skipped ones with the reason", async () => {
    using place = Process.place()
    expect((await Process.run(place, ["skills"])).stdout).toMatch(/^No skills found\. Create a folder with a SKILL\.md/)
    write(place, {
      "project/.dacapo/skills/review/SKILL.md": skill("review"),
      "project/.agents/skills/wrong/SKILL.md": skill("other"),
      "project/.claude/skills/empty/notes.md": "x",
      "project/.claude/skills/README.md": "x",
      "home/skills/review/SKILL.md": skill("review", "The user's own."),
      "home/skills/release/SKILL.md": skill("release")
    })
    expect(await list(place, "skills")).toEqual([
      { name: "release", description: "The skill release.", from: "user", path: "home/skills/release", used: true },
      { name: "review", description: "The skill review.", from: "project", path: "project/.dacapo/skills/review", used: true },
      { name: "wrong", description: "", from: "project", path: "project/.agents/skills/wrong", used: false, why: "its name is other, but its folder is wrong" },
      { name: "empty", description: "", from: "project", path: "project/.claude/skills/empty", used: false, why: "it has no readable SKILL.md" },
      { name: "review", description: "The user's own.", from: "user", path: "home/skills/review", used: false, why: `${place.cwd}/.dacapo/skills/review takes precedence` }
    ])
    const { stdout } = await Process.run(place, ["skills", "list"])
    expect(stdout.split("\n").slice(2, 6)).toEqual([
      "· review               The skill review.",
      "                       .dacapo/skills/review",
      "! wrong                skipped: its name is other, but its folder is wrong",
      "                       .agents/skills/wrong"
    ])
    expect(await Process.run(place, ["skills", "add"])).toMatchObject({ code: 2, stdout: "" })
  })
})

describe("dacapo agents", () => {
  it("lists each with its settings, and invalid files with line and reason", async () => {
    using place = Process.place()
    expect((await Process.run(place, ["agents"])).stdout).toMatch(/^No agent profiles found\./)
    write(place, {
      "project/.claude/agents/review.md": "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Telepathy\npermissionMode: plan\nmodel: sonnet\n---\nYou review.\n",
      "home/agents/tester.md": "---\ndescription: >\n  Tests\n  changes.\nmode: subagent\n---\nYou test.\n",
      "home/agents/broken.md": "---\ndescription: x\npermission:\n  bsh: deny\n---\n"
    })
    write(place, { "project/.gemini/agents/loose.md": "---\nname: loose\npermissionMode: auto\npermission: { bash: allow }\n---\n" })
    const own = [
      { name: "tester", description: "Tests changes.", from: "user", path: "home/agents/tester.md", used: true, mode: "subagent" },
      { name: "broken", description: "", from: "user", path: "home/agents/broken.md", used: false, why: "line 4: permission names an unknown tool \"bsh\"; did you mean Bash?" }
    ]
    const untrusted = "this folder is not trusted: run `dacapo trust` to enable its agents"
    const loose = { name: "loose", from: "project", path: "project/.gemini/agents/loose.md" }
    const project = { name: "reviewer", from: "project", path: "project/.claude/agents/review.md" }
    expect(await list(place, "agents")).toEqual([
      own[0],
      { ...project, description: "", used: false, why: untrusted },
      { ...loose, description: "", used: false, why: untrusted },
      own[1]
    ])
    expect((await Process.run(place, ["trust"])).stdout).toContain(".claude/agents adds agents")
    expect(await list(place, "agents")).toEqual([
      { ...loose, description: "", used: true, permissionMode: "auto", notes: ["what it allows is ignored: a project can only be stricter than your own settings", "its mode auto applies only where your own mode is less strict"] },
      { ...project, description: "Reviews.", used: true, model: "sonnet", tools: ["read_file"], permissionMode: "plan", notes: ["unknown tools: Telepathy"] },
      ...own
    ])
    const { stdout } = await Process.run(place, ["agents"])
    expect(stdout.split("\n").slice(5, 9)).toEqual([
      "· reviewer             Reviews.",
      "                       .claude/agents/review.md",
      "                       model: sonnet; tools: read_file; permission mode: plan",
      "                       unknown tools: Telepathy"
    ])
  })
})
