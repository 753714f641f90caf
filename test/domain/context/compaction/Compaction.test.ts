import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as WindowBudget from "../../../../src/domain/context/WindowBudget.ts"
import * as Compaction from "../../../../src/domain/context/compaction/Compaction.ts"
import * as RequestPlan from "../../../../src/domain/context/RequestPlan.ts"
import * as Tokens from "../../../../src/domain/context/Tokens.ts"
import * as Turns from "../../../../src/domain/context/compaction/Turns.ts"
import * as MessageText from "../../../../src/domain/message/Message.ts"
import type { Message } from "../../../../src/domain/message/Message.ts"
import * as History from "../../../../src/domain/provider/NormalizeHistory.ts"
import * as Outcome from "../../../../src/domain/tool/Outcome.ts"
import { unpairedCall } from "../../../../src/layers/testing/ScriptedProvider.ts"
import { facts, model as usual, specs } from "../../prompt/input.ts"
import { after, begun, call, edits, finished, play, reads, responded, runs, said, type Sent, source, type Turn, writes } from "../long.ts"

const of = (window: number) => ({ ...usual, window, maxOutput: 8_000 })
const all = ({ plan }: Sent): string =>
  plan.request.messages.flatMap(({ content }) => content.map((part) => MessageText.text(part._tag === "ToolResult" ? part.content : [part]))).join("\n")

/** Whether a request begins with the very bytes of the one before it. */
const beginsWith = (after: Sent, before: Sent): boolean =>
  before.plan.request.messages.every((message: Message, i) => {
    const now = after.plan.request.messages[i]
    return now === message || JSON.stringify(now) === JSON.stringify(message)
  })

const moves = ["read", "again", "write", "edit", "run", "fails", "image", "steer", "text", "four"] as const

const turn = (move: (typeof moves)[number], i: number, weight: number): Turn => {
  const path = `src/${i % 7}.ts`
  const lines = 20 + (weight * 37 + i * 13) % 400
  switch (move) {
    case "read":
      return { calls: [reads(`src/${i}.ts`, source(lines, i))] }
    case "again":
      return { calls: [reads(path, source(lines, i))] }
    case "write":
      return { calls: [writes(path, source(lines, i))] }
    case "edit":
      return { calls: [edits(path, source(5, i))], text: "I change it." }
    case "run":
      return { calls: [runs("npm test", source(lines, i))] }
    case "fails":
      return { calls: [runs(`npm run ${i}`, `${source(lines, i)}\nError: expected ${i}\n${source(lines, i)}`, 1)] }
    case "image":
      return { calls: [{ name: "look", params: {}, outcome: { ...Outcome.succeeded("a screen"), content: [{ _tag: "Image", mediaType: "image/png", blob: `${i}` }] } }] }
    case "steer":
      return { calls: [reads(path, source(lines, i))], said: `And keep rule number ${i} in mind.` }
    case "text":
      return { calls: [], text: "I think that is it.", said: `Then do step ${i}.` }
    case "four":
      return { calls: [1, 2, 3, 4].map((n) => reads(`lib/${i}${n}.ts`, source(lines, i + n))) }
  }
}

const check = (window: number) => {
  const model = of(window)
  let before: Sent | undefined
  const spoken = ["Mend the build. Never touch lock.json."]
  return {
    spoken,
    sees: (sent: Sent): void => {
      const { plan, session } = sent
      assert.isAtMost(plan.tokens, WindowBudget.usable(model), "it fits the usable window")
      assert.isAtLeast(plan.request.maxTokens, WindowBudget.minResponseTokens(model))
      assert.isUndefined(unpairedCall(plan.request))
      const turns = History.turns(plan.request.messages, model)
      assert.isTrue(turns.every(({ role }, i) => role === (i % 2 === 0 ? "user" : "assistant")), "roles alternate")
      assert.strictEqual(turns.at(-1)?.role, "user")
      if (before !== undefined && !sent.compacted) {
        assert.strictEqual(plan.system, before.plan.system)
        assert.isTrue(beginsWith(sent, before), "earlier bytes stay")
      }
      if (sent.compacted) {
        const shown = all(sent)
        for (const words of spoken) if (!shown.includes(words)) assert.fail(`${words} is lost`)
        assert.isAbove(session.windowUsage.omissions.length, 0)
        assert.deepStrictEqual(plan.omissions.slice(0, session.windowUsage.omissions.length), session.windowUsage.omissions)
      }
      before = sent
    }
  }
}

describe("any long session", () => {
  const drawn = Arbitrary.schema(Schema.Array(Schema.Tuple([Schema.Literals(moves), Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 400 })))]))
    .pipe(Schema.check(Schema.isMinLength(20), Schema.isMaxLength(120))))
  const windows = Arbitrary.schema(Schema.Literals([24_000, 32_000, 64_000, 128_000]))
  const sums = Arbitrary.schema(Schema.Boolean)

  it.effect.prop("fits, is paired and legal, keeps the user's words, and its prefix, whatever happens in it", [drawn, windows, sums], ([drawn, window, sums]) =>
    Effect.sync(() => {
      const { sees, spoken } = check(window)
      const turns = drawn.map(([move, weight], i) => turn(move, i, weight))
      play(spoken[0]!, told(turns, spoken), { model: of(window), ...(sums ? {} : { summary: () => undefined }) }, sees)
    }), { arbitrary: { runs: 60 } })

  it("keeps all that over a thousand turns, and is planned the same each time", () => {
    const run = (length: number): ReadonlyArray<string> => {
      const { sees, spoken } = check(64_000)
      const turns = Array.from({ length }, (_, i) => turn(moves[(i * 7 + (i >> 3)) % moves.length]!, i, i % 311))
      const short = turns.map((one, i) => i % 40 === 0 || one.said === undefined ? one : { ...one, said: "Go on." })
      const seen: Array<string> = []
      play(spoken[0]!, told(short, spoken), { model: of(64_000), counts: ({ request, system }) => Math.round(1.08 * (Tokens.ofPrompt(system) + Tokens.ofTools(request.tools) + Tokens.ofMessages(request.messages).tokens)) }, (sent) => {
        sees(sent)
        if (sent.compacted) seen.push(`${sent.plan.tokens} ${sent.plan.request.messages.length}`)
      })
      return seen
    }
    const seen = run(1_000)
    assert.isAbove(seen.length, 20)
    const again = run(200)
    assert.deepStrictEqual(again, seen.slice(0, again.length))
  })
})

/** Notes what the user says, when it is said. */
function* told(turns: ReadonlyArray<Turn>, spoken: Array<string>): Generator<Turn> {
  for (const turn of turns) {
    yield turn
    if (turn.said !== undefined) spoken.push(turn.said)
  }
}

describe("a compaction", () => {
  const model = of(64_000)
  const log = (turns: ReadonlyArray<Turn>, options: Partial<Parameters<typeof play>[2]> = {}) => {
    const sent: Array<Sent> = []
    const session = play("Begin.", turns, { model, ...options }, (one) => void sent.push(one))
    return { sent, session, compactions: sent.filter(({ compacted }) => compacted) }
  }

  it("leaves of each file only the newest content, and says where it is", () => {
    const { compactions: [first] } = log(Array.from({ length: 24 }, (_, i) => ({ calls: [reads("src/a.ts", source(180, i))] })))
    const shown = first!.plan.request.messages.flatMap(({ content }) => content.flatMap((part) => part._tag === "ToolResult" ? [MessageText.text(part.content)] : []))
    assert.match(shown[0]!, /^\[Newer content of src\/a\.ts below: read_file call_\d+_0\]$/)
    assert.isTrue(shown.slice(-Turns.recentTurns).every((text) => text.startsWith("1 | const")))
    assert.isTrue(shown.slice(0, -Turns.recentTurns).every((text) => text.startsWith("[Newer content of")))
  })

  it("leaves a page that another page does not cover", () => {
    const page = (from: number, to: number): Turn => ({
      calls: [{ ...reads("src/a.ts", source(to - from, from)), outcome: { ...Outcome.succeeded(source(to - from, from)), touched: [{ path: "src/a.ts", kind: "read", hash: "h", content: { from, to } }] } }]
    })
    const { compactions: [first] } = log([page(1, 100), page(50, 90), page(100, 300), page(1, 100), ...Array.from({ length: 20 }, (_, i) => page(1000 * i + 1000, 1000 * i + 1160))])
    const shown = first!.plan.request.messages.flatMap(({ content }) => content.flatMap((part) => part._tag === "ToolResult" ? [MessageText.text(part.content).slice(0, 30)] : []))
    assert.deepStrictEqual(shown.slice(0, 4).map((text) => text.startsWith("[Newer content of")), [true, true, false, false])
  })

  it("keeps error lines whole where it shortens a result", () => {
    const noisy = (i: number): Turn => ({ calls: [runs("npm test", `${source(60, i)}\nError: expected 4 but got ${i} in parse.test.ts\n${source(60, i)}`, i % 2)] })
    const { compactions: [first] } = log(Array.from({ length: 24 }, (_, i) => noisy(i)))
    const results = first!.plan.request.messages.flatMap(({ content }) => content.flatMap((part) => part._tag === "ToolResult" ? [MessageText.text(part.content)] : []))
    const shortened = results.filter((text) => /\[… \d+ lines shortened to \d+; read again what you need …\]/.test(text))
    assert.isNotEmpty(shortened)
    for (const text of shortened) assert.match(text, /^Error: expected 4 but got \d+ in parse\.test\.ts$/m)
  })

  it("keeps the newest edit of each file and what is still an error when turns go", () => {
    const turns: ReadonlyArray<Turn> = [
      { calls: [edits("src/kept.ts", "const newest = 1")] },
      { calls: [runs("make all", "Error: no rule to make target", 2)] },
      ...Array.from({ length: 40 }, (_, i) => ({ calls: [reads(`src/${i}.ts`, source(150, i))] }))
    ]
    for (const summary of [() => "## Goal\nEverything.", () => undefined]) {
      const { sent } = log(turns, { summary })
      assert.include(all(sent.at(-1)!), "const newest = 1")
      assert.include(all(sent.at(-1)!), "Error: no rule to make target")
    }
  })

  it("shortens results that are not sent yet where they alone are too much", () => {
    const { sent } = log([{ calls: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => runs(`cat ${n}`, source(900, n))) }])
    assert.isTrue(sent.at(-1)!.compacted)
    assert.isAtMost(sent.at(-1)!.plan.tokens, WindowBudget.usable(model))
  })

  it("ends where a pass would save nothing: what is too large then is said to be", () => {
    const small = of(6_500)
    const errors = Array.from({ length: 60 }, (_, i) => `Error: ${i} ${"expected another value here ".repeat(15)}`).join("\n")
    let at = after(begun(small), said("Begin."), responded([call("call_1", "run_command", { command: "make" })]), finished("call_1", Outcome.failed(errors)), said("Go on."))
    let rounds = 0
    for (;; rounds++) {
      const weighed = Result.getOrThrow(RequestPlan.weigh({ session: at, facts, model: small, tools: specs }))
      const passes = Compaction.next(at, small, weighed, false)
      if (passes === undefined) break
      assert.isBelow(rounds, 4)
      at = after(at, ...passes.events)
    }
    assert.isAbove(rounds, 0)
  })
})
