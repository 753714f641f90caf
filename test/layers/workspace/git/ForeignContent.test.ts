/** A repository that shows files from elsewhere as its own: real git does, and a read without a prompt does not. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import * as ShellLive from "../../../../src/layers/workspace/shell/ShellLive.ts"
import { Shell } from "../../../../src/services/Shell.ts"
import { environment, folder } from "../fixture.ts"
import { repository, sh } from "../hostileGit.ts"

const marker = "MARKER-5f1c"

/** Beside the project: a file, and a repository of somebody else's. */
const scene = Effect.gen(function*() {
  const root = yield* folder({ "secret.txt": `${marker}\n`, "private/p.txt": `${marker}\n` })
  sh("git init -q -b main && git add -A && git -c user.name=a -c user.email=a@b commit -qm private", join(root, "private"))
  repository(join(root, "project"))
  return root
})

const read = (root: string, command: string, cwd = join(root, "project")) =>
  Effect.flatMap(Shell, (shell) => shell.run({ command, cwd, timeoutMs: 60_000, maxOutputCharacters: 48_000, onOutput: () => {}, reads: true })).pipe(
    Effect.map(({ output }) => output),
    Effect.provide(ShellLive.layer.pipe(Layer.provide(environment({ PATH: process.env["PATH"], HOME: root }))))
  )

const shown = (command: string, cwd: string): string => execFileSync("bash", ["-c", `${command} 2>&1 || :`], { cwd, encoding: "utf8" })

/** How the project is set up, and a read by which git shows the marker. */
const traps: Readonly<Record<string, readonly [setup: string, read: string]>> = {
  "a .git file that names another repository": ["rm -rf .git && echo 'gitdir: ../private/.git' > .git", "git log -p"],
  "a .git that is a link": ["rm -rf .git && ln -s ../private/.git .git", "git show"],
  "a common folder elsewhere": ["echo \"$PWD/../private/.git\" > .git/commondir", "git log -p --all"],
  "objects of another repository": ["echo ../../../private/.git/objects > .git/objects/info/alternates", "git cat-file -p $(git -C ../private rev-parse HEAD:p.txt)"],
  "objects of another repository, in quotes": ["echo '\"../../../private/.git/objects\"' > .git/objects/info/alternates", "git cat-file -p $(git -C ../private rev-parse HEAD:p.txt)"],
  "linked objects": ["mv .git/objects ../old && ln -s ../../private/.git/objects .git/objects && git update-ref --no-deref HEAD $(git -C ../private rev-parse HEAD)", "git show"],
  "revisions to ignore": ["git config blame.ignoreRevsFile ../secret.txt", "git blame a.t"],
  "a list for fsck": ["git config fsck.skipList \"$PWD/../secret.txt\"", "git fsck"],
  "an index that names files elsewhere": ["mkdir aa && echo old > aa/secret.txt && git add aa && LC_ALL=C sed -i 's#aa/secret.txt#../secret.txt#' .git/index", "git diff"],
  "an index whose files elsewhere are searched": ["mkdir aa && echo old > aa/secret.txt && git add aa && LC_ALL=C sed -i 's#aa/secret.txt#../secret.txt#' .git/index", "git grep MARKER"],
  "a submodule that names another repository": ["mkdir sub && echo 'gitdir: ../../private/.git' > sub/.git && git update-index --add --cacheinfo 160000,$(git -C ../private rev-parse HEAD),sub", "git -C sub show"]
}

describe("git shows without a prompt nothing that is reached by", () => {
  for (const [name, [setup, command]] of Object.entries(traps)) {
    it.live(name, () =>
      Effect.gen(function*() {
        const root = yield* scene
        const project = join(root, "project")
        sh(setup, project)
        assert.include(shown(command, project), marker)
        const literal = shown(`printf %s "${command}"`, project)
        const { message } = yield* Effect.flip(read(root, literal))
        assert.include(message, "show files from elsewhere")
      }))
  }
})

describe("git shows without a prompt what belongs to", () => {
  const belongs: Readonly<Record<string, readonly [setup: string, folder: string]>> = {
    "a repository": [":", "project"],
    "a folder of one": ["mkdir deep", "project/deep"],
    "a linked work tree": ["git worktree add -q ../linked side", "linked"],
    "a submodule": ["git -c protocol.file.allow=always submodule add -q ../private sub && git -c user.name=a -c user.email=a@b commit -qm sub", "project/sub"],
    "a repository whose list of revisions to ignore is its own": ["touch .git-blame-ignore-revs && git config blame.ignoreRevsFile .git-blame-ignore-revs", "project"]
  }
  for (const [name, [setup, at]] of Object.entries(belongs)) {
    it.live(name, () =>
      Effect.gen(function*() {
        const root = yield* scene
        sh(setup, join(root, "project"))
        assert.isTrue(fs.existsSync(join(root, at)))
        assert.include(yield* read(root, "git log --oneline", join(root, at)), " ")
      }))
  }
})

it.live("git diff without a prompt compares no files outside a repository", () =>
  Effect.gen(function*() {
    const root = yield* folder({ "plain/.env": `${marker}\n`, "plain/src/a.ts": "a" })
    const plain = join(root, "plain")
    assert.include(shown("git diff src .", plain), marker)
    assert.include((yield* Effect.flip(read(root, "git diff src .", plain))).message, "Outside a repository")
    sh("git init -q", plain)
    assert.notInclude(shown("git diff src .", plain), marker)
    assert.notInclude(yield* read(root, "git diff src .", plain), marker)
  }))
