/** Children that edit, through the real command: a worktree each, merged at the end or listed, whatever happens to the run. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionEvent, Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Process from "../cli/support/Process.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@test", ...args], { cwd, encoding: "utf8" }).trim()

/** A repository with one commit, and a change that is not committed. */
const repository = ({ cwd }: Process.Place) => {
  git(cwd, "init", "-q", "-b", "main")
  writeFileSync(join(cwd, "shared.txt"), "one\ntwo\nthree\nfour\nfive\nsix\n")
  git(cwd, "add", "-A")
  git(cwd, "commit", "-qm", "first")
  writeFileSync(join(cwd, "draft.txt"), "not committed\n")
}

interface Kid {
  readonly turns: ReadonlyArray<object>
  readonly task?: object
}

const script = ({ root }: Process.Place, kids: ReadonlyArray<Kid>): string => {
  const tasks = kids.map(({ task }, i) => ({ prompt: `Part ${i + 1}.`, name: `kid ${i + 1}`, mode: "edit", ...task }))
  const file = join(root, "script.json")
  writeFileSync(file, JSON.stringify({
    turns: [{ calls: [{ name: "delegate", params: { tasks } }] }, { text: "All is told." }],
    children: kids.map(({ turns }, i) => ({ prompt: `Part ${i + 1}.`, turns })),
    synthesis: { text: "The synthesis." }
  }))
  return `scripted/${file}`
}

const objects = (text: string): ReadonlyArray<Record<string, any>> => text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
const eventsOf = async (place: Process.Place, id: string) => objects((await Process.run(place, ["sessions", "show", id, "--output-format", "events"])).stdout) as unknown as ReadonlyArray<SessionEvent>
const of = <Tag extends Settled["_tag"]>(events: ReadonlyArray<SessionEvent>, tag: Tag) =>
  events.flatMap(({ event }) => event._tag === tag ? [event as Extract<Settled, { _tag: Tag }>] : [])

const resultOf = async (place: Process.Place): Promise<string> =>
  of(await eventsOf(place, "latest"), "ToolFinished")[0]!.outcome.content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")

const edit = (path: string, old_text: string, new_text: string) => ({ calls: [{ name: "edit_file", params: { path, old_text, new_text } }] })
const write = (path: string, content: string) => ({ calls: [{ name: "write_file", params: { path, content } }] })
const read = (path: string) => ({ calls: [{ name: "read_file", params: { path } }] })
const says = (text: string) => ({ text })
const worktrees = ({ cwd }: Process.Place) => git(cwd, "worktree", "list").split("\n").length
const branches = ({ cwd }: Process.Place) => git(cwd, "branch", "--list", "dacapo/*", "--format=%(refname:short)").split("\n").filter((name) => name !== "")
const shared = ({ cwd }: Process.Place) => readFileSync(join(cwd, "shared.txt"), "utf8")
const run = (place: Process.Place, model: string, ...args: ReadonlyArray<string>) =>
  Process.run(place, ["-p", "--permission-mode", "acceptEdits", "--model", model, ...args, "Change it."])

describe("subagents that edit", () => {
  it("work at the same time, each from the files as they are, and are merged into them as one change that can be taken back", async () => {
    await using place = Process.scene()
    repository(place)
    const model = script(place, [
      { turns: [read("draft.txt"), read("shared.txt"), edit("shared.txt", "one", "ONE"), write("new/a.txt", "a\n"), says("- First done.")] },
      { turns: [read("shared.txt"), edit("shared.txt", "six", "SIX"), says("- Second done.")] },
      { turns: [read("shared.txt"), says("- Third looked.")] }
    ])
    expect(await run(place, model)).toMatchObject({ code: 0, stdout: "All is told.\n" })
    expect(shared(place)).toBe("ONE\ntwo\nthree\nfour\nfive\nSIX\n")
    expect(readFileSync(join(place.cwd, "new/a.txt"), "utf8")).toBe("a\n")
    const result = await resultOf(place)
    expect(result).toContain("The synthesis.")
    expect(result).toContain("## Merged into this folder\n- new/a.txt (1)\n- shared.txt (1)\n- shared.txt (2)")
    expect(git(place.cwd, "status", "--porcelain").split("\n").sort()).toEqual(["?? draft.txt", "?? new/", "M shared.txt"])
    expect([worktrees(place), branches(place)]).toEqual([1, []])
    expect(git(place.cwd, "for-each-ref", "refs/dacapo")).toBe("")
    expect((await Process.run(place, ["replay", "latest", "--verify"])).stdout).toContain("so do its 3 subagent sessions")
    const before = (await eventsOf(place, "latest")).find(({ event }) => event._tag === "CheckpointSaved")!.seq
    expect(await Process.run(place, ["rewind", "latest", "--to", String(before), "--files"])).toMatchObject({ code: 0 })
    expect(shared(place)).toBe("one\ntwo\nthree\nfour\nfive\nsix\n")
  })

  it("keep on a branch what conflicts, what failed, and what lies outside the folder: nothing is lost", async () => {
    await using place = Process.scene()
    repository(place)
    const model = script(place, [
      { turns: [read("shared.txt"), edit("shared.txt", "three", "3"), says("- Three is 3.")] },
      { turns: [read("shared.txt"), edit("shared.txt", "three", "III"), says("- Three is III.")] },
      { turns: [write("half.txt", "half\n"), { error: { reason: { _tag: "BadRequest" }, message: "No such part." } }] }
    ])
    expect(await run(place, model)).toMatchObject({ code: 0 })
    expect(shared(place)).toBe("one\ntwo\n3\nfour\nfive\nsix\n")
    expect(existsSync(join(place.cwd, "half.txt"))).toBe(false)
    const result = await resultOf(place)
    expect(result).toMatch(/- 2\. kid 2: conflicts in shared\.txt\. Its changes \(1 file\) are on branch (dacapo\/kid-2-\S+): git diff \w{12} \1/)
    expect(result).toMatch(/- 3\. kid 3: it did not finish\. Its changes \(1 file\) are on branch dacapo\/kid-3-/)
    const commands = [...result.matchAll(/git diff \w+ (\S+)/g)]
    const shown = commands.map(([command]) => execFileSync("sh", ["-c", command], { cwd: place.cwd, encoding: "utf8" }))
    expect(shown[0]).toContain("-three\n+III")
    expect(shown[1]).toContain("+half")
    expect(branches(place)).toEqual(commands.map(([, branch]) => branch).sort())
    expect(worktrees(place)).toBe(1)
    expect((await Process.run(place, ["replay", "latest", "--verify"])).code).toBe(0)
  })

  it("are merged beside one whose files git can't take, which stay where they are", async () => {
    await using place = Process.scene()
    repository(place)
    const nested = "mkdir sub && git -C sub init -q && echo x > sub/x.txt"
    const model = script(place, [
      { turns: [{ calls: [{ name: "run_command", params: { command: nested } }] }, says("- A repository within.")] },
      { turns: [write("b.txt", "b\n"), says("- B is there.")] }
    ])
    expect(await run(place, model, "--allowedTools", "Bash")).toMatchObject({ code: 0 })
    expect(readFileSync(join(place.cwd, "b.txt"), "utf8")).toBe("b\n")
    const [, folder] = /- 1\. kid 1: it stays in (\S+), because git could not commit it: /.exec(await resultOf(place))!
    expect(readFileSync(join(place.cwd, folder!, "sub/x.txt"), "utf8")).toBe("x\n")
  })

  it("share a folder that is in no repository, one after another, and say so", async () => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "shared.txt"), "one\n")
    const model = script(place, [
      { turns: [read("shared.txt"), edit("shared.txt", "one", "two"), says("- First.")] },
      { turns: [read("shared.txt"), edit("shared.txt", "two", "three"), says("- Second.")] }
    ])
    expect(await run(place, model)).toMatchObject({ code: 0 })
    expect(shared(place)).toBe("three\n")
    expect(await resultOf(place)).toContain("The editing subagents worked in this folder, one after another: it is not in a git repository.")
    expect((await Process.run(place, ["replay", "latest", "--verify"])).code).toBe(0)
  })

  it("have what is brought back to a folder below the repository's, by its own names", async () => {
    await using place = Process.scene()
    git(place.cwd, "init", "-q")
    mkdirSync(join(place.cwd, "app"))
    writeFileSync(join(place.cwd, "app/shared.txt"), "one\n")
    git(place.cwd, "add", "-A")
    git(place.cwd, "commit", "-qm", "first")
    const model = script(place, [{ turns: [read("shared.txt"), edit("shared.txt", "one", "two"), says("Done.")] }])
    expect(await run(place, model, "-C", "app")).toMatchObject({ code: 0 })
    expect(readFileSync(join(place.cwd, "app/shared.txt"), "utf8")).toBe("two\n")
    expect(await resultOf(place)).toBe("Done.\n\n## Merged into this folder\n- shared.txt (1)")
  })
})

describe("a run whose subagents have worktrees", () => {
  const slow = { text: "x".repeat(4000), chunkSize: 1, delayMs: 500 }

  it("keeps their work on branches when it is interrupted, and says where", async () => {
    await using place = Process.scene()
    repository(place)
    const model = script(place, [{ turns: [write("mine.txt", "mine\n"), slow] }, { turns: [slow] }])
    const running = Process.start(place, ["-p", "--output-format", "stream-json", "--permission-mode", "acceptEdits", "--model", model, "Change it."])
    await running.shows("stdout", "\"state\":\"ended\",\"kind\":\"tool\",\"name\":\"write_file\"")
    running.child.kill("SIGINT")
    expect((await running.ended).code).toBe(130)
    const [branch] = branches(place)
    expect(branch).toMatch(/^dacapo\/kid-1-/)
    expect(branches(place)).toHaveLength(1)
    expect(git(place.cwd, "show", `${branch}:mine.txt`)).toBe("mine")
    expect(existsSync(join(place.cwd, "mine.txt"))).toBe(false)
    expect(worktrees(place)).toBe(1)
    expect((await Process.run(place, ["replay", "latest", "--verify"])).code).toBe(0)
  })

  it("takes them up where they were after a kill, and merges them then", async () => {
    await using place = Process.scene()
    repository(place)
    const kids = [{ turns: [write("a.txt", "a\n"), slow] }, { turns: [write("b.txt", "b\n"), says("- B is there.")] }]
    const running = Process.start(place, ["-p", "--output-format", "stream-json", "--permission-mode", "acceptEdits", "--model", script(place, kids), "Change it."])
    await running.shows("stdout", "\"state\":\"ended\",\"kind\":\"child\",\"name\":\"kid 2\"")
    running.child.kill("SIGKILL")
    await running.ended
    expect(readdirSync(join(place.cwd, ".dacapo/worktrees")).filter((name) => name.startsWith("kid"))).toHaveLength(2)
    script(place, [{ turns: [write("a.txt", "a\n"), says("- A is there.")] }, kids[1]!])
    expect(await Process.run(place, ["-p", "--resume=latest"])).toMatchObject({ code: 0, stdout: "All is told.\n" })
    expect([readFileSync(join(place.cwd, "a.txt"), "utf8"), readFileSync(join(place.cwd, "b.txt"), "utf8")]).toEqual(["a\n", "b\n"])
    expect([worktrees(place), branches(place)]).toEqual([1, []])
    expect((await Process.run(place, ["replay", "latest", "--verify"])).code).toBe(0)
  })

  /** Killed while the first child works in its folder and the second one has done its part. */
  const killed = async (place: Process.Place, first: ReadonlyArray<object>) => {
    repository(place)
    const kids = [{ turns: first }, { turns: [write("b.txt", "b\n"), says("- B is there.")] }]
    const running = Process.start(place, ["-p", "--output-format", "stream-json", "--permission-mode", "acceptEdits", "--model", script(place, kids), "Change it."])
    await running.shows("stdout", "\"state\":\"ended\",\"kind\":\"child\",\"name\":\"kid 2\"")
    running.child.kill("SIGKILL")
    await running.ended
    return { first: readdirSync(join(place.cwd, ".dacapo/worktrees")).find((name) => name.startsWith("kid-1"))!, second: kids[1]! }
  }

  it("makes a folder anew that git was killed in as it made it, and takes half a folder for nobody's work", async () => {
    await using place = Process.scene()
    const { first, second } = await killed(place, [slow])
    // As git leaves it: locked, with some of the files.
    writeFileSync(join(place.cwd, ".git/worktrees", first, "locked"), "initializing")
    rmSync(join(place.cwd, ".dacapo/worktrees", first, "shared.txt"))
    expect(worktrees(place)).toBe(3)
    script(place, [{ turns: [read("shared.txt"), edit("shared.txt", "one", "ONE"), says("- Done.")] }, second])
    expect(await Process.run(place, ["-p", "--resume=latest"])).toMatchObject({ code: 0, stdout: "All is told.\n" })
    expect(shared(place)).toBe("ONE\ntwo\nthree\nfour\nfive\nsix\n")
    expect([worktrees(place), branches(place)]).toEqual([1, []])
    expect(git(place.cwd, "for-each-ref", "refs/dacapo")).toBe("")
  })

  it("leaves no folder behind when something else is said after a kill, and keeps on a branch what was done", async () => {
    using place = Process.place()
    const { first } = await killed(place, [write("a.txt", "a\n"), slow])
    expect(worktrees(place)).toBe(3)
    expect(await Process.run(place, ["-p", "--resume=latest", "Something else."])).toMatchObject({ code: 0 })
    expect(worktrees(place)).toBe(1)
    expect(git(place.cwd, "show", `dacapo/${first}:a.txt`)).toBe("a")
  })

  it("ends no other subagent's commands with one subagent", async () => {
    await using place = Process.scene()
    repository(place)
    const command = (command: string) => ({ calls: [{ name: "run_command", params: { command } }] })
    const model = script(place, [
      { turns: [command("sleep 1.5; echo whole > long.txt"), says("- Long.")] },
      { turns: [command("true"), command("true"), command("true"), says("- Short.")] }
    ])
    expect(await run(place, model, "--permission-mode", "bypassPermissions")).toMatchObject({ code: 0 })
    expect(readFileSync(join(place.cwd, "long.txt"), "utf8")).toBe("whole\n")
  })
})
