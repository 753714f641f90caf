/** The live implementation and the fake of a service pass the same suite. */
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tmpdir } from "node:os"
import * as Limits from "../../src/domain/session/Limits.ts"
import * as Session from "../../src/domain/session/Session.ts"
import * as ApprovalLive from "../../src/layers/approval/ApprovalLive.ts"
import * as BudgetLive from "../../src/layers/agent/BudgetLive.ts"
import * as Composition from "../../src/layers/Composition.ts"
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
import * as ShellLive from "../../src/layers/workspace/shell/ShellLive.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Budget } from "../../src/services/Budget.ts"

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

const { environment, jsonFiles, trust } = Test.parts()
suite("SettingsLive", settings.cases(Composition.layer({ environment, jsonFiles, settings: SettingsLive.layer, trust }), Test.cwd))
suite("MemorySettings", settings.cases(MemorySettings.layer(), Test.cwd))

suite("ShellLive", shell.cases(Layer.provide(ShellLive.layer, EnvironmentLive.layer), tmpdir()))
suite("FakeShell", shell.cases(
  FakeShell.layer({ "echo one": { output: "one\n" }, "exit 3": { code: 3 }, "sleep 60": { hasTimedOut: true } }),
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
suite("MemoryBudget", budget.cases(MemoryBudget.layer({ usd: 10, tokens: 1000 }), children))
