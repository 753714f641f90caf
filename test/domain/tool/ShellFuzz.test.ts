import { assert, it } from "@effect/vitest"
import { fuzz } from "../../fuzz/shell.ts"

it("no program runs that the analysis did not name, unless the verdict was ask", () => {
  const { allowed, failures } = fuzz(600, 20261121)
  assert.deepStrictEqual(failures, [])
  assert.isAbove(allowed, 100)
})
