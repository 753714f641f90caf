/**
 * The contract of every Approver, as cases that any test runner can run: a case fails with an assertion. Each case asks for
 * at most two approvals and one answer; whoever decides must be there, or the approver answers for nobody.
 *
 *     for (const { name, run } of ApproverConformance.cases(MyApprover.layer)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type Answer, Approver, type Question } from "../../../services/Approver.ts"
import { type Case, over } from "./ServiceCase.ts"

const question = (id: string, changes: Partial<Question> = {}): Question => ({
  session: "session",
  call: { _tag: "ToolCall", id, name: "run_command", params: { command: "npm test" } },
  action: `hash of ${id}`,
  access: [{ _tag: "Command", command: "npm test", cwd: "/workspace" }],
  risk: "medium",
  reason: "commands need approval",
  offer: ["Bash(npm test)"],
  ...changes
})

const assertAnswer = ({ by, decision, scope }: Answer): void => {
  assert.ok(decision === "allow" || decision === "deny", `decision ${decision}`)
  assert.ok(scope === "once" || scope === "session" || scope === "always", `scope ${scope}`)
  assert.ok(by === "user" || decision === "deny", "nobody can allow nothing")
}

/** `layer` is built for each case. */
export const cases = <E>(layer: Layer.Layer<Approver, E>): ReadonlyArray<Case> => {
  const check = over(Approver, layer)
  return [
    check("decides about each call", ({ ask }) =>
      Effect.gen(function*() {
        assertAnswer(yield* ask(question("call_1")))
        assertAnswer(yield* ask(question("call_2", { risk: "high", diff: "--- a\n+++ b\n", from: "helper" })))
      })),
    check("decides about several calls that wait at once", ({ ask }) =>
      Effect.gen(function*() {
        const answers = yield* Effect.all([ask(question("call_1")), ask(question("call_2", { session: "another" }))], { concurrency: 2 })
        answers.forEach(assertAnswer)
      })),
    check("adds no rule where none is narrow enough", ({ ask }) =>
      Effect.gen(function*() {
        const { scope } = yield* ask(question("call_1", { offer: [] }))
        assert.notEqual(scope, "always")
      })),
    check("answers the model's question, or for nobody", ({ question }) =>
      Effect.gen(function*() {
        const reply = yield* question("Which one?", ["the first", "the second"], "session")
        assert.ok(reply.by === "nobody" || typeof reply.text === "string")
      }))
  ]
}
