/** Saving a checkpoint of 20,000 files, beside git's own add, write-tree and commit-tree on the same tree. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as GitCheckpoints from "../src/layers/workspace/checkpoints/GitCheckpoints.ts"
import * as NodeWorkspace from "../src/layers/workspace/files/NodeWorkspace.ts"
import { Checkpoints } from "../src/services/Checkpoints.ts"
import { Environment } from "../src/services/Environment.ts"
import { median, report } from "./measure.ts"

const base = mkdtempSync(join(tmpdir(), "dacapo-bench-"))
const at = (...names: ReadonlyArray<string>) => join(base, ...names)

const pathOf = (i: number) => at("tree", `d${i % 40}`, `e${i % 400}`, `f${i}.ts`)
for (let i = 0; i < 20_000; i++) {
  if (i < 400) mkdirSync(join(pathOf(i), ".."), { recursive: true })
  writeFileSync(pathOf(i), `export const a${i} = ${i}\n`.repeat(40))
}
let edits = 0
const change3 = () => [1, 2, 3].forEach((i) => writeFileSync(pathOf(i), `edit ${++edits}\n`))

const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=u", "-c", "user.email=u@u", "-c", "gc.auto=0", ...args], {
    cwd: at("tree"),
    env: { ...process.env, GIT_DIR: at("git"), GIT_WORK_TREE: at("tree") },
    encoding: "utf8"
  }).trim()
const gitSave = () => {
  git("add", "-A")
  git("commit-tree", git("write-tree"), "-m", "x")
}

const layer = GitCheckpoints.layer().pipe(
  Layer.provide(NodeWorkspace.layer({ roots: [at("tree")] })),
  Layer.provide(Layer.succeed(Environment, {
    variables: process.env,
    folders: { home: "/nonexistent", config: base, data: at("data"), state: base, cache: base },
    platform: process.platform,
    version: "0"
  }))
)

const timed = (run: () => unknown) =>
  Effect.promise(async () => {
    const start = performance.now()
    await run()
    return performance.now() - start
  })

await Effect.runPromise(
  Effect.gen(function*() {
    const checkpoints = yield* Checkpoints
    const save = () => Effect.runPromise(checkpoints.save({ session: "s", seq: 1, why: "bench" }))
    const first = yield* timed(save)
    execFileSync("git", ["init", "-q", "--bare", at("git")])
    const gitFirst = yield* timed(gitSave)
    const ours: Array<number> = []
    const theirs: Array<number> = []
    const still: Array<number> = []
    // Turn by turn, so that a busy moment of the machine falls on both.
    for (let i = 0; i < 9; i++) {
      change3()
      ours.push(yield* timed(save))
      still.push(yield* timed(save))
      change3()
      theirs.push(yield* timed(gitSave))
    }
    const peer = { name: "git add, write-tree, commit-tree", value: median(theirs) }
    report("Checkpoints of 20,000 files", "ms", [
      { claim: "first", ours: first, peer: { ...peer, value: gitFirst } },
      { claim: "3 files changed", ours: median(ours), limit: 1.5 * median(theirs), peer },
      { claim: "nothing changed", ours: median(still), peer }
    ])
  }).pipe(Effect.provide(layer))
)
rmSync(base, { recursive: true })
