import { describe, it } from "@effect/vitest"
import { builtin } from "../../../src/layers/provider/builtin.ts"
import { cases } from "../../../src/layers/testing/conformance/provider.ts"
import { anthropic } from "../../../src/layers/testing/servers/anthropic.ts"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"

/** Scripts speak no wire; their own tests hold them. */
const wireless = new Set(["scripted"])
const wires = new Map([["anthropic", anthropic]])

for (const route of builtin.filter(({ name }) => !wireless.has(name))) {
  describe(`${route.name}`, () => {
    for (const { name, run } of cases(route, wires.get(route.name) ?? openAiChat)) it.live(name, () => run)
  })
}
