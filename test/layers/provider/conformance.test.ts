import { describe, it } from "@effect/vitest"
import { builtin } from "../../../src/layers/provider/builtin.ts"
import { cases } from "../../../src/layers/testing/conformance/provider.ts"
import { anthropic } from "../../../src/layers/testing/servers/anthropic.ts"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"
import { openAiResponses } from "../../../src/layers/testing/servers/openAiResponses.ts"
import type { Wire } from "../../../src/layers/testing/servers/Wire.ts"

/** Scripts speak no wire; their own tests hold them. */
const wires: Readonly<Record<string, Wire>> = Object.fromEntries([anthropic, openAiChat, openAiResponses].map((wire) => [wire.name, wire]))

for (const route of builtin.filter(({ wire }) => wire !== "script")) {
  describe(route.name, () => {
    for (const { name, run } of cases(route, wires[route.wire]!)) it.live(name, () => run)
  })
}
