/** Writes a large file, as someone without the rights of root where that is said, and tells how it ended. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeWorkspace from "../../../../src/layers/workspace/files/NodeWorkspace.ts"
import { Workspace } from "../../../../src/services/Workspace.ts"
import { environment } from "../fixture.ts"

process.on("SIGXFSZ", () => undefined)
if (process.argv[3] === "nobody" && process.getuid?.() === 0) process.setuid?.(65534)

const told = await Effect.runPromise(
  Effect.flatMap(Workspace, (workspace) => workspace.writeText("a.txt", "x".repeat(1_000_000))).pipe(
    Effect.match({ onFailure: ({ reason }) => reason, onSuccess: () => "written" }),
    Effect.provide(NodeWorkspace.layer({ roots: [process.argv[2]!] }).pipe(Layer.provide(environment())))
  )
)
process.stdout.write(told)
