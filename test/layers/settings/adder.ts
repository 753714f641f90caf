/** A process that adds `count` items to one list of `root`/shared.json, each flushed and then said: `node adder.ts root name count`. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as JsonFilesLive from "../../../src/layers/settings/JsonFilesLive.ts"
import { Environment } from "../../../src/services/Environment.ts"
import { JsonFiles } from "../../../src/services/JsonFiles.ts"

const [root = "", name = "", count = "0"] = process.argv.slice(2)

const environment = Layer.succeed(Environment, {
  variables: {},
  folders: { home: root, config: root, data: root, state: join(root, "state"), cache: root },
  platform: "linux",
  version: "0.0.0"
})

const add = Effect.gen(function*() {
  const file = yield* (yield* JsonFiles).at(join(root, "shared.json"))
  for (let i = 0; i < Number(count); i++) {
    const item = `${name}${String(i).padStart(2, "0")}`
    yield* file.change(["list"], (before) => [...(before as ReadonlyArray<string> | undefined ?? []), item])
    yield* file.change(["own", name], () => i)
    yield* file.flush
    process.stdout.write(`${item}\n`)
  }
})

await Effect.runPromise(Effect.provide(add, Layer.provide(JsonFilesLive.layer, environment)))
