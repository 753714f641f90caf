/** Another process on the same store: what it is told to do, it does until its input closes or it is killed. */
import { once } from "node:events"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { LogError } from "../../../src/domain/session/LogError.ts"
import { Storage } from "../../../src/services/Storage.ts"
import { builtin } from "../../../src/layers/storage/builtin.ts"
import { lines, summary } from "../../../src/layers/testing/conformance/storage.ts"

const [what, backend, folder, session] = process.argv.slice(2) as [string, string, string, string]

const say = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))
const inputCloses = Effect.promise(() => once(process.stdin.resume(), "end"))

const store = Effect.flatMap(
  Layer.build(builtin.find(({ name }) => name === backend)!.layer(folder)),
  (context) => Effect.succeed(Context.get(context, Storage))
)

const programs: Record<string, Effect.Effect<void, LogError, Scope.Scope>> = {
  /** Holds the lease of a session. */
  hold: Effect.gen(function*() {
    const storage = yield* store
    yield* storage.lease(session)
    yield* say("held")
    yield* inputCloses
  }),
  /** Appends as fast as it can, and says each seq once it is acknowledged. */
  append: Effect.gen(function*() {
    const storage = yield* store
    yield* storage.lease(session)
    for (const line of lines(20_000)) {
      yield* storage.append(session, [line], { sync: line.seq % 50 === 0, summary: summary(line.seq) })
      yield* say(String(line.seq))
    }
  }),
  /** Keeps the database locked, as a long transaction of another program would. */
  lock: Effect.gen(function*() {
    const db = new DatabaseSync(join(folder, "sessions.db"))
    db.exec("BEGIN IMMEDIATE")
    yield* say("locked")
    yield* inputCloses
    db.exec("ROLLBACK")
    db.close()
  })
}

await Effect.runPromise(Effect.scoped(programs[what]!))
