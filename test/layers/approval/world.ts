/** A real folder with links that lead out of it, and the verdict over commands there as the agent reaches it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Mode } from "../../../src/domain/approval/Mode.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import * as ApprovalLive from "../../../src/layers/approval/ApprovalLive.ts"
import { resolveLookups } from "../../../src/layers/tool/ResolveLookups.ts"
import * as NodeWorkspace from "../../../src/layers/workspace/files/NodeWorkspace.ts"
import { Approval } from "../../../src/services/Approval.ts"
import { Workspace } from "../../../src/services/Workspace.ts"
import { environment, write } from "../workspace/fixture.ts"

/** Stands in every file that no command may read without a question. */
export const marker = "MARKER-5f1c"

/** Paths that lead to the marker as they stand, from the project's folder. */
export const files = {
  "project/src/a.ts": "const foo = 1\nfoo\n",
  "project/src/b.ts": "let foo\n",
  "project/src/deep/c.ts": "foo",
  "project/package.json": "{\"name\":\"p\"}",
  "project/notes.txt": "b\na\n",
  "project/data.zip": "",
  "project/.env": marker,
  "outside/secret.txt": marker,
  "home/secret.txt": marker
}

export interface World {
  readonly root: string
  readonly cwd: string
  readonly judge: (command: string, asked?: { readonly cwd?: string; readonly mode?: Mode; readonly allow?: ReadonlyArray<string>; readonly deny?: ReadonlyArray<string> }) => Effect.Effect<"allow" | "ask" | "deny">
}

export const inWorld = <A, E>(run: (world: World) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const root = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "dacapo-reads-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true })))
    write(root, files)
    const cwd = join(root, "project")
    fs.symlinkSync("../../outside/secret.txt", join(cwd, "src/link.txt"))
    fs.symlinkSync("link.txt", join(cwd, "src/chain.txt"))
    fs.symlinkSync("../outside/secret.txt", join(cwd, "1a=x"))
    fs.symlinkSync("../../outside", join(cwd, "src/linkdir"))
    fs.symlinkSync("a.ts", join(cwd, "src/inside.ts"))
    fs.symlinkSync("../.env", join(cwd, "src/dotted"))
    fs.symlinkSync("../../outside/new.txt", join(cwd, "src/dangling.txt"))
    fs.symlinkSync("loop.txt", join(cwd, "src/loop.txt"))
    return yield* inRoot(root, run)
  })

/** The same in a root that holds the folders `project` and `home`. */
export const inRoot = <A, E>(root: string, run: (world: World) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const cwd = join(root, "project")
    return yield* Effect.gen(function*() {
      const approval = yield* Approval
      const follow = resolveLookups(yield* Workspace)
      const judge: World["judge"] = Effect.fnUntraced(function*(command, { allow = [], cwd: at, deny = [], mode = "default" } = {}) {
        const session: Session.Session = {
          ...Session.empty,
          cwd,
          home: join(root, "home"),
          settings: { ...Session.empty.settings, mode, rules: { allow, ask: [], deny } }
        }
        const access = [yield* follow(Access.command(command, at === undefined ? cwd : join(cwd, at)), session)]
        return approval.judge({ name: "run_command", kind: "command", tags: ["command"], access, requestsApproval: false }, session).decision
      })
      return yield* run({ root, cwd, judge })
    }).pipe(Effect.provide(Layer.merge(ApprovalLive.layer, NodeWorkspace.layer({ roots: [cwd] }).pipe(Layer.provide(environment())))))
  })
