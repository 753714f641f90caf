/** Every tagged error of the source is reported with a headline, a cause and a next step, alike in every face, or never leaves its room. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { globSync, readFileSync } from "node:fs"
import { CollectorError, InputError, OutputError, RegistryError, UnconfirmedError, UntrustedError, UsageError } from "../../src/cli/process/CliError.ts"
import * as ErrorMessage from "../../src/cli/process/ErrorMessage.ts"
import { RuleError } from "../../src/domain/approval/RuleParser.ts"
import { SettingsError } from "../../src/domain/config/SettingsError.ts"
import { ContextError } from "../../src/domain/context/ContextError.ts"
import { ControlError, Detached } from "../../src/domain/control/ControlError.ts"
import { LanguageServerError } from "../../src/domain/diagnostics/LanguageServers.ts"
import * as EditError from "../../src/domain/diff/EditError.ts"
import * as ErrorReport from "../../src/domain/ErrorReport.ts"
import { PluginError } from "../../src/domain/extension/PluginError.ts"
import { McpError, McpReason } from "../../src/domain/mcp/McpError.ts"
import { ImageError } from "../../src/domain/message/ImageError.ts"
import { BrowserError } from "../../src/domain/network/BrowserError.ts"
import { WebError } from "../../src/domain/network/WebError.ts"
import { ProviderError, type ProviderReason } from "../../src/domain/provider/ProviderError.ts"
import { LogError, type LogReason } from "../../src/domain/session/LogError.ts"
import { SandboxError } from "../../src/domain/tool/Sandbox.ts"
import { ShellError } from "../../src/domain/tool/ShellError.ts"
import { CheckpointError } from "../../src/domain/workspace/Checkpoint.ts"
import { DocumentError } from "../../src/domain/workspace/DocumentError.ts"
import { FileError, FileReason } from "../../src/domain/workspace/FileError.ts"
import { Diverged } from "../../src/layers/replay/Diverged.ts"
import { Agent } from "../../src/services/Agent.ts"
import { dacapo, objects } from "./support/Called.ts"
import * as Played from "./support/Played.ts"

const message = "It is as it is."

const providerReasons: ReadonlyArray<ProviderReason> = [
  { _tag: "Auth" }, { _tag: "Quota" }, { _tag: "RateLimited" }, { _tag: "Overloaded" }, { _tag: "ServerFault" }, { _tag: "Connection" },
  { _tag: "StreamBroken" }, { _tag: "Idle", afterMs: 1 }, { _tag: "ContextOverflow" }, { _tag: "BadRequest" },
  { _tag: "UnknownModel", near: [] }, { _tag: "UnknownModel", near: ["a/b"] }, { _tag: "EmptyAnswer" }, { _tag: "BadAnswer" }
]
const logReasons: ReadonlyArray<LogReason> = [
  { _tag: "NotFound", near: [] }, { _tag: "NotFound", near: ["12"] }, { _tag: "Locked", pid: 7 }, { _tag: "Exists" }, { _tag: "Corrupt", seq: 3 },
  { _tag: "Newer", version: 9 }, { _tag: "Disk", code: "ENOSPC" }, { _tag: "Server" }
]

/** Each reported error, with every reason that it can have. */
const samples: { readonly [Tag in ErrorMessage.Reported["_tag"]]: ReadonlyArray<Extract<ErrorMessage.Reported, { readonly _tag: Tag }>> } = {
  BrowserError: (["Missing", "Broken", "NoPage", "Refused", "Elsewhere", "Unreachable", "Target"] as const).map((reason) => new BrowserError({ reason, message })),
  CheckpointError: (["Refused", "NoGit", "NotFound", "Failed"] as const).map((reason) => new CheckpointError({ reason, message })),
  CollectorError: [new CollectorError({ message })],
  ContextError: [new ContextError({ message, tokens: 2, window: 1 })],
  ControlError: (["Answered", "Changed", "Invalid"] as const).map((reason) => new ControlError({ reason, message })),
  Detached: [new Detached({ session: "s", seq: 4 })],
  Diverged: [new Diverged({ seq: 1, expected: null, actual: null })],
  DocumentError: (["Damaged", "Locked", "TooLarge"] as const).map((reason) => new DocumentError({ reason, message })),
  EditError: [EditError.fail("NotFound", message), EditError.fail("Malformed", message)],
  FileError: FileReason.literals.map((reason) => new FileError({ path: "a.txt", reason, message })),
  ImageError: (["Damaged", "TooLarge"] as const).map((reason) => new ImageError({ reason, message })),
  InputError: [message, "Can't write /a: EACCES.", "No checkpoint has the files of that moment.", "The prompt is empty. Give it one."].map((message) => new InputError({ message })),
  LanguageServerError: [new LanguageServerError({ message })],
  LogError: logReasons.map((reason) => new LogError({ session: "s", message, reason })),
  McpError: McpReason.literals.map((reason) => new McpError({ server: "s", reason, message: "did not respond" })),
  OutputError: [new OutputError({ code: "ENOSPC", message })],
  PluginError: [new PluginError({ plugin: "p", message: "is not installed" })],
  ProviderError: providerReasons.map((reason) => new ProviderError({ provider: "p", message, reason })),
  RegistryError: [new RegistryError({ message })],
  RuleError: [new RuleError({ rule: "Bash(", problem: "it is not closed" })],
  SandboxError: [new SandboxError({ mode: "read-only", message })],
  SettingsError: [new SettingsError({ where: "a.jsonc:3", message: "is not valid" })],
  ShellError: (["NoShell", "NoFolder", "Limits", "Other"] as const).map((reason) => new ShellError({ command: "ls", reason, message })),
  Unconfirmed: [new UnconfirmedError({ message: "Nothing was changed." })],
  Untrusted: [new UntrustedError({ message })],
  UsageError: ["Unknown flag --x.", "Name one server: `dacapo mcp auth <name>`."].map((message) => new UsageError({ message })),
  WebError: (["Refused", "Elsewhere", "Kind", "Status", "Unreachable", "TimedOut"] as const).map((reason) => new WebError({ url: "", reason, message }))
}

/** Errors that no one sees as such, and where each ends. */
const internal: Readonly<Record<string, string>> = {
  Busy: "a retry within the SQLite store; LogError after the last one",
  ClientProgramError: "a note of the hook or MCP server that needed the program",
  ClosedError: "the rejection of a promise of createAgent, for programs",
  CodeSearchError: "the result of search_code, for the model",
  Disconnected: "a user of a simulated cluster, who connects again",
  EditorError: "a fallback to the files on disk and the own shell",
  GrammarError: "the result of list_definitions, for the model",
  JsonError: "the lenient reader of JSON, whose callers report a malformed call",
  NoAgent: "the result of delegate, for the model",
  LimitReached: "a sentence for a client over HTTP, with the time to wait",
  RequestFailed: "the wire form of the errors above",
  ResultError: "the rejection of createAgent().run, for programs",
  Stale: "decided again by the loop",
  ThreadError: "DocumentError, GrammarError or the result of a search",
  Unpaid: "BudgetExhausted and TaskFailed in the log"
}

const steps = /^(?:[A-Z]|please )/

describe("every tagged error", () => {
  it("has samples here, or a reason why no one sees it", () => {
    const tags = globSync("src/**/*.{ts,tsx}").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/Tagged(?:Error|ErrorClass)(?:<\w+>\(\))?\(\s*"(\w+)"/g)].map(([, tag]) => tag!))
    expect(tags.length).toBeGreaterThan(30)
    expect([...new Set(tags)].toSorted()).toEqual([...Object.keys(samples), ...Object.keys(internal)].toSorted())
  })

  for (const [tag, errors] of Object.entries(samples) as ReadonlyArray<[string, ReadonlyArray<ErrorMessage.Reported>]>) {
    it(`${tag} has a headline, a cause and a next step, in one line and in parts`, () => {
      expect(errors).not.toEqual([])
      for (const error of errors) {
        const { message, parts } = ErrorMessage.body(error)
        const name = `${tag}: ${message}`
        expect(parts.headline, name).toMatch(/\S/)
        expect(parts.cause, name).toMatch(/\S/)
        expect(parts.next, name).toMatch(steps)
        for (const part of [parts.cause.replace(/\.$/, ""), parts.next]) expect(message, name).toContain(part)
        expect(message, name).not.toMatch(/undefined|\[object|\.\.|\?\.| {2}/)
        expect(ErrorMessage.sentence(error)).toBe(message)
        // No step is given twice.
        expect(message.split(parts.next).length, name).toBe(2)
      }
    })
  }
})

describe("the faces", () => {
  const failing = (error: ErrorMessage.Reported) =>
    Layer.provideMerge(
      Layer.effect(Agent, Effect.map(Agent, (agent) => Agent.of({ ...agent, start: () => Effect.fail(error as LogError), follow: () => Stream.empty }))),
      Played.runtime([])
    )
  const shown = ["CheckpointError", "ContextError", "FileError", "InputError", "LogError", "McpError", "ProviderError", "SandboxError", "SettingsError", "UsageError"] as const

  for (const tag of shown) {
    it.effect(`show ${tag} alike`, () =>
      Effect.gen(function*() {
        const error = samples[tag][0]! as ErrorMessage.Reported
        const { message, parts } = ErrorMessage.body(error)
        const text = yield* dacapo(["-p", "do it"], { runtime: failing(error) as never })
        expect(text.stderr).toBe(`dacapo: ${message}\n`)
        const [result] = objects(yield* dacapo(["-p", "--output-format", "json", "do it"], { runtime: failing(error) as never }))
        expect(result).toMatchObject({ is_error: true, result: message, errors: [message], error: parts })
      }))
  }

  it.effect("show a failed task with a next step", () =>
    Effect.gen(function*() {
      const failed = { tasks: [[{ _tag: "TaskFailed", reason: "turns", message: "Reached the limit of 1 turn." } as const]] }
      const [result] = objects(yield* dacapo(["-p", "--output-format", "json", "do it"], failed))
      const next = "Raise it with --max-turns, or continue the session."
      expect(result).toMatchObject({ result: `Reached the limit of 1 turn. ${next}`, error: { headline: "Turn limit", cause: "Reached the limit of 1 turn.", next } })
    }))
})

describe("the steps in a message", () => {
  it("are told from its cause", () => {
    const rows = [
      ["No API key for Anthropic. Run \"dacapo auth login anthropic\" or set ANTHROPIC_API_KEY.", "No API key for Anthropic."],
      ["Reached the limit of 3 turns.", "Reached the limit of 3 turns."],
      ["It failed (EACCES.) Check its permissions.", "It failed (EACCES.)"],
      ["A crash report is in /a; please attach it to a bug report.", "A crash report is in /a."],
      ["The Runner of Settings used it. Usedom is no step.", "The Runner of Settings used it. Usedom is no step."]
    ] as const
    for (const [message, cause] of rows) expect(ErrorReport.splitSteps(message)[0]).toBe(cause)
    expect(ErrorReport.splitSteps("Name a file: `dacapo x <file>`.")).toEqual(["Name a file: `dacapo x <file>`.", "Name a file: `dacapo x <file>`."])
  })
})
