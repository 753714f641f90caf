/**
 * Work that would never end, through the real command: expressions, source files and answers. Each ends by a bound of its own, in a
 * log that is whole and replays; --timeout ends each of them before that; and the same work without the trap succeeds.
 */
import { describe, expect, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { choose } from "../suite.ts"
import * as Process from "../cli/support/Process.ts"

const late = { subtype: "error_during_execution", is_error: true, exit_code: 53, reason: "time" }

const result = ({ stdout }: Process.Ended) => JSON.parse(stdout.trim().split("\n").at(-1)!) as Readonly<Record<string, unknown>>
const ask = (place: Process.Place, model: string, ...flags: ReadonlyArray<string>) => Process.run(place, ["-p", "--output-format", "json", "--model", model, ...flags, "Go"])
/** What the tools of the last session told the model. */
const told = async (place: Process.Place): Promise<string> => {
  const { stdout } = await Process.run(place, ["sessions", "export", "latest", "--format", "markdown"])
  return stdout
}

interface Trap {
  readonly file: string
  readonly text: string
  readonly call: object
  readonly harmless: object
  /** What the model is told when the bound of the work itself ends it. */
  readonly ends: string
}

const many = "a".repeat(60)
const traps: Readonly<Record<string, Trap>> = {
  "an expression": {
    file: "trap.txt",
    text: `${many}\n${many}b\n`,
    call: { name: "search_files", params: { path: ".", regex: `${"a?".repeat(60)}${many}b` } },
    harmless: { name: "search_files", params: { path: ".", regex: "a+" } },
    ends: "takes too long on these files"
  },
  "a file pattern": {
    file: `${"a".repeat(200)}.txt`,
    text: "here\n",
    call: { name: "search_files", params: { path: ".", regex: "here", file_pattern: `${"*a".repeat(20)}*[b]` } },
    harmless: { name: "search_files", params: { path: ".", regex: "here", file_pattern: "*a*a*.txt" } },
    ends: "takes too long on these files"
  },
  "a source file": {
    file: "trap.js",
    text: "(".repeat(200_000),
    call: { name: "list_definitions", params: { path: "trap.js" } },
    harmless: { name: "list_definitions", params: { path: "fine.js" } },
    ends: "Parsing takes too long"
  }
}

/** Traps whose own bound takes ten seconds to be reached are waited for in the complete suite; test/layers/workspace/Search tries that bound, shortened. */
const patient = choose({ quick: ["a source file"], all: Object.keys(traps) })

describe.concurrent.each(Object.entries(traps))("%s that never ends", (name, { call, ends, file, harmless, text }) => {
  const scene = () => {
    const place = Process.scene()
    writeFileSync(join(place.cwd, file), text)
    writeFileSync(join(place.cwd, "fine.js"), "class Fine {}\n")
    return place
  }

  it("is ended by --timeout", async () => {
    await using place = scene()
    expect(result(await ask(place, place.script({ calls: [call] }, { text: "Done." }), "--timeout", "2"))).toMatchObject(late)
  })

  if (patient.includes(name)) it("is ended by itself, and the model continues", { timeout: 120_000 }, async () => {
    await using place = scene()
    const ended = await ask(place, place.script({ calls: [call] }, { text: "Done.", expect: { lastResult: ends } }))
    expect([result(ended), ended.stderr]).toMatchObject([{ subtype: "success", result: "Done." }, ""])
  })

  it("and without the trap it is answered", async () => {
    await using place = scene()
    const ended = await ask(place, place.script({ calls: [harmless] }, { text: "Done.", expect: { lastResult: "1" } }), "--timeout", "60")
    expect([result(ended), ended.stderr]).toMatchObject([{ subtype: "success", result: "Done." }, ""])
  })
})

const event = (delta: object, finish: string | null = null) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const fine = `${event({ content: "Done." })}${event({}, "stop")}data: [DONE]\n\n`

/** A server whose answers are written by these, one after another; the last says that all is done. */
const serving = async (answers: ReadonlyArray<(response: ServerResponse) => void>, body: (place: Process.Place, run: (...flags: ReadonlyArray<string>) => Promise<Process.Ended>) => Promise<void>) => {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const answer = answers[asked++]
      if (answer === undefined) response.end(fine)
      else answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await using at = Process.scene()
    const place = { ...at, environment: { ...at.environment, OPENAI_API_KEY: "sk-test-never-sent" } }
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    await body(place, (...flags) => ask(place, "openai-chat/gpt-4.1", "--base-url", url, ...flags))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Writes the same for as long as someone reads; `pauseMs` apart. */
const endless = (text: string, pauseMs = 0) => (response: ServerResponse) => {
  const more = () => {
    if (!response.destroyed) response.write(text, () => pauseMs === 0 ? setImmediate(more) : setTimeout(more, pauseMs))
  }
  more()
}

const calls = (count: number) => (response: ServerResponse) => {
  for (let i = 0; i < count; i++) {
    response.write(event({ tool_calls: [{ index: i, id: `c${i}`, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `${i}.txt` }) } }] }))
  }
  response.end(`${event({}, "tool_calls")}data: [DONE]\n\n`)
}

describe.concurrent("an answer that never ends", () => {
  const flood = endless(event({ content: "and so on ".repeat(1_000) }))

  it("is ended by --timeout", () =>
    serving([endless(event({ content: "." }), 5)], async (_, run) => {
      expect(result(await run("--timeout", "2"))).toMatchObject(late)
    }))

  it("is cut off at a limit, with a sentence, and the session continues", () =>
    serving([flood], async (place, run) => {
      const ended = result(await run())
      expect(ended).toMatchObject({ is_error: true, exit_code: 1, result: expect.stringMatching(/sent more than \d+ MiB in one response, which was cut off/) })
      expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
      expect(result(await run("--continue"))).toMatchObject({ subtype: "success", result: "Done." })
    }))

  it("and a long one that ends is whole", () =>
    serving([(response) => {
      for (let i = 0; i < 40; i++) response.write(event({ content: "and so on ".repeat(1_000) }))
      response.end(`${event({}, "stop")}data: [DONE]\n\n`)
    }], async (_, run) => {
      const ended = result(await run("--timeout", "60"))
      expect(ended).toMatchObject({ subtype: "success" })
      expect(String(ended["result"]).length).toBe(400_000)
    }))
})

describe("an answer of 20,000 calls", () => {
  it("runs 256 of them, tells the model, and continues", () =>
    serving([calls(20_000)], async (place, run) => {
      expect(result(await run("--timeout", "60"))).toMatchObject({ subtype: "success", result: "Done." })
      const text = await told(place)
      expect(text).toContain("a response may contain at most 256 calls")
      expect(text).toContain("255.txt")
      expect(text).not.toContain("257.txt")
    }))

  it("and one of 200 runs all of them", () =>
    serving([calls(200)], async (place, run) => {
      expect(result(await run("--timeout", "60"))).toMatchObject({ subtype: "success", result: "Done." })
      expect(await told(place)).not.toContain("at most 256 calls")
    }))
})
