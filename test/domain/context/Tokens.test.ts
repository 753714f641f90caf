/**
 * Estimates beside what a real tokenizer counts (o200k), over the files of this repository: sessions that read file
 * after file, whose provider reports the tokenizer's count and overheads of its own.
 */
import { assert, describe, it } from "@effect/vitest"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { globSync, readFileSync } from "node:fs"
import * as WindowUsage from "../../../src/domain/context/WindowUsage.ts"
import * as Tokens from "../../../src/domain/context/Tokens.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import * as Usage from "../../../src/domain/session/Usage.ts"
import * as TextPage from "../../../src/domain/tool/TextPage.ts"

const root = new URL("../../../", import.meta.url)
const texts = ["src/**/*.ts", "test/**/*.ts", "docs/**/*.md", "*.md", "bench/*.ts", "scripts/*.mjs", "*.json"]
  .flatMap((pattern) => globSync(pattern, { cwd: root.pathname }).sort())
  .filter((path) => path !== "package-lock.json")
  .map((path) => readFileSync(new URL(path, root), "utf8"))
  .filter((text) => text.length > 400 && text.length < 40_000)

/** What a provider adds around messages, calls and results; other figures than ours. */
const authored = { message: 3, call: 14, result: 9, fixed: 2_600 }

const turn = (text: string, id: string): ReadonlyArray<Message> => [
  { role: "assistant", content: [{ _tag: "ToolCall", id, name: "read_file", params: { path: `src/${id}.ts` } }] },
  { role: "user", content: [{ _tag: "ToolResult", id, name: "read_file", content: [{ _tag: "Text", text: TextPage.of(text, { from: 1, to: Infinity }).text }], isError: false }] }
]

const counted = (messages: ReadonlyArray<Message>): number =>
  authored.fixed + messages.reduce((sum, { content }) => sum + authored.message + content.reduce((all, part) =>
    all + (part._tag === "ToolCall" ? authored.call + countTokens(JSON.stringify(part.params))
      : part._tag === "ToolResult" ? authored.result + countTokens(part.content.map((one) => one._tag === "Text" ? one.text : "").join(""))
      : 0), 0), 0)

const fixed = 2_400

/** Errors of the estimates of a session's requests after its third, as shares. */
const errors = (files: ReadonlyArray<string>): ReadonlyArray<number> => {
  let gauge = WindowUsage.initial
  const messages: Array<Message> = []
  return files.flatMap((text, i) => {
    messages.push(...turn(text, `${i}`))
    const own = fixed + Tokens.ofMessages(messages).tokens
    const estimate = WindowUsage.tokens(gauge, own)
    const real = counted(messages)
    gauge = WindowUsage.afterResponse(WindowUsage.afterPlan(gauge, estimate), { ...Usage.zero, input: real })
    return i < 3 ? [] : [Math.abs(estimate - real) / real]
  })
}

describe("estimates of tokens", () => {
  it("are within 5% in the middle and 15% nearly always, once three answers told what they weighed", () => {
    const sessions = Array.from({ length: Math.floor(texts.length / 8) }, (_, i) => Array.from({ length: 8 }, (_, n) => texts[(i + n * 37) % texts.length]!))
    const all = sessions.flatMap(errors).sort((a, b) => a - b)
    const at = (share: number): number => all[Math.floor(all.length * share)]!
    console.log(`${all.length} estimates in ${sessions.length} sessions: median error ${(100 * at(0.5)).toFixed(1)}%, 90 of 100 within ${(100 * at(0.9)).toFixed(1)}%, worst ${(100 * at(0.999)).toFixed(1)}%`)
    assert.isBelow(at(0.5), 0.05)
    assert.isBelow(at(0.9), 0.15)
  })
})
