/** How the work of a plan grows, told in what it reads and not in time: each text of a session says how often it was read. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Compaction from "../../../src/domain/context/compaction/Compaction.ts"
import * as AutoInclude from "../../../src/domain/context/AutoInclude.ts"
import * as RequestPlan from "../../../src/domain/context/RequestPlan.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import { facts, model, specs } from "../prompt/input.ts"
import { source } from "./long.ts"

const texts = Array.from({ length: 50 }, (_, i) => source(12, i))

/** A session of so many messages, and how often their texts were read. */
const reading = (count: number) => {
  const read = { times: 0 }
  const counted = (text: string) => ({
    _tag: "Text" as const,
    get text() {
      read.times++
      return text
    }
  })
  const messages: ReadonlyArray<Message> = [
    { role: "user", content: [{ _tag: "Text", text: "Begin." }] },
    ...Array.from({ length: count >> 1 }, (_, i): ReadonlyArray<Message> => [
      { role: "assistant", content: [{ _tag: "ToolCall", id: `call_${i}`, name: "read_file", params: { path: `src/${i % 40}.ts` } }] },
      {
        role: "user",
        content: [{
          _tag: "ToolResult",
          id: `call_${i}`,
          name: "read_file",
          content: [counted(texts[i % texts.length]!)],
          isError: false,
          touched: [{ path: `src/${i % 40}.ts`, kind: "read", hash: `${i}`, content: "all" }]
        }]
      }
    ]).flat()
  ]
  const session: Session.Session = { ...Session.empty, id: "s", cwd: "/repo", facts, messages, pendingContent: [{ _tag: "Text", text: "Go on." }] }
  return { read, session }
}

const large = { ...model, window: 50_000_000 }
const input = (session: Session.Session) => ({ session, facts, model: large, tools: specs })
const plan = (session: Session.Session) => Result.flatMap(RequestPlan.weigh(input(session)), RequestPlan.make)

describe("a plan", () => {
  it("reads each text once, in the session's whole life", () => {
    const { read, session } = reading(2_000)
    Result.getOrThrow(plan(session))
    assert.strictEqual(read.times, 1_000)
    Result.getOrThrow(plan({ ...session, pendingContent: [{ _tag: "Text", text: "And now?" }] }))
    AutoInclude.visiblePaths(session)
    assert.strictEqual(read.times, 1_000)
  })

  it("of what is too large reads each text a few times, however many there are", () => {
    const times = [500, 1_000, 2_000, 4_000].map((count) => {
      const { read, session } = reading(count)
      const small = { ...model, window: count * 60 }
      const weighed = Result.getOrThrow(RequestPlan.weigh({ ...input(session), model: small }))
      const passes = Compaction.next(session, small, weighed)
      assert.isAbove(passes?.events.length ?? 0, 0)
      return read.times / count
    })
    assert.isBelow(Math.max(...times), 1.2 * Math.min(...times), `reads a message: ${times.join(", ")}`)
    assert.isBelow(times.at(-1)!, 8)
  })
})
