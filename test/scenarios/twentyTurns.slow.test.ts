/** The main job over the wire: `dacapo -p` and a strict server on loopback, twenty turns, in both tool formats, with faults. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import { openAiChat } from "../../src/layers/testing/servers/openAiChat.ts"
import * as Server from "../../src/layers/testing/servers/Server.ts"
import type { ScriptedTurn, WireRequest, Wire } from "../../src/layers/testing/servers/Wire.ts"
import * as Process from "../cli/support/Process.ts"

const turns = 20

/** Turn by turn: write a file, mend it, read it, run a command; the last turn ends. */
const turn = (n: number): ScriptedTurn => {
  const name = `file-${Math.floor(n / 4)}.txt`
  if (n === turns - 1) return { text: "All files are there." }
  switch (n % 4) {
    case 0:
      return { text: `Turn ${n}.`, calls: [{ name: "write_file", params: { path: name, content: `first\nof ${n}\n` } }] }
    case 1:
      return {
        calls: [{ name: "edit_file", params: { path: name, diff: "<<<<<<< SEARCH\nfirst\n=======\nsecond <tag> & \"quote\"\n>>>>>>> REPLACE" } }]
      }
    case 2:
      return { reasoning: "Is it right?", calls: [{ name: "read_file", params: { path: name } }, { name: "list_files", params: { path: "." } }] }
    default:
      return { calls: [{ name: "run_command", params: { command: `cat ${name}` } }] }
  }
}

/** The turn that a request asks for: as many as the model has answered in its history. */
const place = ({ body }: WireRequest): number =>
  (body as { messages: ReadonlyArray<{ role: string }> }).messages.filter(({ role }) => role === "assistant").length

const says = (asked: WireRequest) => Server.ScriptedResponse.Says({ turn: turn(place(asked)) })

/** The server that is asked plays faults at some turns, once each. */
const faulty = () => {
  const faults = new Map([
    [3, [Server.ScriptedResponse.Fails({ status: 429, headers: { "retry-after": "0" } })]],
    [7, [Server.ScriptedResponse.Fails({ status: 500 }), Server.ScriptedResponse.Fails({ status: 500 })]],
    [9, [Server.ScriptedResponse.Breaks({ turn: turn(9), after: 3 })]]
  ])
  return (asked: WireRequest) => faults.get(place(asked))?.shift() ?? says(asked)
}

const run = (wire: Wire, format: "native" | "xml", answers: (asked: WireRequest) => Server.ScriptedResponse) =>
  Effect.gen(function*() {
    const server = yield* Server.start(wire, answers)
    const at = yield* Effect.acquireRelease(Effect.sync(Process.place), (at) => Effect.sync(() => at[Symbol.dispose]()))
    const place = { ...at, environment: { ...at.environment, ANTHROPIC_API_KEY: "sk-ant-test", OPENAI_API_KEY: "sk-test" } }
    const model = wire === anthropic ? "anthropic/claude-sonnet-4-6" : "openai-chat/gpt-4.1"
    const url = wire === anthropic ? server.url : `${server.url}/v1`
    const ended = yield* Effect.promise(() =>
      Process.run(place, [
        "-p", "--output-format", "json", "--model", model, "--base-url", url, "--tool-format", format,
        "--permission-mode", "acceptEdits", "--allowedTools", "Bash(cat *)", "Write five files"
      ]))
    const verified = yield* Effect.promise(() => Process.run(place, ["replay", "latest", "--verify"]))
    return { ended, place, server, verified }
  })

describe.concurrent.each([["Anthropic", anthropic], ["OpenAI", openAiChat]] as const)("against the scripted %s server", (_, wire) => {
  it.live.each(["native", "xml"] as const)("does twenty turns with %s tools", (format) =>
    Effect.gen(function*() {
      const { ended, place, server, verified } = yield* run(wire, format, says)
      expect(server.refused).toEqual([])
      expect([ended.code, ended.stderr]).toEqual([0, ""])
      expect(JSON.parse(ended.stdout)).toMatchObject({ subtype: "success", is_error: false, num_turns: turns, result: "All files are there." })
      expect(readdirSync(place.cwd).sort()).toEqual([0, 1, 2, 3, 4].map((n) => `file-${n}.txt`))
      expect(readFileSync(join(place.cwd, "file-0.txt"), "utf8")).toBe("second <tag> & \"quote\"\nof 0\n")
      expect([verified.code, verified.stderr]).toEqual([0, ""])
    }).pipe(Effect.scoped))

  it.live("recovers from 429, from 500 twice, and from a stream that is cut", () =>
    Effect.gen(function*() {
      const { ended, place, server, verified } = yield* run(wire, "native", faulty())
      expect(server.refused).toEqual([])
      expect(JSON.parse(ended.stdout)).toMatchObject({ subtype: "success", num_turns: turns })
      expect(server.requests).toHaveLength(turns + 4)
      expect(existsSync(join(place.cwd, "file-4.txt"))).toBe(true)
      expect(verified.code).toBe(0)
    }).pipe(Effect.scoped))
})
