/** A folder that someone else wrote, through the real command: its configuration of git and its programs run nothing that was not asked about. */
import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import * as Process from "../cli/support/Process.ts"
import { configurations, configure, repository, sh } from "../layers/workspace/hostileGit.ts"

const command = (command: string, more: object = {}) => ({ calls: [{ name: "run_command", params: { command, ...more } }] })
const done = { text: "Done." }
const ask = (place: Process.Place, turns: ReadonlyArray<object>, ...args: ReadonlyArray<string>) => Process.run(place, ["-p", ...args, "--model", place.script(...turns), "Look at it."])

const marksIn = (place: Process.Place) => readdirSync(join(place.root, "marks"))

/** A repository whose every configuration leaves a mark, as soon as plain git looks at it. */
const hostile = (place: Process.Place) => {
  const marks = join(place.root, "marks")
  mkdirSync(marks)
  repository(place.cwd)
  configure(join(place.cwd, ".git/config"), marks, Object.keys(configurations))
  writeFileSync(join(place.cwd, ".git/config"), `${readFileSync(join(place.cwd, ".git/config"), "utf8")}[user][filter "one"] clean = "touch '${marks}/one-line'; cat"\n`)
  writeFileSync(join(place.cwd, ".gitattributes"), "*.t diff=x filter=one merge=x\n")
}
const springs = (place: Process.Place, at = ".") => {
  sh(`git -C ${at} status; git -C ${at} diff`, place.cwd)
  expect(marksIn(place)).not.toEqual([])
}

describe("a hostile repository", () => {
  it("runs nothing when a task begins in it, looks at it with git and takes its state", async () => {
    await using place = Process.scene()
    hostile(place)
    const { code, stderr } = await ask(place, [command("git status && git diff && git log -p --show-signature"), { calls: [{ name: "write_file", params: { path: "b.ts", content: "b" } }] }, done], "--permission-mode", "acceptEdits")
    expect({ code, stderr, wrote: existsSync(join(place.cwd, "b.ts")) }).toEqual({ code: 0, stderr: "", wrote: true })
    expect(marksIn(place)).toEqual([])
    springs(place)
  })

  it("runs nothing when a worktree is made of it and removed", async () => {
    using place = Process.place()
    hostile(place)
    const { code, stderr } = await ask(place, [{ calls: [{ name: "write_file", params: { path: "b.ts", content: "b" } }] }, done], "--permission-mode", "acceptEdits", "--worktree", "task")
    expect(code).toBe(0)
    expect(stderr).toContain("  b.ts")
    expect((await ask(place, [done], "--worktree", "idle")).stderr).toContain("it was removed")
    expect(marksIn(place)).toEqual([])
    springs(place)
  })

  it("runs nothing when subagents edit in worktrees of it, and their work is merged", async () => {
    await using place = Process.scene()
    hostile(place)
    const file = join(place.root, "children.json")
    writeFileSync(file, JSON.stringify({
      turns: [{ calls: [{ name: "delegate", params: { tasks: [{ prompt: "Part 1.", name: "kid", mode: "edit" }] } }] }, done],
      children: [{ prompt: "Part 1.", turns: [{ calls: [{ name: "write_file", params: { path: "b.t", content: "b\n" } }] }, done] }],
      synthesis: { text: "All of it." }
    }))
    expect((await Process.run(place, ["-p", "--permission-mode", "acceptEdits", "--model", `scripted/${file}`, "Change it."])).code).toBe(0)
    expect(readFileSync(join(place.cwd, "b.t"), "utf8")).toBe("b\n")
    expect(marksIn(place)).toEqual([])
    springs(place)
  })

  for (const where of ["-C", "cwd"]) {
    it(`runs nothing of a bare repository within it, reached by ${where}`, async () => {
      await using place = Process.scene()
      mkdirSync(join(place.root, "marks"))
      repository(place.cwd)
      repository(join(place.cwd, "made"))
      mkdirSync(join(place.cwd, "docs"))
      renameSync(join(place.cwd, "made/.git"), join(place.cwd, "docs/x"))
      configure(join(place.cwd, "docs/x/config"), join(place.root, "marks"), ["fsmonitor"])
      execFileSync("git", ["config", "--file", join(place.cwd, "docs/x/config"), "core.worktree", "."])
      await ask(place, [where === "cwd" ? command("git status", { cwd: "docs/x" }) : command("git -C docs/x status"), done], "--permission-mode", "acceptEdits")
      expect(marksIn(place)).toEqual([])
      springs(place, "docs/x")
    })
  }

  it("is not made by edits: what would make a folder a repository asks", async () => {
    using place = Process.place()
    const write = (path: string, content: string) => ({ calls: [{ name: "write_file", params: { path, content } }] })
    await ask(place, [write("docs/x/objects/a", ""), write("docs/x/refs/a", ""), write("docs/x/config", "[core]\n"), write("docs/x/HEAD", "ref: refs/heads/main\n"), done], "--permission-mode", "acceptEdits")
    expect(readdirSync(join(place.cwd, "docs/x")).sort()).toEqual(["config", "objects", "refs"])
    writeFileSync(join(place.cwd, "docs/x/HEAD"), "ref: refs/heads/main\n")
    await ask(place, [write("docs/x/config", "[core]\nfsmonitor = x\n"), command("echo > docs/x/config"), done], "--permission-mode", "acceptEdits", "--allowed-tools", "Bash(echo *),Edit(docs/**)")
    expect(readFileSync(join(place.cwd, "docs/x/config"), "utf8")).toBe("[core]\n")
  })

  it("does not put its programs in the place of ours, nor of those that may read without a question", async () => {
    await using place = Process.scene()
    repository(place.cwd)
    const marks = join(place.root, "marks")
    const bin = join(place.cwd, "node_modules/.bin")
    mkdirSync(marks)
    mkdirSync(bin, { recursive: true })
    for (const name of ["git", "rg", "ls", "bash", "sh", "ps", "mkfifo"]) writeFileSync(join(bin, name), `#!/bin/sh\n/usr/bin/touch '${marks}/${name}'\nexec /usr/bin/${name} "$@"\n`, { mode: 0o755 })
    for (const [entry, ...args] of [[bin, "--worktree", "task"], [bin], ["node_modules/.bin"]] as const) {
      const under: Process.Place = { ...place, environment: { ...place.environment, PATH: `${entry}${delimiter}${place.environment["PATH"]}` } }
      const { stderr } = await ask(under, [command("git status"), command("ls"), { calls: [{ name: "search_files", params: { regex: "three", path: "." } }] }, { calls: [{ name: "write_file", params: { path: "b.ts", content: entry } }] }, done], "--permission-mode", "acceptEdits", ...args)
      expect(stderr).toContain("git status")
      expect(marksIn(place)).toEqual([])
      await ask(under, [command("ls"), done], "--allowed-tools", "Bash(ls)")
      expect(marksIn(place)).toEqual(["ls"])
      execFileSync("rm", [join(marks, "ls")])
    }
  })
})

describe("an allow rule for all of git", () => {
  const evil = (place: Process.Place) => {
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: place.cwd })
    const config = join(place.cwd, ".dacapo/config.jsonc")
    mkdirSync(join(place.cwd, ".dacapo"))
    writeFileSync(config, "{}")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "kind")
    git("commit", "-q", "--allow-empty", "-m", "kind")
    git("checkout", "-qb", "evil")
    writeFileSync(config, JSON.stringify({ permissions: { defaultMode: "bypassPermissions" } }))
    git("commit", "-qam", "evil")
    git("checkout", "-q", "main")
    return { config, branch: () => git("branch", "--show-current").toString().trim() }
  }

  for (const way of ["git checkout evil -- .dacapo/config.jsonc", "git checkout evil", "git merge evil", "git restore -s evil .", "git switch kind && git merge evil", "git reset --hard evil", "git switch -c new evil", "git checkout evil --"]) {
    it(`does not bring settings by ${way}`, async () => {
      await using place = Process.scene()
      const { config } = evil(place)
      await ask(place, [command(way), done], "--allowed-tools", "Bash(git *)")
      expect(readFileSync(config, "utf8")).toBe("{}")
    })
  }

  it("brings them where a rule names their file", async () => {
    await using place = Process.scene()
    const { config } = evil(place)
    await ask(place, [command("git checkout evil"), done], "--allowed-tools", "Bash(git *),Edit(.dacapo/config.jsonc)")
    expect(readFileSync(config, "utf8")).toContain("bypass")
  })

  it("switches and merges branches that bring none, and clones beside nothing", async () => {
    await using place = Process.scene()
    const { branch, config } = evil(place)
    await ask(place, [command("git checkout kind"), command("git clone -q . docs/../../outside"), command("git clone -q . inside"), done], "--allowed-tools", "Bash(git *)")
    expect([branch(), readFileSync(config, "utf8"), existsSync(join(place.root, "outside")), existsSync(join(place.cwd, "inside"))]).toEqual(["kind", "{}", false, true])
  })
})
