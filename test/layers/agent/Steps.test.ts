/** One place performs steps: what a step decided is in the log before the next one is decided from it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { begin, events, refusing, replays, tags } from "./world.ts"
import { Agent } from "../../../src/services/Agent.ts"

const folder = new URL("../../../src/layers/agent/", import.meta.url)

/** Files of the agent whose text matches. */
const filesWith = (pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => pattern.test(readFileSync(new URL(name, folder), "utf8")))

describe("the loop", () => {
  it("alone decides the next step, and alone starts tools", () => {
    assert.deepStrictEqual(filesWith(/\bStep\.next\(/), ["AgentLive.ts"])
    assert.deepStrictEqual(filesWith(/\brunTools\(/), ["AgentLive.ts"])
  })

  const batches: Array<ReadonlyArray<string>> = []
  const storage = refusing((_, tags) => {
    batches.push(tags)
    return false
  })

  it.effect("judges calls in one step and starts them in the next", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin()
      yield* agent.say(id, "Read both")
      yield* agent.settled(id)
      assert.deepStrictEqual(batches.filter((tags) => tags.includes("ToolProposed") || tags.includes("ToolStarted")), [
        ["ToolProposed", "ToolProposed"],
        ["ToolStarted", "ToolStarted"]
      ])
      const toolTags = tags(yield* events(id)).filter((tag) => tag.startsWith("Tool"))
      assert.deepStrictEqual(toolTags.slice(0, 4), ["ToolProposed", "ToolProposed", "ToolStarted", "ToolStarted"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      storage,
      files: MemoryWorkspace.files({ "a.txt": "one\n", "b.txt": "two\n" }),
      turns: [{ calls: ["a.txt", "b.txt"].map((path) => ({ name: "read_file", params: { path } })) }, { text: "Done." }]
    }))))
})
