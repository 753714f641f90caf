/** `--worktree`: a task in a folder and on a branch of its own, which stays where it changed something. */
import { expect, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Process from "../support/Process.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@test", ...args], { cwd, encoding: "utf8" }).trim()

const repository = (place: Process.Place) => {
  git(place.cwd, "init", "-q", "-b", "main")
  mkdirSync(join(place.cwd, "app"))
  writeFileSync(join(place.cwd, "app/a.txt"), "one\n")
  git(place.cwd, "add", "-A")
  git(place.cwd, "commit", "-qm", "first")
}
const write = (path: string, content: string) => ({ calls: [{ name: "write_file", params: { path, content } }] })

describe("--worktree", () => {
  it("leaves the user's folder unchanged, and reports at the end what changed and how to merge it", async () => {
    using place = Process.place()
    repository(place)
    const model = place.script(write("a.txt", "one\ntwo\n"), write("new.txt", "new\n"), { text: "Done." })
    const args = ["-p", "--permission-mode", "acceptEdits", "--worktree", "fix-it", "-C", "app", "--model", model, "change it"]
    const { code, stderr, stdout } = await Process.run(place, args)
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
    expect(readFileSync(join(place.cwd, "app/a.txt"), "utf8")).toBe("one\n")
    expect(git(place.cwd, "status", "--porcelain")).toBe("")
    expect(stderr).toBe([
      "2 files changed in the worktree .dacapo/worktrees/fix-it, on the branch dacapo/fix-it:",
      "  app/a.txt +1 −0",
      "  app/new.txt",
      "Commit: git -C .dacapo/worktrees/fix-it add -A && git -C .dacapo/worktrees/fix-it commit",
      "Merge: git merge dacapo/fix-it",
      "Remove: git worktree remove .dacapo/worktrees/fix-it && git branch -d dacapo/fix-it",
      ""
    ].join("\n"))
    for (const line of stderr.split("\n").filter((line) => /^(?:Commit|Merge|Remove): /.test(line))) {
      execFileSync("sh", ["-c", line.replace(/^\w+: /, "").replace(/ commit$/, " -c user.name=a -c user.email=a@b commit -qm change")], { cwd: place.cwd })
    }
    expect(readFileSync(join(place.cwd, "app/a.txt"), "utf8")).toBe("one\ntwo\n")
    expect(git(place.cwd, "worktree", "list").split("\n")).toHaveLength(1)
  })

  it("continues in an existing worktree of the same name, and reports commits in it", async () => {
    using place = Process.place()
    repository(place)
    const first = place.script(write("b.txt", "b\n"), { calls: [{ name: "run_command", params: { command: "git add -A && git -c user.name=a -c user.email=a@b commit -qm b" } }] }, { text: "Done." })
    const go = (model: string) => Process.run(place, ["-p", "--permission-mode", "bypassPermissions", "--model", model, "-w", "side", "go on"])
    expect((await go(first)).stderr).not.toContain("Commit:")
    const { stderr } = await go(place.script(write("c.txt", "c\n"), { text: "Done." }))
    expect(stderr).toContain("  b.txt +1 −0\n  c.txt\n")
  })

  it("is removed with its branch if nothing changed, and gets a generated name if none is given", async () => {
    using place = Process.place()
    repository(place)
    const { code, stderr } = await Process.run(place, ["-p", "--worktree", "--model", place.script({ calls: [{ name: "list_files", params: { path: "." } }] }, { text: "Done." }), "look around"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "Nothing changed in the worktree task-1, so it was removed.\n" })
    expect(existsSync(join(place.cwd, ".dacapo/worktrees/task-1"))).toBe(false)
    expect(git(place.cwd, "branch", "--list", "dacapo/*")).toBe("")
  })

  it("takes an argument as its name if that worktree exists or a prompt follows, and else as the prompt", async () => {
    using place = Process.place()
    repository(place)
    const go = async (...args: ReadonlyArray<string>) => {
      const { stderr } = await Process.run(place, ["-p", "--permission-mode", "acceptEdits", ...args, "--model", place.script(write("b.txt", "b\n"), { text: "Done." })])
      const { stdout } = await Process.run(place, ["sessions", "show", "--output-format", "events"])
      return [/^\d+ files? changed in the worktree \S+\/([\w-]+),/.exec(stderr)?.[1], ...stdout.split("\n").flatMap((line) => /"_tag":"UserSaid","text":"([^"]*)"/.exec(line)?.[1] ?? [])]
    }
    expect(await go("-w", "tidy")).toEqual(["task-1", "tidy"])
    expect(await go("-w", "tidy", "clean up")).toEqual(["tidy", "clean up"])
    expect((await Process.run(place, ["-p", "--model", place.script({ text: "Done." }), "-w", "tidy"], "more")).stderr).toContain("in the worktree .dacapo/worktrees/tidy,")
    expect(await go("-w", "clean up", "all of it")).toEqual(["task-2", "clean up all of it"])
  })

  it("reports a missing repository, a missing commit, an invalid name, a resumed session", async () => {
    using place = Process.place()
    const model = place.script({ text: "Done." })
    const run = (...args: ReadonlyArray<string>) => Process.run(place, ["-p", "--model", model, ...args, "do something"])
    const nowhere = await run("-w")
    expect(nowhere.code).toBe(42)
    expect(nowhere.stderr).toContain("is not in a git repository")
    git(place.cwd, "init", "-q")
    expect((await run("-w")).stderr).toContain("no commit yet")
    expect((await run("--worktree=../up")).code).toBe(2)
    expect((await run("-w", "--continue")).stderr).toContain("--worktree is only for new sessions")
  })
})
