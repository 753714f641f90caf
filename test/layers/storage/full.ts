/** Appends until the disk has no more room, then says how many were acknowledged and why it ended. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Storage } from "../../../src/services/Storage.ts"
import * as Sqlite from "../../../src/layers/storage/sqlite/Sqlite.ts"
import { lines, summary } from "../../../src/layers/testing/conformance/storage.ts"

process.on("SIGXFSZ", () => {})

const program = Effect.gen(function*() {
  const storage = Context.get(yield* Layer.build(Sqlite.layerIn(process.argv[2]!)), Storage)
  const log = lines(5000)
  for (const line of log) {
    const result = yield* Effect.result(storage.append("a", [line], { sync: false, summary: summary(1) }))
    if (result._tag === "Failure") return { acknowledged: line.seq, reason: result.failure.reason }
  }
  return { acknowledged: log.length, reason: null }
})

process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.scoped(program))))
