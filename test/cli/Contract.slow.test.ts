/**
 * What a program that calls us can rely on: every way in which a run can end has exactly one result of the published
 * schema, the subtype and exit code of the table, and nothing else on either stream.
 */
import { describe, expect, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { spawn } from "node:child_process"
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import * as HashChain from "../../src/layers/storage/HashChain.ts"
import * as Process from "./support/Process.ts"

const schema = (name: string) => JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(`dacapo/schemas/${name}.json`)), "utf8"))
const validator = (name: string) => new Ajv2020({ allErrors: true, strict: false }).compile(schema(name))
const validators = { "stream-json": validator("stream-json"), result: validator("result"), event: validator("event") }

const lines = (stdout: string): ReadonlyArray<Record<string, unknown>> => stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))

const valid = (name: keyof typeof validators, value: unknown) => {
  const validate = validators[name]
  expect(validate(value) ? [] : validate.errors, JSON.stringify(value)).toEqual([])
}

interface Expected {
  readonly subtype: string
  readonly exit: number
  readonly reason?: string
  /** One, unless each message on standard input has its own. */
  readonly results?: number
}

/** What a caller who reads `stream-json` is promised. */
const kept = ({ code, stderr, stdout }: Process.Ended, { exit, reason, results = 1, subtype }: Expected) => {
  const all = lines(stdout)
  all.forEach((line) => valid("stream-json", line))
  const result = all.at(-1)!
  valid("result", result)
  expect({
    results: all.filter(({ type }) => type === "result").length,
    subtype: result["subtype"],
    is_error: result["is_error"],
    exit_code: result["exit_code"],
    code,
    ...(reason === undefined ? {} : { reason: result["reason"] })
  }).toEqual({ results, subtype, is_error: exit !== 0, exit_code: exit, code: exit, ...(reason === undefined ? {} : { reason }) })
  expect(stderr).toMatch(exit === 0 ? /^(dacapo: [^\n]+\n)*$/ : /^(dacapo: [^\n]+\n)*dacapo: [^\n]+\n$/)
}

const failed = (exit: number, reason?: string): Expected => ({ subtype: "error_during_execution", exit, ...(reason === undefined ? {} : { reason }) })
const success: Expected = { subtype: "success", exit: 0 }

/** What is said and done: arguments, standard input, and what was there before. */
interface Row {
  readonly args: (place: Process.Place) => ReadonlyArray<string>
  readonly input?: string
  readonly before?: (place: Process.Place) => void | Promise<void>
  readonly expected: Expected
}

const row = (expected: Expected, args: Row["args"], more: Omit<Row, "args" | "expected"> = {}): Row => ({ args, expected, ...more })

/** A scripted model with these turns, asked to go. */
const turns = (...turns: ReadonlyArray<object>) => (place: Process.Place) => ["--model", place.script(...turns), "go"]
const failing = (reason: string, message = "The server says no.") => ({ error: { reason: { _tag: reason }, message } })
const calling = (name: string, params: object) => ({ calls: [{ name, params }] })
const running = (command: string) => calling("run_command", { command })
const hello = { text: "Hello." }
const session = "01979f0e-8a9b-7c00-8000-000000000001"
const freely = ["--permission-mode", "bypassPermissions"]

const write = (place: Process.Place, file: string, text: string) => {
  const path = join(place.root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** A session that is there already. */
const earlier = async (place: Process.Place) => {
  const ended = await Process.run(place, ["-p", "--session-id", session, "--model", place.script(hello), "hi"])
  expect(ended).toMatchObject({ code: 0, stdout: "Hello.\n" })
}

const store = (place: Process.Place) => new DatabaseSync(join(place.root, "home", "data", "sessions.db"), { timeout: 10_000 })

/** The same, with one letter of its log changed. */
const damaged = async (place: Process.Place) => {
  await earlier(place)
  using database = store(place)
  expect(database.prepare("update line set body = replace(body, 'Hello', 'Hallo')").run().changes).toBeGreaterThan(0)
}

/** The same, with a request that allowed more, and all hashed again. */
const otherwise = async (place: Process.Place) => {
  await earlier(place)
  using database = store(place)
  let prev = ""
  for (const { body, seq } of database.prepare("select seq, body from line order by seq").all()) {
    const { event, time } = JSON.parse(String(body))
    const line = HashChain.line(prev, Number(seq), time, event._tag === "ModelRequested" ? { ...event, maxTokens: 1 } : event)
    database.prepare("update line set body = ?, hash = ? where seq = ?").run(line.body, line.hash, seq!)
    prev = line.hash
  }
  database.prepare("update session set hash = ?").run(prev)
}

const person = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
const asPerson = ["--json-schema", JSON.stringify(person)]

const rows: Readonly<Record<string, Row>> = {
  "finished": row(success, turns(hello)),
  "finished after a call": row(success, turns(calling("list_files", { path: "." }), hello)),
  "finished by its own tool": row(success, turns(calling("finish", { result: "All done." }))),
  "finished with a denied edit": row(success, turns(calling("write_file", { path: "a.txt", content: "a" }), { text: "I may not." })),
  "finished with a denied command": row(success, (place) => ["--disallowedTools", "Bash(touch:*)", ...turns(running("touch a"), { text: "I may not." })(place)]),
  "finished with a question that nobody answers": row(success, turns(calling("ask_user", { question: "Which one?" }), { text: "I chose." })),
  "finished with a refusal": row(success, turns({ text: "I won't do that.", stop: "refusal" })),
  "finished after a try that failed": row(success, turns({ error: { reason: { _tag: "Overloaded" }, message: "Busy.", times: 1 }, text: "Hello." })),
  "finished with JSON of a schema": row(success, (place) => [...asPerson, ...turns({ text: "{\"name\":\"Ada\"}" })(place)]),
  "finished with such JSON at the second try": row(success, (place) => [...asPerson, ...turns({ text: "Ada it is." }, { text: "```json\n{\"name\":\"Ada\"}\n```" })(place)]),
  "finished with work that was given to children": row(success, (place) => {
    write(place, "children.json", JSON.stringify({
      turns: [calling("delegate", { tasks: ["Count the doors.", "Count the windows."].map((prompt) => ({ prompt })) }), hello],
      children: ["doors", "windows"].map((what) => ({ prompt: `Count the ${what}.`, turns: [calling("list_files", { path: "." }), { text: "Two." }] })),
      synthesis: { text: "Two of each." }
    }))
    return ["--model", `scripted/${join(place.root, "children.json")}`, "go"]
  }),
  "finished with messages from standard input": row({ ...success, results: 2 }, (place) => ["--input-format", "stream-json", "--model", place.script(hello, hello)], {
    input: "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"one\"}}\n{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"two\"}]}}\n"
  }),
  "finished after asking for a smaller conversation": row(success, () => ["--resume", session, "/compact"], { before: earlier }),
  "finished without keeping a session": row(success, (place) => ["--no-session", ...turns(hello)(place)]),
  "the turn limit": row({ subtype: "error_max_turns", exit: 53 }, (place) => ["--max-turns", "1", ...turns(calling("list_files", { path: "." }), hello)(place)]),
  "the time limit, in a command": row(failed(53, "time"), (place) => [...freely, "--timeout", "1", ...turns(running("sleep 300"))(place)]),
  "the time limit, in an answer": row(failed(53, "time"), (place) => ["--timeout", "1", ...turns({ text: "word ".repeat(1_000), chunkSize: 5, delayMs: 20 })(place)]),
  "mistakes in a row": row(failed(53, "mistakes"), turns(...Array.from({ length: 4 }, () => calling("read_file", {})))),
  "the same call again and again": row(failed(53, "repeats"), (place) => turns(...Array.from({ length: 12 }, () => calling("list_files", { path: "." })))(place)),
  "no JSON of a schema after all tries": row({ subtype: "error_max_structured_output_retries", exit: 53 }, (place) => [...asPerson, ...turns(...Array.from({ length: 4 }, () => ({ text: "{\"name\":7}" })))(place)]),
  "the budget": row({ subtype: "error_max_budget_usd", exit: 56 }, (place) => ["--max-tokens-total", "10", ...turns(hello)(place)]),
  "an approval, with --on-ask exit": row(failed(58, "approval"), (place) => ["--on-ask", "exit", ...turns(running("touch made"))(place)]),
  "an unknown tool": row(failed(2, "usage"), (place) => ["--tools", "read_file,telepathy", ...turns(hello)(place)]),
  "an unknown flag": row(failed(2, "usage"), () => ["--nonsense", "go"]),
  "a value that a flag does not take": row(failed(2, "usage"), () => ["--max-turns", "some", "go"]),
  "a flag of another command": row(failed(2, "usage"), () => ["--rebuild", "go"]),
  "a rule of a flag that can't be": row(failed(2, "usage"), () => ["--allowedTools", "Bash()", "--model", "scripted/none", "go"]),
  "an unknown setting": row(failed(2, "usage"), () => ["--config", "colour=red", "go"]),
  "no prompt": row(failed(42, "input"), () => []),
  "an empty prompt": row(failed(42, "input"), () => [""]),
  "a line of standard input that is no message": row(failed(42, "input"), (place) => ["--input-format", "stream-json", "--model", place.script(hello)], { input: "hello\n" }),
  "an input that says nothing": row(failed(42, "input"), (place) => ["--input-format", "stream-json", "--model", place.script(hello)], { input: "" }),
  "a folder that is not there": row(failed(42, "input"), () => ["-C", "/no/such/folder", "go"]),
  "a session that is not there": row(failed(42, "input"), () => ["--resume", session, "go"]),
  "no session to go on with": row(failed(42, "input"), () => ["--continue", "go"]),
  "an id that a session has": row(failed(42, "input"), () => ["--session-id", session, "go"], { before: earlier }),
  "an invalid schema": row(failed(42, "input"), () => ["--json-schema", "{\"type\":\"person\"}", "go"]),
  "a file for the answer that can't be written": row(failed(42, "input"), (place) => ["-o", "no/such/folder/answer", ...turns(hello)(place)]),
  "no model": row(failed(52, "config"), () => ["go"]),
  "an unknown provider": row(failed(52, "config"), () => ["--model", "nobody/nothing", "go"]),
  "settings that are no JSON": row(failed(52, "config"), turns(hello), { before: (place) => write(place, "home/config.jsonc", "{ \"model\": ") }),
  "a rule of a file that can't be": row(failed(52, "config"), turns(hello), { before: (place) => write(place, "home/config.jsonc", "{ \"permissions\": { \"deny\": [\"Bash()\"] } }") }),
  "no key": row(failed(41, "auth"), () => ["--model", "anthropic/claude-sonnet-4-6", "go"]),
  "a key that is refused": row(failed(41, "auth"), turns(failing("Auth"))),
  "no sandbox": row(failed(44, "sandbox"), (place) => ["--sandbox", "workspace-write", ...freely, ...turns(running("true"), hello)(place)], {
    // A bwrap that can't make namespaces, as on a machine where users may not.
    before: (place) => {
      write(place, "bin/bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
      chmodSync(join(place.root, "bin", "bwrap"), 0o755)
    }
  }),
  "a command of a folder that is not trusted": row(failed(55, "untrusted"), (place) => ["--model", place.script(hello), "/deploy now"], {
    before: (place) => write(place, "project/.dacapo/commands/deploy.md", "Deploy it: $ARGUMENTS")
  }),
  "a provider that failed for good": row(failed(1, "provider"), turns(failing("BadRequest"))),
  "a provider that is not waited for": row(failed(1, "provider"), (place) => ["--max-wait", "0.01", ...turns({ error: { reason: { _tag: "Unavailable" }, message: "No." } })(place)]),
  "a request that does not fit": row(failed(1, "context"), turns(failing("ContextOverflow"), failing("ContextOverflow"))),
  "a damaged session": row(failed(59, "session"), () => ["--resume", session, "go"], { before: damaged }),
  "a home that is a file": row(failed(59, "session"), turns(hello), { before: (place) => writeFileSync(join(place.root, "home"), "a file") })
}

const json = ["-p", "--output-format", "stream-json"]

describe("a run that ends by itself keeps its contract:", () => {
  for (const [name, { args, before, expected, input }] of Object.entries(rows)) {
    it.concurrent(name, async () => {
      using place = Process.place()
      await before?.(place)
      const here = { ...place, environment: { ...place.environment, PATH: `${join(place.root, "bin")}:${place.environment["PATH"]}` } }
      kept(await Process.run(here, [...json, ...args(place)], input ?? "ignore"), expected)
    })
  }

  it.concurrent("a replay that diverges", async () => {
    using place = Process.place()
    await otherwise(place)
    const { code, stderr, stdout } = await Process.run(place, ["replay", session, "--verify", "--output-format", "json"])
    const [result, ...more] = lines(stdout)
    valid("result", result)
    expect([code, result!["subtype"], result!["reason"], more]).toEqual([57, "error_during_execution", "diverged", []])
    expect(stderr).toMatch(/^dacapo: [^\n]+\n$/)
  })

  it.concurrent("a session that another process has open", async () => {
    using place = Process.place()
    const model = place.script(running("echo here > begun; sleep 300"), hello)
    const first = Process.start(place, [...json, ...freely, "--session-id", session, "--model", model, "go"])
    await Process.written(join(place.cwd, "begun"))
    kept(await Process.run(place, [...json, "--resume", session, "go"]), failed(59, "session"))
    first.child.kill("SIGTERM")
    kept(await first.ended, failed(143, "interrupted"))
  })
})

/** Where a run can be met by a signal: how it gets there, and what shows that it is there. */
const phases: Readonly<Record<string, { readonly args: Row["args"]; readonly there: (running: Process.Running, place: Process.Place) => Promise<unknown> }>> = {
  "waiting for standard input": {
    args: (place) => ["--input-format", "stream-json", "--model", place.script(hello)],
    there: (running) => {
      running.child.stdin!.write(`${JSON.stringify({ type: "control_request", request_id: "r", request: { subtype: "initialize" } })}\n`)
      return running.shows("stdout", "control_response")
    }
  },
  "in an answer": {
    args: turns({ text: "word ".repeat(2_000), chunkSize: 5, delayMs: 20 }),
    there: (running) => running.shows("stdout", "\"init\"")
  },
  "in a command": {
    args: (place) => [...freely, ...turns(running("echo here > begun; sleep 300"))(place)],
    there: (_, place) => Process.written(join(place.cwd, "begun"))
  },
  "in a command that hears no signal": {
    args: (place) => [...freely, ...turns(running("trap '' TERM INT HUP; echo here > begun; while :; do sleep 1; done"))(place)],
    there: (_, place) => Process.written(join(place.cwd, "begun"))
  },
  "between two tries": {
    args: turns({ error: { reason: { _tag: "Overloaded" }, message: "Busy." } }),
    there: (running) => running.shows("stdout", "\"api_retry\"")
  }
}

describe("a run that is stopped keeps its contract:", () => {
  for (const [phase, { args, there }] of Object.entries(phases)) {
    for (const [signal, exit] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
      if (signal !== "SIGINT" && phase !== "in an answer" && phase !== "in a command") continue
      it.concurrent(`${signal} ${phase}`, async () => {
        using place = Process.place()
        const run = Process.start(place, [...json, ...args(place)], phase === "waiting for standard input" ? "pipe" : "ignore")
        await there(run, place)
        run.child.kill(signal)
        kept(await run.ended, failed(exit, "interrupted"))
      })
    }
  }

  it.concurrent("a closed pipe, quietly", async () => {
    using place = Process.place()
    const model = place.script(calling("list_files", { path: "." }), hello)
    const child = spawn("sh", ["-c", `"$0" "$@" | head -c 1 >/dev/null; exit 0`, process.execPath, Process.main, ...json, "--model", model, "hi"], { cwd: place.cwd, env: place.environment })
    let stderr = ""
    child.stderr.on("data", (chunk) => stderr += chunk)
    await new Promise((resolve) => child.on("close", resolve))
    expect(stderr).toBe("")
  })

  it.concurrent("a full disk under standard output, with a sentence", async () => {
    using place = Process.place()
    const full = openSync("/dev/full", "w")
    const child = spawn(process.execPath, [Process.main, ...json, "--model", place.script(hello), "hi"], { cwd: place.cwd, env: place.environment, stdio: ["ignore", full, "pipe"] })
    let stderr = ""
    child.stderr!.on("data", (chunk) => stderr += chunk)
    const code = await new Promise((resolve) => child.on("close", resolve))
    closeSync(full)
    expect({ code, stderr }).toEqual({ code: 1, stderr: "dacapo: Can't write to standard output: ENOSPC.\n" })
  })
})

describe("the other formats", () => {
  it("events conform to the published schema", async () => {
    using place = Process.place()
    const { code, stderr, stdout } = await Process.run(place, ["-p", "--output-format", "events", ...freely, ...turns(running("echo hi"), calling("write_file", { path: "a", content: "b" }), hello)(place)])
    lines(stdout).forEach((event) => valid("event", event))
    expect([code, stderr, lines(stdout).at(-1)]).toMatchObject([0, "", { event: { _tag: "TaskFinished" } }])
  })

  it("text and json print the response, and -o writes it to a file", async () => {
    using place = Process.place()
    const said = { text: "{\"name\":\"Ada\"}" }
    const text = await Process.run(place, ["-p", ...asPerson, "-o", "answer.json", ...turns(said)(place)])
    expect(text).toMatchObject({ code: 0, stdout: "{\"name\":\"Ada\"}\n", stderr: "" })
    expect(readFileSync(join(place.cwd, "answer.json"), "utf8")).toBe("{\"name\":\"Ada\"}\n")
    writeFileSync(join(place.cwd, "person.json"), JSON.stringify({ $schema: "http://json-schema.org/draft-07/schema#", ...person }))
    const { stdout } = await Process.run(place, ["-p", "--output-format", "json", "--output-schema", "person.json", ...turns(said)(place)])
    const [result] = lines(stdout)
    valid("result", result)
    expect(result!["structured_output"]).toEqual({ name: "Ada" })
  })

  it("standard error contains no secrets", async () => {
    using place = Process.place()
    const key = ["sk", "proj", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT"].join("-")
    const { stderr } = await Process.run(place, ["-p", "--verbose", ...turns({ text: `The key is ${key}.` })(place)])
    expect(stderr).toContain("The key is ")
    expect(stderr).not.toContain(key)
  })

  it("nor do the JSON lines", async () => {
    using place = Process.place()
    const key = ["sk", "proj", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT"].join("-")
    const model = turns(running(`echo ${key}`), { text: `The key is ${key}.` })
    for (const format of ["json", "stream-json"]) {
      const { stdout } = await Process.run(place, ["-p", "--output-format", format, ...freely, ...model(place)])
      expect(stdout).toContain("The key is [REDACTED:")
      expect(stdout).not.toContain(key)
    }
  })

  it("nor do those about subagents", async () => {
    using place = Process.place()
    const key = ["sk", "proj", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT"].join("-")
    const tasks = ["one", "two"].map((name) => ({ prompt: `Try ${name}.`, name: `${name} ${key}` }))
    const children = tasks.map(({ prompt }) => ({ prompt, turns: [failing("BadRequest", `${key} is not known.`)] }))
    write(place, "children.json", JSON.stringify({ turns: [calling("delegate", { tasks }), hello], children, synthesis: { text: "None." } }))
    const { stderr, stdout } = await Process.run(place, ["-p", "--output-format", "stream-json", "--verbose", "--model", `scripted/${join(place.root, "children.json")}`, "go"])
    const progress = lines(stdout).filter(({ subtype }) => subtype === "progress")
    expect(progress.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^one \[REDACTED:/))
    expect(progress.map(({ note }) => note)).toContainEqual(expect.stringContaining("is not known."))
    expect(stdout + stderr).not.toContain(key)
  })

  it("a session with --no-session leaves nothing", async () => {
    using place = Process.place()
    expect(await Process.run(place, ["-p", "--ephemeral", ...turns(hello)(place)])).toMatchObject({ code: 0, stdout: "Hello.\n" })
    expect(await Process.run(place, ["sessions", "list"])).toMatchObject({ stdout: "No sessions yet.\n" })
  })
})
