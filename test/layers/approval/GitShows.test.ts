/** What git shows of tracked files is closed by the same rules as the files are. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { renameSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { inWorld, marker } from "./world.ts"

/** Each shows the tracked `.env`, in the world below. */
const showing = ["git show HEAD", "git show", "git diff HEAD~1", "git diff HEAD~1 HEAD -- .", "git log -p", "git log --patch -1", "git log -U5", "git grep MARKER", "git diff-tree -p HEAD", "git show HEAD:.env", "git cat-file -p HEAD:.env", "git whatchanged -p"]

/** And these nothing of it. */
const harmless = ["git log", "git log --stat", "git status", "git show HEAD -- src", "git diff HEAD~1 -- src", "git grep foo -- src", "git log -p -- src", "git blame src/a.ts"]

const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.test", ...args], { cwd, encoding: "utf8", env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" } })

it.effect("a deny on a tracked file holds for what git shows of it, in every mode, and for nothing else", () =>
  inWorld(({ cwd, judge }) =>
    Effect.gen(function*() {
      git(cwd, "init", "-q")
      git(cwd, "add", "src/a.ts")
      git(cwd, "commit", "-q", "-m", "one")
      git(cwd, "add", "-f", ".env", "src/b.ts")
      git(cwd, "commit", "-q", "-m", "two")
      const leaks = (command: string) => execFileSync("bash", ["-c", command], { cwd, encoding: "utf8" }).includes(marker)
      assert.deepStrictEqual(showing.filter(leaks), showing)
      assert.deepStrictEqual(harmless.filter(leaks), [])
      for (const mode of ["default", "bypassPermissions"] as const) {
        const denied = yield* Effect.filter(showing, (command) => Effect.map(judge(command, { deny: ["Read(.env)"], mode }), (decision) => decision !== "allow"))
        assert.deepStrictEqual(denied, showing)
        const silent = yield* Effect.filter(harmless, (command) => Effect.map(judge(command, { deny: ["Read(.env)"], mode }), (decision) => decision === "allow"))
        assert.deepStrictEqual(silent, harmless)
      }
      // No rule speaks of it: what git tracks is there for who works on the project.
      assert.deepStrictEqual(yield* Effect.filter(["git show HEAD", "git log -p", "git diff HEAD~1", "git grep foo"], (command) => Effect.map(judge(command), (decision) => decision === "allow")), ["git show HEAD", "git log -p", "git diff HEAD~1", "git grep foo"])
    })))

it.effect("a folder that git tracks, replaced by a link that leads outside, is not searched without a question", () =>
  inWorld(({ cwd, judge }) =>
    Effect.gen(function*() {
      git(cwd, "init", "-q")
      git(cwd, "add", "src/deep/c.ts", "src/a.ts")
      git(cwd, "mv", "src/deep/c.ts", "src/deep/secret.txt")
      assert.strictEqual(yield* judge("git grep MARKER"), "allow")
      renameSync(join(cwd, "src/deep"), join(cwd, "deep"))
      symlinkSync("../../outside", join(cwd, "src/deep"))
      assert.include(execFileSync("git", ["grep", "MARKER"], { cwd, encoding: "utf8" }), marker)
      assert.deepStrictEqual(yield* Effect.forEach(["git grep MARKER", "git grep MARKER -- src", "git grep foo -- src/a.ts"], (command) => judge(command)), ["ask", "ask", "allow"])
    })))

it.effect("a list of tracked files is judged by what the index names, not by what is on disk", () =>
  inWorld(({ cwd, judge, root }) =>
    Effect.gen(function*() {
      const list = "git ls-files | xargs cat"
      const output = (command: string) => execFileSync("bash", ["-c", `${command} 2>&1 || :`], { cwd, encoding: "utf8" })
      git(cwd, "init", "-q")
      git(cwd, "add", "src/a.ts", "src/b.ts")
      assert.strictEqual(yield* judge(list), "allow")
      assert.strictEqual(yield* judge("git ls-files src '*.ts' | xargs wc -l"), "allow")
      // Tracked, and gone from the disk: the shell splits the name all the same.
      const hash = git(cwd, "hash-object", "-w", "src/a.ts").trim()
      git(cwd, "update-index", "--add", "--cacheinfo", `100644,${hash},x ${join(root, "outside/secret.txt")}`)
      assert.include(output(list), marker)
      assert.deepStrictEqual(yield* Effect.forEach([list, "cat $(git ls-files)", "git ls-files 'x' | xargs cat", "git ls-files src | xargs cat"], (command) => judge(command)), ["ask", "ask", "allow", "allow"])
      git(cwd, "rm", "-q", "--cached", "-r", ".")
      assert.strictEqual(yield* judge(list), "allow")
      // A tracked file replaced by a link.
      git(cwd, "add", "src/b.ts", "src/link.txt")
      assert.include(output(list), marker)
      assert.deepStrictEqual(yield* Effect.forEach([list, "git ls-files src/link.txt | xargs cat", "git ls-files src/b.ts | xargs cat"], (command) => judge(command)), ["ask", "ask", "allow"])
      // And one that no git would write.
      git(cwd, "rm", "-q", "--cached", "-r", ".")
      git(cwd, "update-index", "--add", "--cacheinfo", `100644,${hash},aa/outside/secret.txt`)
      execFileSync("sed", ["-i", "s#aa/outside/secret.txt#../outside/secret.txt#", ".git/index"], { cwd, env: { PATH: process.env["PATH"], LC_ALL: "C" } })
      assert.include(output(list), marker)
      assert.strictEqual(yield* judge(list), "ask")
    })))
