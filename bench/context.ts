/**
 * Planning the next request of a long session, beside what agents without a plan do: count characters, and drop the
 * oldest messages until the rest fits.
 */
import * as Result from "effect/Result"
import * as Compaction from "../src/domain/context/compaction/Compaction.ts"
import * as RequestPlan from "../src/domain/context/RequestPlan.ts"
import type { Message } from "../src/domain/message/Message.ts"
import * as Session from "../src/domain/session/Session.ts"
import type { Facts } from "../src/domain/session/SessionEvent.ts"
import * as ToolSpec from "../src/domain/tool/ToolSpec.ts"
import { builtin } from "../src/layers/tool/builtin.ts"
import { cpuTime, report } from "./measure.ts"

const facts: Facts = { platform: "linux", shell: "bash", date: "2026-11-21", git: { branch: "main", head: "0123456789" }, rules: [] }
const tools = builtin.map((tool) => ToolSpec.fromParams(tool))
const model = { ...Session.empty.settings.model, provider: "bench", id: "model", name: "Model", maxOutput: 8_000, nativeTools: true, images: true }

const text = (i: number): string => Array.from({ length: 25 }, (_, n) => `${n + 1} | const value${n} = compute(${i + n}, "a word or two")`).join("\n")

/** So many messages: the user's, then calls and results of about 1.5 kB, each file read several times. */
const messages = (count: number): ReadonlyArray<Message> => [
  { role: "user", content: [{ _tag: "Text", text: "Rewrite the parser. Never touch vendor/." }] },
  ...Array.from({ length: (count - 2) >> 1 }, (_, i): ReadonlyArray<Message> => [
    { role: "assistant", content: [{ _tag: "ToolCall", id: `call_${i}`, name: "read_file", params: { path: `src/${i % 200}.ts` } }] },
    {
      role: "user",
      content: [{
        _tag: "ToolResult",
        id: `call_${i}`,
        name: "read_file",
        content: [{ _tag: "Text", text: text(i) }],
        isError: false,
        touched: [{ path: `src/${i % 200}.ts`, kind: "read", hash: `${i}`, content: "all" }]
      }]
    }
  ]).flat()
]

/** A session that is about to send the user's next words. */
const session = (count: number): Session.Session => ({
  ...Session.empty,
  id: "session",
  cwd: "/repo",
  facts,
  settings: { ...Session.empty.settings, model: { ...model, window: 1_000_000 } },
  messages: messages(count),
  pendingContent: [{ _tag: "Text", text: "Continue." }]
})

const plan = (session: Session.Session, window: number) => {
  const input = { session, facts, model: { ...model, window }, tools }
  const weighed = Result.getOrThrow(RequestPlan.weigh(input))
  const passes = Compaction.next(session, input.model, weighed)
  return passes ?? Result.getOrThrow(RequestPlan.make(input))
}

/** The peer: four characters a token, counted anew each time, the oldest messages dropped. */
const naive = ({ messages }: Session.Session, window: number): ReadonlyArray<Message> => {
  const sizes = messages.map((message) => JSON.stringify(message).length / 4)
  let total = sizes.reduce((sum, size) => sum + size, 0)
  let from = 0
  while (total > window - 40_000 && from < messages.length - 1) total -= sizes[from++]!
  return messages.slice(from)
}

const peer = (session: Session.Session, window: number) => ({ name: "naive truncation", value: cpuTime(() => naive(session, window)) })
const sizes = [1_000, 2_000, 4_000, 8_000]

report("The plan of a request", "ms", sizes.map((count) => {
  const ready = session(count)
  return {
    claim: `${count} messages that fit`,
    ours: cpuTime(() => plan(ready, 8_000_000)),
    ...(count === 2_000 ? { limit: 10 } : {}),
    peer: peer(ready, 8_000_000)
  }
}))

report("The plan of a request that is too large: duplicates and earlier results", "ms", sizes.map((count) => {
  const ready = session(count)
  return {
    claim: `${count} messages in a window of half of them`,
    ours: cpuTime(() => plan(ready, count * 150)),
    ...(count === 2_000 ? { limit: 10 } : {}),
    peer: peer(ready, count * 150)
  }
}))

/** The same messages as nobody has counted them: other objects of the same texts. */
const uncounted = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> =>
  messages.map((message) => ({
    ...message,
    content: message.content.map((part) => part._tag === "ToolResult" ? { ...part, content: part.content.map((one) => ({ ...one })) } : { ...part })
  }))

report("The first plan of a resumed session: every message is counted", "ms", [2_000, 4_000].map((count) => {
  const ready = session(count)
  return {
    claim: `${count} messages`,
    ours: cpuTime(() => plan({ ...ready, messages: uncounted(ready.messages) }, 8_000_000)),
    peer: peer(ready, 8_000_000)
  }
}))
