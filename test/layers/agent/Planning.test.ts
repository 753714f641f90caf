/** How often a request is planned: each is weighed and assembled once, whatever asks for its size. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RequestPlan from "../../../src/domain/context/RequestPlan.ts"
import * as Assemble from "../../../src/domain/prompt/Assemble.ts"
import * as Sections from "../../../src/domain/prompt/Sections.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { events, of, run } from "./world.ts"

afterEach(() => vi.restoreAllMocks())

/** The calls of a prompt's assembly, by its table of sections. */
const countAssemblies = () => {
  const spy = vi.spyOn(Assemble, "assemble")
  const count = (table: typeof Sections.system) =>
    spy.mock.calls.filter(([sections]) => sections.every((section) => table.includes(section))).length
  return { system: () => count(Sections.system), current: () => count(Sections.current) }
}

describe("a request", () => {
  it.effect("is weighed once, and each of its prompts is assembled once", () =>
    Effect.gen(function*() {
      const weigh = vi.spyOn(RequestPlan, "weigh")
      const assembled = countAssemblies()
      const { id } = yield* run("Read it")
      const requests = of(yield* events(id), "ModelRequested").length
      assert.strictEqual(requests, 2)
      assert.deepStrictEqual([weigh.mock.calls.length, assembled.system(), assembled.current()], [requests, requests, requests])
    }).pipe(Effect.provide(Test.layer({
      files: MemoryWorkspace.files({ "a.txt": "one\n" }),
      turns: [{ calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "Done." }]
    }))))
})
