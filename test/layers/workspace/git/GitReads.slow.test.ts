/**
 * Whatever a repository configures, wherever it lies: no git of ours and no git that is let through as a read runs it.
 * Looked for are marks of programs that real git really starts (the first tests show that it does).
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import * as Call from "../../../../src/domain/approval/Call.ts"
import * as Decision from "../../../../src/domain/approval/Decision.ts"
import * as Risk from "../../../../src/domain/approval/Risk.ts"
import * as Rule from "../../../../src/domain/approval/Rule.ts"
import * as Access from "../../../../src/domain/tool/Access.ts"
import * as Git from "../../../../src/layers/workspace/git/Git.ts"
import * as ShellLive from "../../../../src/layers/workspace/shell/ShellLive.ts"
import * as Snapshot from "../../../../src/layers/workspace/checkpoints/Snapshot.ts"
import * as Worktree from "../../../../src/layers/workspace/worktree/Worktree.ts"
import { Shell } from "../../../../src/services/Shell.ts"
import { environment, folder } from "../fixture.ts"
import { configurations, configure, repository, sh } from "../hostileGit.ts"

const names = Object.keys(configurations)

/** Kept apart, since git asks the one in place of the other. */
const others = [["textconv", "filter clean"], ["external diff"]]
const bundles = [names.filter((name) => !others.flat().includes(name)), ...others]

const marksIn = (root: string) => fs.readdirSync(join(root, "marks")).sort()

const scene = Effect.gen(function*() {
  const root = yield* folder({ marks: null })
  return { root, project: join(root, "project"), marks: join(root, "marks") }
})

const places: Readonly<Record<string, (project: string, marks: string, bundle: ReadonlyArray<string>) => string>> = {
  "its own repository": (project, marks, bundle) => {
    repository(project)
    configure(join(project, ".git/config"), marks, bundle)
    return "."
  },
  "a repository within it": (project, marks, bundle) => {
    repository(project)
    repository(join(project, "nested"))
    configure(join(project, "nested/.git/config"), marks, bundle)
    return "nested"
  },
  "a folder that a .git file points to": (project, marks, bundle) => {
    repository(project)
    repository(join(project, "linked"))
    fs.renameSync(join(project, "linked/.git"), join(project, "store"))
    fs.writeFileSync(join(project, "linked/.git"), "gitdir: ../store\n")
    configure(join(project, "store/config"), marks, bundle)
    execFileSync("git", ["config", "--file", join(project, "store/config"), "core.worktree", join(project, "linked")])
    return "linked"
  },
  "a bare repository within it": (project, marks, bundle) => {
    repository(project)
    repository(join(project, "x"))
    fs.renameSync(join(project, "x/.git"), join(project, "bare"))
    fs.copyFileSync(join(project, "x/a.t"), join(project, "bare/a.t"))
    configure(join(project, "bare/config"), marks, bundle)
    execFileSync("git", ["config", "--file", join(project, "bare/config"), "core.worktree", "."])
    return "bare"
  },
  "a submodule": (project, marks, bundle) => {
    repository(project)
    repository(join(project, "sub"))
    sh("git add sub && git commit -qm sub", project)
    configure(join(project, "sub/.git/config"), marks, bundle)
    return "."
  },
  "the configuration of a worktree": (project, marks, bundle) => {
    repository(project)
    execFileSync("git", ["config", "extensions.worktreeConfig", "true"], { cwd: project })
    configure(join(project, ".git/config.worktree"), marks, bundle)
    return "."
  }
}

/** Every sub-command that this git has, and what may stand behind it. */
const subs = execFileSync("git", ["--list-cmds=main"], { encoding: "utf8" }).trim().split("\n")
const behind = ["", "HEAD", "-- a.t", "HEAD:a.t", "-p", "--show-signature", "--submodule=diff"]

const silent = (command: string): boolean => {
  const access = Access.command(command)
  const evaluation = Rule.evaluate(Result.getOrThrow(Rule.compile({}, { root: "/p", home: "/h" })), Call.fromAccess(access, { cwd: "/p", roots: ["/p"] }))
  return Decision.decide({ access, evaluation, mode: "default", risk: Risk.assess(access, { roots: ["/p"], cwd: "/p", home: "/h" }) })._tag === "Allow"
}

const reads = (at: string) => subs.flatMap((sub) => behind.map((rest) => `git -C ${at} ${sub} ${rest}`.trim())).filter(silent)

const run = (root: string, command: string) =>
  Effect.flatMap(Shell, (shell) => shell.run({ command, cwd: join(root, "project"), timeoutMs: 60_000, maxOutputCharacters: 48_000, onOutput: () => {}, reads: true })).pipe(
    Effect.provide(ShellLive.layer.pipe(Layer.provide(environment({ PATH: process.env["PATH"], HOME: root }))))
  )

describe("the trap works: plain git runs what is configured as", () => {
  for (const name of names) {
    it.live(name, () =>
      Effect.gen(function*() {
        const { marks, project, root } = yield* scene
        repository(project)
        configure(join(project, ".git/config"), marks, [name])
        sh(configurations[name]!.provoke, project)
        assert.isNotEmpty(marksIn(root))
      }))
  }
})

describe("a git command that runs without approval runs nothing of", () => {
  for (const [place, make] of Object.entries(places)) {
    it.live(place, () =>
      Effect.gen(function*() {
        for (const bundle of place === "its own repository" ? bundles : bundles.slice(0, 1)) {
          const { marks, project, root } = yield* scene
          const at = make(project, marks, bundle)
          const commands = reads(at)
          assert.isAbove(commands.length, 80)
          const { output } = yield* run(root, commands.join("; "))
          assert.deepStrictEqual(marksIn(root), [], output.slice(0, 2000))
          sh(`git -C ${at} status; git -C ${at} diff; git -C ${at} log -p --ext-diff`, project)
          assert.isNotEmpty(marksIn(root))
        }
      }))
  }
})

describe("what we start ourselves runs nothing of", () => {
  const path = process.env["PATH"] ?? ""
  for (const place of ["its own repository", "a submodule", "the configuration of a worktree"]) {
    it.live(`${place}, and comes to what git comes to`, () =>
      Effect.gen(function*() {
        for (const bundle of bundles) {
          const { marks, project, root } = yield* scene
          places[place]!(project, marks, bundle)
          const { out } = yield* Git.run(path)({ args: ["status", "--porcelain=v1", "-z", "--", "."], cwd: project })
          assert.include(out, " M a.t")
          const worktree = yield* Worktree.open(path, project, "task")
          assert.strictEqual(fs.readFileSync(join(worktree.cwd, "a.t"), "utf8"), "two\n")
          fs.writeFileSync(join(worktree.cwd, "a.t"), "four\n")
          assert.deepStrictEqual((yield* Worktree.close(path, worktree)).changed, [{ path: "a.t", added: 1, removed: 1 }])
          const { commit, git } = yield* Snapshot.take(path, project)
          assert.strictEqual(yield* git(["cat-file", "blob", `${commit}:a.t`]), "two\nthree\n")
          assert.deepStrictEqual(marksIn(root), [])
        }
      }).pipe(Effect.scoped))
  }
})

describe("a read of git", () => {
  it.live("shows what git shows, though a driver of the repository would show something else", () =>
    Effect.gen(function*() {
      const { marks, project, root } = yield* scene
      repository(project)
      const plain = yield* run(root, "git diff; git log -p; git status --short -uno")
      configure(join(project, ".git/config"), marks, ["filter clean", "textconv", "hooks", "fsmonitor"])
      const { output } = yield* run(root, "git diff; git log -p; git status --short -uno")
      assert.strictEqual(output, plain.output)
      assert.include(plain.output, "+three")
    }))

  it.live("obeys the user's own configuration", () =>
    Effect.gen(function*() {
      const { marks, project, root } = yield* scene
      repository(project)
      configure(join(root, ".gitconfig"), marks, ["filter clean"])
      configure(join(project, ".git/config"), marks, ["filter clean"])
      yield* run(root, "git diff")
      assert.deepStrictEqual(marksIn(root), ["filter-clean"])
    }))

  it.live("is refused where the repository's files are said to be elsewhere", () =>
    Effect.gen(function*() {
      const { project, root } = yield* scene
      repository(project)
      fs.writeFileSync(join(root, "secret"), "the secret")
      sh(`git config core.worktree '${root}'`, project)
      const { message } = yield* Effect.flip(run(root, "git ls-files --others"))
      assert.include(message, "which is not its own location")
    }))

  it.live("leaves other commands as they are: an allowed commit runs its hooks", () =>
    Effect.gen(function*() {
      const { marks, project, root } = yield* scene
      repository(project)
      configure(join(project, ".git/config"), marks, ["hooks"])
      yield* run(root, "git commit -qam more")
      assert.deepStrictEqual(marksIn(root), ["hooks"])
    }))
})
