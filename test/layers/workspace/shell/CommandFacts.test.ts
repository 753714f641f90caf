/** What a command would do beyond its words, as the machine sees it: programs of the open folders, files of git. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import * as CommandFacts from "../../../../src/layers/workspace/shell/CommandFacts.ts"
import * as Programs from "../../../../src/layers/workspace/Programs.ts"
import { folder, write } from "../fixture.ts"

const usual = process.env["PATH"] ?? ""
const surroundings = (path = usual, home = "/home/someone") =>
  ({ variables: { PATH: path }, folders: { home, config: home, data: home, state: home, cache: home } })

const facts = (root: string, command: string) => CommandFacts.inspect(surroundings(), [root])(command, root)

/** Branches that differ in a protected file (`evil`), in others (`kind`), and a patch and a stash of each kind. */
const repository = Effect.gen(function*() {
  const root = yield* folder({ "a.ts": "a", ".dacapo/config.jsonc": "{}" })
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  git("init", "-q", "-b", "main")
  git("add", "-A")
  git("commit", "-qm", "first")
  for (const [branch, file] of [["evil", ".dacapo/config.jsonc"], ["kind", "a.ts"]] as const) {
    git("checkout", "-q", "-b", branch, "main")
    write(root, { [file]: branch })
    fs.writeFileSync(join(root, `${branch}.patch`), git("diff"))
    git("commit", "-qam", branch)
  }
  git("checkout", "-q", "main")
  git("update-ref", "refs/remotes/origin/remote", "evil")
  return { root: fs.realpathSync(root), git }
})

describe("a command of git is known to change a protected file by", () => {
  const commands = [
    "git checkout evil", "git switch evil", "git checkout remote", "git checkout evil -- .dacapo/config.jsonc", "git checkout evil .", "git restore --source=evil .",
    "git restore -s evil -- .dacapo", "git merge evil", "git merge --no-ff evil", "git rebase evil", "git cherry-pick evil", "git cherry-pick main..evil", "git reset --hard evil", "git apply evil.patch",
    "git apply -R evil.patch", "git am evil.patch", "git checkout kind && git merge evil", "git branch x evil && git checkout x", "git reset --soft evil && git checkout -- .", "git checkout -B main evil", "cd sub && git -C .. checkout evil",
    "git switch -c new evil", "git switch -fc new evil", "git checkout -qb new evil", "git checkout --orphan new evil", "git checkout --conflict merge evil", "git checkout evil --", "git checkout -q evil -- '.dacap\\o/config.jsonc'",
    "git --icase-pathspecs checkout evil -- .DACAPO/config.jsonc", "git restore -s evil --pathspec-from-file=list", "git checkout evil --pathspec-from-file list --"
  ]
  for (const command of commands) {
    it.live(command, () =>
      Effect.gen(function*() {
        const { root } = yield* repository
        fs.mkdirSync(join(root, "sub"))
        assert.include((yield* facts(root, command)).changes?.[0], ".dacapo/config.jsonc")
        assert.deepStrictEqual(yield* facts(root, command.replaceAll("evil", "kind").replace("checkout remote", "checkout kind").replace(".dacapo/config.jsonc", "a.ts")), {})
      }))
  }

  it.live("a stash, and what the stash takes away", () =>
    Effect.gen(function*() {
      const { git, root } = yield* repository
      assert.deepStrictEqual(yield* facts(root, "git stash"), {})
      write(root, { ".dacapo/config.jsonc": "mine" })
      assert.isDefined((yield* facts(root, "git stash")).changes)
      assert.isDefined((yield* facts(root, "git checkout -- .")).changes)
      assert.deepStrictEqual(yield* facts(root, "git checkout -- a.ts"), {})
      git("stash")
      assert.isDefined((yield* facts(root, "git stash pop")).changes)
    }))

  it.live("nothing that anyone can tell, once it fetches first", () =>
    Effect.gen(function*() {
      const { root } = yield* repository
      assert.isDefined((yield* facts(root, "git fetch && git merge FETCH_HEAD")).unclear)
      assert.deepStrictEqual(yield* facts(root, "git add -A && git commit -m x && git push && git checkout kind"), {})
    }))
})

describe("a folder that git takes for a repository", () => {
  it.live("is one of git's own, whatever it is called", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "docs/x/HEAD": "ref: refs/heads/main", "docs/x/objects": null, "docs/x/refs": null, "docs/config": "" })
      assert.deepStrictEqual(yield* facts(root, "echo x > docs/x/config"), { changes: [join(root, "docs/x/.git/config")] })
      assert.deepStrictEqual(yield* facts(root, "echo x > docs/config"), {})
    }))
})

describe("a program", () => {
  const tool = (root: string, name: string) => {
    fs.mkdirSync(join(root, name, ".."), { recursive: true })
    fs.writeFileSync(join(root, name), "#!/bin/sh\n", { mode: 0o755 })
  }

  it.live("of the open folders, of a package or of a relative folder is never ours, and a reader's name is not enough for it", () =>
    Effect.gen(function*() {
      const root = yield* folder({ ".git": null, app: null })
      const app = join(root, "app")
      tool(root, "node_modules/.bin/git")
      tool(app, "bin/git")
      for (const entry of [join(root, "node_modules/.bin"), "bin", "./bin", join(app, "bin"), join(root, "app/../app/bin"), ""]) {
        const at = surroundings(`${entry}:${usual}`)
        assert.strictEqual(Programs.find(Programs.searchPath(at, [app]), "git"), Programs.find(usual, "git"), entry)
        const { local } = yield* CommandFacts.inspect(at, [app])("git status && ls", entry === "" ? join(app, "bin") : app)
        assert.deepStrictEqual(local, ["git"], entry)
      }
      assert.deepStrictEqual(yield* CommandFacts.inspect(surroundings(), [app])("git status && ls", app), {})
    }))

  it.live("of the user's own is found though the home folder is a repository", () =>
    Effect.gen(function*() {
      const home = yield* folder({ ".git": null, "code/app": null })
      tool(home, "bin/git")
      assert.strictEqual(Programs.find(Programs.searchPath(surroundings(join(home, "bin"), home), [join(home, "code/app")]), "git"), join(home, "bin/git"))
    }))
})

describe("what is copied without being named", () => {
  const scene = folder({ "y/releases/yarn.cjs": "x", "y/plain.txt": "x", "tools/a.sh": "x", "a.ts": "x", "gradle/b": "x", "node_modules/m/index.js": "x" })

  it.live("changes the files that its new place makes protected", () =>
    Effect.gen(function*() {
      const root = yield* scene
      for (const [command, path] of [
        ["mv y .yarn", ".yarn/releases/x"],
        ["cp -r y .yarn", ".yarn/releases/x"],
        ["cp -rT y .yarn", ".yarn/releases/x"],
        ["mv -t gradle y && mv gradle/y gradle/wrapper", "gradle/wrapper/gradle-wrapper.jar"],
        ["mv y node_modules", "node_modules/.bin/x"],
        ["mkdir z && mv z .venv", ".venv/bin/x"],
        ["cp y/plain.txt new && mv new tools", "tools/bazel"]
      ] as const) {
        assert.include((yield* facts(root, command)).changes ?? [], join(root, path), command)
      }
    }))

  it.live("is nothing more for files, and for folders elsewhere", () =>
    Effect.gen(function*() {
      const root = yield* scene
      for (const command of ["mv a.ts tools", "cp a.ts tools/", "cp y/plain.txt node_modules/m/", "mv y z", "cp -r y z", "cp -r y gradle/z", "mkdir z && mv a.ts z/", "cp a.ts b.ts && cp b.ts c.ts"])
        assert.deepStrictEqual(yield* facts(root, command), {}, command)
    }))

  it.live("is unclear for a link that another part of the command may use", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "project/a/b.txt": "b", "project/c.txt": "c", "project/plain/d.txt": "d", "outside.txt": "old" })
      const project = join(root, "project")
      fs.symlinkSync("../outside.txt", join(project, "a/ln"))
      const hostile = ["mv a/ln ln && echo x > ln", "cp -P a/ln ln && cat ln", "cp -a a b && mv b/ln ln && cat ln", "mv a/../a/ln ln; cat ln", "mv a b && mv b/ln ln", "for s in a/ln c.txt; do mv $s x; done"]
      for (const command of hostile) assert.isDefined((yield* facts(project, command)).unclear, command)
      for (const command of ["mv a/ln ln", "cp -a a b", "cp a/ln x && cat x", "mv plain p && cat p/d.txt", "cp -r plain p && mv c.txt p/"])
        assert.deepStrictEqual(yield* facts(project, command), {}, command)
      execFileSync("bash", ["-c", hostile[0]!], { cwd: project })
      assert.strictEqual(fs.readFileSync(join(root, "outside.txt"), "utf8"), "x\n")
    }))
})

describe("a program that a file of the folder chooses", () => {
  it.live("is one of the folder: of rustup, of asdf and the like, and no other", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "rust/rust-toolchain.toml": "[toolchain]\npath = './evil'", "rust/deep": null, "asdf/.tool-versions": "nodejs path:./evil", "plain/.tool-versions": "nodejs 24.1.0", "bin/rustup": "", "bin/cargo": "", "asdfhome/shims/node": "", "other/cargo": "", "other/node": "" })
      for (const file of ["bin/rustup", "bin/cargo", "asdfhome/shims/node", "other/cargo", "other/node"]) fs.chmodSync(join(root, file), 0o755)
      const local = (path: string, project: string, command: string, at = project) =>
        Effect.map(CommandFacts.inspect(surroundings(path), [join(root, project)])(command, join(root, at)), ({ local }) => local)
      const [managed, own] = [`${join(root, "bin")}:${join(root, "asdfhome/shims")}`, join(root, "other")]
      assert.deepStrictEqual(yield* local(managed, "rust", "cargo --version"), ["cargo"])
      assert.deepStrictEqual(yield* local(managed, "rust", "cargo --version", "rust/deep"), ["cargo"])
      assert.deepStrictEqual(yield* local(managed, "asdf", "node --version"), ["node"])
      assert.isUndefined(yield* local(managed, "plain", "cargo --version && node --version"))
      assert.isUndefined(yield* local(own, "rust", "cargo --version"))
      assert.isUndefined(yield* local(own, "asdf", "node --version"))
    }))
})
