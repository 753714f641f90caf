/** Commands that look like reads of the folder and read something else, or like edits and write something protected. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { inWorld, marker } from "./world.ts"

/** Each with one of the same form that reads nothing else. */
const reads: Readonly<Record<string, readonly [hostile: string, harmless: string]>> = {
  "a parent of a link, which the shell takes for the folder of the link": ["cd l/../q && cat secret.txt", "cd a/b && cat ../../src/a.ts"],
  "a parent of a link, entered to list it": ["cd l/../q && grep -r MARKER", "cd a/b && ls"],
  "a second value of an option": ["jq -nr --rawfile x s '$x'", "jq -nr --rawfile x src/a.ts '$x'"],
  "a second value known at run time": ["v=../outside/secret.txt; jq -nr --rawfile x \"$v\" '$x'", "jq -nr --arg x \"$v\" '$x'"],
  "a second value that splits": ["y='1 -nr --rawfile q s $q'; jq --arg x $y", "y=1; jq -nr --arg x \"$y\" '$x'"],
  "a list of files with something attached": ["cat $(find src -name a.ts)$((7))", "cat $(find src -name a.ts)"],
  "a list of files with a quoted character attached": ["cat $(find src -name a.ts)\\)", "cat $(find src -name a.ts)"],
  "a loop over a list with something attached": ["for f in $(find src -name a.ts)$((7)); do cat $f; done", "for f in $(find src -name a.ts); do cat $f; done"],
  "a test among the values of find": ["find src ! -path -name -exec cat {} +", "find src -name '*.ts' -exec cat {} +"],
  "a negation among the values of find": ["find . -not -path ! -path '*/src/*' -exec cat {} +", "find src -not -path '*/linkdir/*' -name '*.ts' -exec cat {} +"],
  "a name among the values of find": ["find src -not -name -name -exec cat {} +", "find src -not -name x -name a.ts -exec cat {} +"],
  "the name that grep gives its own input": ["echo foo | grep -rl foo src/deep - | xargs cat", "grep -rl foo src/deep | xargs cat"],
  "a variable that a number sets": ["for f in src/a.ts; do for g in $((f=7)); do cat $f; done; done", "for f in src/a.ts; do for g in 7; do cat $f; done; done"]
}

const scene = (cwd: string) => {
  fs.mkdirSync(join(cwd, "a/b/c/d"), { recursive: true })
  fs.mkdirSync(join(cwd, "a/b/c/q"), { recursive: true })
  fs.writeFileSync(join(cwd, "a/b/c/q/secret.txt"), "")
  fs.symlinkSync("a/b/c/d", join(cwd, "l"))
  fs.symlinkSync("../outside", join(cwd, "q"))
  for (const name of ["s", "7", "input)", "src/a.ts7", "src/a.ts)"]) fs.symlinkSync(`${name.startsWith("src/") ? "../" : ""}../outside/secret.txt`, join(cwd, name))
}

const output = (command: string, cwd: string): string => spawnSync("bash", ["-c", command], { cwd, encoding: "utf8" }).stdout

it.effect("a read of something else prompts, and one of the folder does not", () =>
  inWorld(({ cwd, judge }) =>
    Effect.gen(function*() {
      scene(cwd)
      for (const [name, [hostile, harmless]] of Object.entries(reads)) {
        assert.include(output(hostile, cwd), marker, name)
        assert.notInclude(output(harmless, cwd), marker, name)
        for (const mode of ["default", "acceptEdits", "auto", "plan"] as const) {
          assert.notStrictEqual(yield* judge(hostile, { mode }), "allow", `${name}: ${hostile}`)
          assert.strictEqual(yield* judge(harmless, { mode }), "allow", `${name}: ${harmless}`)
        }
      }
    })), 30_000)

describe("a backup of an edit in place", () => {
  it.effect("makes no protected file without a prompt", () =>
    inWorld(({ cwd, judge }) =>
      Effect.gen(function*() {
        for (const file of [".npmr", "AGENTS.m"]) fs.writeFileSync(join(cwd, file), "x")
        const hostile = ["sed -ic 's/^//' .npmr", "sed -id 's/^//' AGENTS.m", "sed --in-place=d 's/^//' AGENTS.m", "sed -id 's/^//' *.m", "sed -i'../*' 's/^//' AGENTS.m"]
        execFileSync("bash", ["-c", hostile[0]!], { cwd })
        assert.isTrue(fs.existsSync(join(cwd, ".npmrc")))
        assert.deepStrictEqual(yield* Effect.filter(hostile, (command) => Effect.map(judge(command, { mode: "acceptEdits" }), (decision) => decision === "allow")), [])
        const harmless = ["sed -i 's/a/b/' src/a.ts", "sed -i.bak 's/a/b/' src/*.ts", "sed -i.1 's/a/b/' src/a.ts", "sed -i~ 's/a/b/' src/a.ts"]
        assert.deepStrictEqual(yield* Effect.filter(harmless, (command) => Effect.map(judge(command, { mode: "acceptEdits" }), (decision) => decision === "allow")), harmless)
      })))
})
