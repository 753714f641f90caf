/** Checkpoints and worktrees of git pass the suites of those in memory (folders.test.ts). */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import * as checkpoints from "../../src/layers/testing/conformance/checkpoints.ts"
import * as worktrees from "../../src/layers/testing/conformance/worktrees.ts"
import * as GitCheckpoints from "../../src/layers/workspace/checkpoints/GitCheckpoints.ts"
import * as WorktreeCheckpoints from "../../src/layers/workspace/checkpoints/WorktreeCheckpoints.ts"
import * as NodeWorkspace from "../../src/layers/workspace/files/NodeWorkspace.ts"
import * as WorktreesLive from "../../src/layers/workspace/worktree/WorktreesLive.ts"
import { Agent } from "../../src/services/Agent.ts"
import { environment, folder } from "../layers/workspace/fixture.ts"

interface Case {
  readonly name: string
  readonly run: Effect.Effect<void, unknown>
}

const suite = (name: string, cases: ReadonlyArray<Case>) =>
  describe(name, () => {
    for (const { name, run } of cases) it.live(name, () => run)
  })

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@test", "-c", "init.defaultBranch=main", ...args], { cwd, stdio: "ignore" })

const onDisk = (root: string) => Layer.provide(NodeWorkspace.layer({ roots: [root] }), environment())

suite("GitCheckpoints", checkpoints.cases(Layer.unwrap(Effect.gen(function*() {
  const [root, data] = [yield* folder(), yield* folder()]
  return GitCheckpoints.layer().pipe(Layer.provideMerge(onDisk(root)), Layer.provide(environment(undefined, { data })))
}))))
suite("WorktreeCheckpoints", checkpoints.cases(Layer.unwrap(Effect.map(folder(), (root) => {
  git(root, "init", "--quiet")
  git(root, "commit", "--quiet", "--allow-empty", "-m", "first")
  return Layer.merge(WorktreeCheckpoints.layer(root), onDisk(root)).pipe(Layer.provide(environment()))
}))))

const shared = "one\ntwo\nthree\nfour\nfive\nsix\n"
/** Nobody works in these folders: the suite does. */
const idle = Layer.mock(Agent)({})

suite("WorktreesLive", worktrees.cases(Effect.map(folder({ "shared.txt": shared }), (cwd): worktrees.World => {
  git(cwd, "init", "--quiet")
  git(cwd, "add", ".")
  git(cwd, "commit", "--quiet", "-m", "first")
  return {
    cwd,
    layer: Layer.provide(WorktreesLive.layer(() => idle), environment()),
    write: (folder, path, text) => Effect.sync(() => {
      fs.mkdirSync(dirname(join(folder, path)), { recursive: true })
      fs.writeFileSync(join(folder, path), text)
    }),
    read: (folder, path) => Effect.sync(() => fs.existsSync(join(folder, path)) ? fs.readFileSync(join(folder, path), "utf8") : null)
  }
})))
