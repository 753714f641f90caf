import { describe, it } from "@effect/vitest"
import * as storage from "../../src/layers/testing/conformance/storage.ts"
import { builtin } from "../../src/layers/storage/builtin.ts"

for (const backend of builtin) {
  describe(`the ${backend.name} store`, () => {
    for (const { name, run } of storage.cases({ backend })) it.live(name, () => run)
  })
}
