import { describe, it } from "@effect/vitest"
import { builtin } from "../../../src/layers/provider/builtin.ts"
import { cases } from "../../../src/layers/testing/conformance/route.ts"
import { wires } from "../../../src/layers/testing/servers/wires.ts"

/** Scripts speak no wire; their own tests hold them. */
for (const route of builtin.filter(({ wire }) => wire !== "script")) {
  describe(route.name, () => {
    for (const { name, run } of cases(route, wires.find(({ name }) => name === route.wire)!)) it.live(name, () => run)
  })
}
