/** An agent that saves without end, until it is killed. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as GitCheckpoints from "../../../../src/layers/workspace/checkpoints/GitCheckpoints.ts"
import * as NodeWorkspace from "../../../../src/layers/workspace/files/NodeWorkspace.ts"
import { Checkpoints } from "../../../../src/services/Checkpoints.ts"
import { environment } from "../fixture.ts"

const [root = "", data = ""] = process.argv.slice(2)

const layer = GitCheckpoints.layer().pipe(
  Layer.provide(NodeWorkspace.layer({ roots: [root] })),
  Layer.provide(environment({ PATH: process.env["PATH"] }, { data }))
)

await Effect.runPromise(
  Effect.gen(function*() {
    const checkpoints = yield* Checkpoints
    for (let seq = 0;; seq++) {
      writeFileSync(join(root, "count.txt"), `${seq}`)
      const { id } = yield* checkpoints.save({ session: "s", seq, why: "again" })
      process.stdout.write(`${id}\n`)
    }
  }).pipe(Effect.provide(layer))
)
