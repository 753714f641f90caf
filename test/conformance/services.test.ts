/** The live implementation and the fake of a service pass the same suite. */
import { afterAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Limits from "../../src/domain/session/Limits.ts"
import * as Session from "../../src/domain/session/Session.ts"
import * as ApprovalLive from "../../src/layers/approval/ApprovalLive.ts"
import * as BudgetLive from "../../src/layers/agent/BudgetLive.ts"
import * as Composition from "../../src/layers/Composition.ts"
import * as SecretFolder from "../../src/layers/settings/SecretFolder.ts"
import * as MemorySecrets from "../../src/layers/testing/MemorySecrets.ts"
import * as secretStore from "../../src/layers/testing/conformance/secretStore.ts"
import * as MemorySettings from "../../src/layers/settings/MemorySettings.ts"
import * as EnvironmentLive from "../../src/layers/settings/EnvironmentLive.ts"
import * as SettingsLive from "../../src/layers/settings/SettingsLive.ts"
import * as Test from "../../src/layers/Test.ts"
import * as approval from "../../src/layers/testing/conformance/approval.ts"
import * as backgroundCommands from "../../src/layers/testing/conformance/backgroundCommands.ts"
import * as budget from "../../src/layers/testing/conformance/budget.ts"
import * as settings from "../../src/layers/testing/conformance/settings.ts"
import * as shell from "../../src/layers/testing/conformance/shell.ts"
import * as FakeShell from "../../src/layers/testing/FakeShell.ts"
import * as MemoryBudget from "../../src/layers/testing/MemoryBudget.ts"
import * as ScriptedApproval from "../../src/layers/testing/ScriptedApproval.ts"
import * as ScriptedCommands from "../../src/layers/testing/ScriptedCommands.ts"
import * as BackgroundCommandsLive from "../../src/layers/workspace/shell/BackgroundCommandsLive.ts"
import * as FunctionShell from "../../src/layers/workspace/shell/FunctionShell.ts"
import * as ShellLive from "../../src/layers/workspace/shell/ShellLive.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Approver } from "../../src/services/Approver.ts"
import { Budget } from "../../src/services/Budget.ts"
import type { ContextWindow } from "../../src/services/ContextWindow.ts"
import type { Tools } from "../../src/services/Tools.ts"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../src/domain/message/Chunk.ts"
import type { Route } from "../../src/services/Route.ts"
import * as ProviderLive from "../../src/layers/provider/ProviderLive.ts"
import * as provider from "../../src/layers/testing/conformance/provider.ts"
import * as ScriptedProvider from "../../src/layers/testing/ScriptedProvider.ts"
import * as PendingRequests from "../../src/layers/control/PendingRequests.ts"
import * as DiffLive from "../../src/layers/diff/DiffLive.ts"
import * as ParserLive from "../../src/layers/parser/ParserLive.ts"
import * as approver from "../../src/layers/testing/conformance/approver.ts"
import * as contextWindow from "../../src/layers/testing/conformance/contextWindow.ts"
import * as diff from "../../src/layers/testing/conformance/diff.ts"
import * as parser from "../../src/layers/testing/conformance/parser.ts"
import * as ExactDiff from "../../src/layers/testing/ExactDiff.ts"
import * as ScriptedApprover from "../../src/layers/testing/ScriptedApprover.ts"
import * as ScriptedContext from "../../src/layers/testing/ScriptedContext.ts"
import * as ScriptedParser from "../../src/layers/testing/ScriptedParser.ts"

interface Case {
  readonly name: string
  readonly run: Effect.Effect<void, unknown>
}

const suite = (name: string, cases: ReadonlyArray<Case>) =>
  describe(name, () => {
    for (const { name, run } of cases) it.live(name, () => run)
  })

const session: Session.Session = { ...Session.empty, cwd: Test.cwd, home: "/home/test" }
suite("ApprovalLive", approval.cases(ApprovalLive.layer, session))
suite("ScriptedApproval, allowing", approval.cases(ScriptedApproval.layer(), session))
suite("ScriptedApproval, denying", approval.cases(ScriptedApproval.layer(() => "deny"), session))

const parts = Test.parts()
const { environment, jsonFiles, trust } = parts
suite("SettingsLive", settings.cases(Composition.layer({ environment, jsonFiles, settings: SettingsLive.layer, trust }), Test.cwd))
suite("MemorySettings", settings.cases(MemorySettings.layer(), Test.cwd))

const shellFolder = mkdtempSync(join(realpathSync(tmpdir()), "dacapo-shell-"))
afterAll(() => rmSync(shellFolder, { recursive: true }))
/** Whether a process works in the folder, where the system shows it. */
const isRunning = Effect.sync(() =>
  existsSync("/proc/self/cwd") && readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === shellFolder
    } catch {
      return false
    }
  })
)
suite("ShellLive", shell.cases(Layer.provide(ShellLive.layer, EnvironmentLive.layer), shellFolder, { isRunning }))
suite("FakeShell", shell.cases(
  FakeShell.layer({
    "echo one": { output: "one\n" },
    "exit 3": { code: 3 },
    pwd: { output: `${Test.cwd}\n` },
    "sleep 60": { hasTimedOut: true }
  }),
  Test.cwd
))
/** A program's own function that knows nothing of time and output limits. */
suite("FunctionShell", shell.cases(
  FunctionShell.layer(({ command, cwd }) =>
    command === "sleep 60" ? Effect.never : Effect.succeed(command === "exit 3" ? { code: 3 } : { output: command === "pwd" ? `${cwd}\n` : "one\n" })
  ),
  Test.cwd
))

suite("BackgroundCommandsLive", backgroundCommands.cases(
  BackgroundCommandsLive.layer.pipe(Layer.provide(ShellLive.layer), Layer.provide(EnvironmentLive.layer)),
  tmpdir()
))
suite("ScriptedCommands", backgroundCommands.cases(
  ScriptedCommands.layer({
    [String.raw`printf 'one\ntwo\nthr'`]: { output: "one\ntwo\nthr" },
    "exit 3": { code: 3 },
    "sleep 60": { hasTimedOut: true }
  }),
  Test.cwd
))

/** The first session of the test composition, which the two spend from. */
const parent = "00000000-0000-7000-8000-000000000001"
const children = { first: { ...session, id: "first", parent }, second: { ...session, id: "second", parent } }
const parentBudget = Layer.effect(Budget, Effect.gen(function*() {
  const agent = yield* Agent
  yield* agent.start({ cwd: Test.cwd, model: "scripted/test", limits: { ...Limits.defaults, usd: 10, tokens: 1000 } })
  return yield* Budget
})).pipe(Layer.provide(Test.layer({ budget: BudgetLive.layer })))
suite("BudgetLive", budget.cases(parentBudget, children))
const secretFolder = mkdtempSync(join(realpathSync(tmpdir()), "dacapo-secrets-"))
afterAll(() => rmSync(secretFolder, { recursive: true }))
for (const [tenant, secrets] of Object.entries(secretStore.secrets)) {
  mkdirSync(join(secretFolder, tenant))
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(secretFolder, tenant, name), `${value}\n`)
}
suite("SecretFolder", secretStore.cases(SecretFolder.layer(secretFolder)))
suite("MemorySecrets", secretStore.cases(MemorySecrets.layer(secretStore.secrets)))
suite("MemoryBudget", budget.cases(MemoryBudget.layer({ usd: 10, tokens: 1000 }), children))

suite("ParserLive", parser.cases(ParserLive.layer))
suite("ScriptedParser", parser.cases(ScriptedParser.layer({ [parser.callText]: { name: "read_file", params: { path: "a.txt" } } })))

suite("DiffLive", diff.cases(DiffLive.layer))
suite("ExactDiff", diff.cases(ExactDiff.layer))

const nobody = Layer.succeed(Approver, {
  ask: () => Effect.succeed({ decision: "deny", scope: "once", by: "nobody" }),
  question: () => Effect.succeed({ by: "nobody" })
})
const { approver: _, ...testParts } = Test.parts()
const withContext = (contextWindow: Layer.Layer<ContextWindow, never, Tools>) => Composition.layer({ ...testParts, approver: nobody, contextWindow })
suite("ContextWindowLive", contextWindow.cases(Composition.layer({ ...testParts, approver: nobody }), session))
suite("ScriptedContext", contextWindow.cases(withContext(ScriptedContext.layer()), session))

const approvers: Readonly<Record<string, Layer.Layer<Approver>>> = {
  "an approver for nobody": nobody,
  "PendingRequests with a client": Layer.sync(Approver, () => {
    const pending = PendingRequests.make()
    pending.subscribe((event) => {
      if (event._tag !== "Requested") return
      const { request } = event
      Effect.runSync(request._tag === "Approval"
        ? pending.answer(request.id, request.action, { decision: "allow", scope: "session" })
        : pending.reply(request.id, { by: "user", text: "the first" }))
    })
    return pending.approver
  }),
  "PendingRequests without a client": Layer.sync(Approver, () => {
    const pending = PendingRequests.make()
    Effect.runSync(pending.close)
    return pending.approver
  })
}
for (const [name, layer] of Object.entries(approvers)) suite(name, approver.cases(layer))
// It insists on every answer of its script.
describe("ScriptedApprover", () => {
  const used = [[[{}, {}], []], [[{}, { decision: "deny" }], []], [[{}], []], [[], ["the first"]]] as const
  for (const [i, [answers, words]] of used.entries()) {
    const { name, run } = approver.cases(ScriptedApprover.layer(answers, words))[i]!
    it.live(name, () => run)
  }
})

const finish: Chunk = { _tag: "Finish", reason: "stop", raw: "stop" }
const inProcess: Route = {
  name: "mine",
  title: "A model in this process",
  wire: "mine",
  keys: [],
  baseUrl: "",
  local: true,
  connect: () => ({ encode: ({ messages }) => ({ count: messages.length }), send: () => Stream.make({ _tag: "TextDelta", text: "Fine." }, finish) })
}
suite("ProviderLive", provider.cases(ProviderLive.layer({ routes: [inProcess] }).pipe(Layer.provide(parts.environment)), "mine/model"))
suite("ScriptedProvider", provider.cases(ScriptedProvider.layer([{ text: "Fine." }]), "scripted/test"))
