import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { server, within } from "../world.ts"

const one = (how: string) => ({ servers: (folder: string) => ({ [how]: server(how, folder) as never }) })

describe("requests from a server", () => {
  it.live("are put to the user field by field, and converted to their types", () =>
    within({ ...one("asks"), words: ["Ada", "old", "36", "red", ""] }, ({ call, mcp, session }) =>
      Effect.gen(function*() {
        yield* mcp.refresh(session())
        const { text } = yield* call("asks", "work")
        assert.deepStrictEqual(JSON.parse(text), { action: "accept", content: { name: "Ada", age: 36, colour: "r", news: true } })
      })))

  it.live("can be declined", () =>
    within({ ...one("asks"), words: ["Ada", "decline"] }, ({ call, mcp, session }) =>
      Effect.gen(function*() {
        yield* mcp.refresh(session())
        assert.deepStrictEqual(JSON.parse((yield* call("asks", "work")).text), { action: "decline" })
      })))

  it.live("for roots get the folders that the user opened", () =>
    within(one("roots"), ({ call, folder, mcp, session }) =>
      Effect.gen(function*() {
        yield* mcp.refresh(session())
        assert.include((yield* call("roots", "work")).text, `file://${folder}`)
      })))
})
