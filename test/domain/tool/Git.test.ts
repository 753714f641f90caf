/** Which calls of git are reads, and what an allow rule for all of git reaches. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Call from "../../../src/domain/approval/Call.ts"
import * as Decision from "../../../src/domain/approval/Decision.ts"
import * as Risk from "../../../src/domain/approval/Risk.ts"
import * as Rule from "../../../src/domain/approval/Rule.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import * as GitSettings from "../../../src/domain/workspace/GitSettings.ts"

type Facts = Omit<Extract<Access.Access, { readonly _tag: "Command" }>, "_tag" | "command">

const decide = (command: string, rules: Rule.Rules = {}, facts: Facts = {}) => {
  const access = { ...Access.command(command), ...facts }
  const evaluation = Rule.evaluate(Result.getOrThrow(Rule.compile(rules, { root: "/p", home: "/h" })), Call.fromAccess(access, { cwd: "/p", roots: ["/p"] }))
  return Decision.decide({ access, evaluation, mode: "default", risk: Risk.assess(access, { roots: ["/p"], cwd: "/p", home: "/h" }) })._tag
}

describe("without a rule", () => {
  for (const command of [
    "git status", "git diff", "git diff HEAD -- '*.ts'", "git log -p", "git show HEAD", "git show HEAD:src/a.ts", "git show main:docs/head", "git log -L :f:src/a.ts", "git reflog", "git reflog show main", "git symbolic-ref HEAD",
    "git worktree list", "git for-each-ref --shell", "git -C docs/x status", "/usr/bin/git status", "git grep secret"
  ]) it(`${command} runs`, () => assert.strictEqual(decide(command), "Allow"))

  for (const command of [
    "git symbolic-ref HEAD refs/heads/x", "git symbolic-ref -d HEAD", "git reflog expire --all", "git reflog delete HEAD@{0}", "git diff --output=f", "git log --output=f", "git diff --ext-diff", "git log --textconv", "git show --ext-diff",
    "git grep -Ovi x", "git grep --open-files-in-pager x", "git blame --contents f a", "git diff --no-index a b", "git diff /etc/passwd a", "git help log", "git log --help", "git --help", "git --paginate log", "git -p log", "git ls-remote",
    "git remote update", "git config --edit", "git config a.b c", "git bisect run x", "git submodule foreach x", "git difftool -x touch", "git filter-branch --tree-filter touch", "git --git-dir=x status", "git --work-tree=/ status",
    "git -c core.fsmonitor=x status", "git --config-env=core.fsmonitor=X status", "git --exec-path=x status", "git --attr-source=x diff", "GIT_DIR=x git status", "GIT_CONFIG_COUNT=0 git status", "env GIT_DIR=x git status", "bin/git status",
    "./ls", "git -C \"$X\" status", "git fsck --lost-found", "git cat-file --textconv HEAD:a", "git archive HEAD", "git stash", "git branch -D x",
    "git show HEAD:.env", "git cat-file -p HEAD:.env", "git show :0:.env", "git log -p -- .env", "git log -L 1,9:.env", "git show HEAD -- ':(top).env'", "git grep x -- .env", "git blame .env", "git diff .env"
  ]) it(`${command} asks`, () => assert.strictEqual(decide(command), "Ask"))

  it("a deny on a file holds for its contents in any revision", () => {
    for (const command of ["git show HEAD:.env", "git cat-file -p main~3:.env", "git show ':(top).env'", "git log -L1,9:.env"]) assert.strictEqual(decide(command, { deny: ["Read(.env)"] }), "Deny", command)
    assert.strictEqual(decide("git show HEAD:src/a.ts", { deny: ["Read(.env)"] }), "Allow")
  })

  it("a git that the open folders supply asks", () => assert.deepStrictEqual([decide("git status", {}, { local: ["git"] }), decide("git status")], ["Ask", "Allow"]))
})

describe("Bash(git *)", () => {
  const under = (command: string, facts: Facts = {}, more: ReadonlyArray<string> = []) => decide(command, { allow: ["Bash(git *)", ...more] }, facts)

  for (const command of [
    "git commit -m x", "git add -A && git commit -m x && git push", "git checkout main", "git checkout -b new", "git checkout main -- src/a.ts", "git merge x", "git rebase main", "git rebase --continue", "git stash", "git stash pop", "git apply p.patch",
    "git reset --hard HEAD~1", "git fetch", "git clone https://x.test/y vendor/y", "git worktree add tmp/x main", "git init sub", "git mv a b"
  ]) it(`allows ${command}`, () => assert.strictEqual(under(command), "Allow"))

  for (const command of [
    "git clone https://x.test/y docs/../../outside", "git clone https://x.test/y /tmp/y", "git clone ext::sh y", "git worktree add ../x", "git worktree add docs/../../x", "git worktree move a ../b", "git archive -o ../x HEAD", "git bundle create ../x HEAD", "git init ../x",
    "git mv a .dacapo/config.jsonc", "git rm .vscode/x", "git pull", "git apply", "git apply < p", "git am -", "git checkout \"feature-$X\"", "git merge -X subtree=.dacapo evil", "git merge -s x y", "git submodule update", "git checkout-index -a", "git read-tree -u x",
    "git filter-branch --tree-filter 'touch x'", "git difftool -x touch", "git mergetool", "git help x", "git update-index --cacheinfo 100644,x,.dacapo/config.jsonc"
  ]) it(`does not reach ${command}`, () => assert.strictEqual(under(command), "Ask"))

  it("does not reach protected files that would come without being named", () => {
    const changes = ["/p/.dacapo/config.jsonc"]
    assert.strictEqual(under("git checkout evil", { changes }), "Ask")
    assert.strictEqual(under("git checkout evil", { changes: ["/p/src/a.ts"] }), "Allow")
    assert.strictEqual(under("git checkout evil", { changes }, ["Edit(.dacapo/config.jsonc)"]), "Allow")
    assert.strictEqual(decide("git checkout evil", { allow: ["Bash(git checkout:*)"] }, { changes }), "Ask")
    assert.strictEqual(decide("git checkout evil", { allow: ["Bash"], deny: ["Edit(.dacapo/**)"] }, { changes }), "Deny")
    assert.strictEqual(under("git fetch && git merge FETCH_HEAD", { unclear: "fetched" }), "Ask")
  })

  it("is not needed by one who names what can't be told before", () => assert.strictEqual(decide("git pull --rebase", { allow: ["Bash(git pull:*)"] }), "Allow"))
})

describe("a file that makes a folder a repository", () => {
  it("asks before it is written, and others of its kind do not", () => {
    assert.deepStrictEqual(["docs/x/HEAD", "docs/x/config", "docs/x/refs", "src/header"].map((path) => decide(`tee ${path}`, { allow: ["Bash(tee:*)"] })), ["Ask", "Allow", "Allow", "Allow"])
  })
})

describe("settings of a repository", () => {
  const parsed = GitSettings.parse("global\0filter.lfs.clean\ngit-lfs clean\0local\0filter.lfs.clean\nevil\0local\0Filter.A b.C.smudge\nevil\nmore\0worktree\0diff.x.textconv\nevil\0local\0user.name\nAda\0local\0core.bare\0")

  it("are read as git prints them, with line ends and without values", () =>
    assert.deepStrictEqual(parsed.slice(2).map(({ key, value }) => [key, value]), [["Filter.A b.C.smudge", "evil\nmore"], ["diff.x.textconv", "evil"], ["user.name", "Ada"], ["core.bare", ""]]))

  it("run nothing: the user's own value holds, or one that does nothing; what only describes stays", () =>
    assert.deepStrictEqual(GitSettings.overrides(parsed), [["filter.lfs.clean", "git-lfs clean"], ["Filter.A b.C.smudge", ""], ["diff.x.textconv", "cat"]]))

  it("come behind those that the environment holds", () =>
    assert.deepStrictEqual(GitSettings.environment([["a.b", "c"]], { GIT_CONFIG_COUNT: "1" }), { GIT_CONFIG_COUNT: "2", GIT_CONFIG_KEY_1: "a.b", GIT_CONFIG_VALUE_1: "c" }))
})
