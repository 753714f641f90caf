/**
 * The contract of every Approval, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of ApprovalConformance.cases(MyApproval.layer, session)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Session } from "../../../domain/session/Session.ts"
import * as Access from "../../../domain/tool/Access.ts"
import { Approval } from "../../../services/Approval.ts"
import type { ResolvedCall } from "../../../services/Tools.ts"
import { type Case, over } from "./ServiceCase.ts"

const call = (name: string, kind: ResolvedCall["kind"], access: Access.Access): ResolvedCall => ({
  name,
  kind,
  tags: [],
  access: [access],
  requestsApproval: false
})

const calls = ({ cwd }: Session): ReadonlyArray<ResolvedCall> => [
  call("read_file", "read", Access.read("a.txt")),
  call("write_file", "edit", Access.edit("a.txt")),
  call("run_command", "command", Access.command("npm test && rm -rf build", cwd)),
  call("fetch_url", "read", Access.fetch("https://docs.test/page")),
  call("unknown", "command", Access.other("unknown", {}))
]

/** `session` is where the calls are made. */
export const cases = <E>(layer: Layer.Layer<Approval, E>, session: Session): ReadonlyArray<Case> => {
  const check = over(Approval, layer)
  return [
    check("judges the same call the same way", ({ judge }) =>
      Effect.sync(() => {
        for (const one of calls(session)) assert.deepEqual(judge(one, session), judge(one, session))
      })),
    check("gives every verdict a reason, and offers rules only where it asks", ({ judge }) =>
      Effect.sync(() => {
        for (const one of calls(session)) {
          const { decision, offer, reason } = judge(one, session)
          assert.notEqual(reason, "")
          assert.ok(decision === "ask" || offer.length === 0)
        }
      })),
    check("never allows without asking what the model wants approved, unless nobody is asked at all", ({ judge }) =>
      Effect.sync(() => {
        for (const one of calls(session)) {
          const requested = judge({ ...one, requestsApproval: true }, session).decision
          assert.ok(requested !== "allow" || judge(one, session).decision === "allow")
        }
      })),
    check("extends only approvals of edits, for the reason that it gave", ({ editScope, judge }) =>
      Effect.sync(() => {
        for (const one of calls(session)) {
          const { reason } = judge(one, session)
          const isEdit = one.access.every(({ _tag }) => _tag === "Edit")
          if (!isEdit) assert.deepEqual(editScope({ access: one.access, reason }, session), {})
          assert.deepEqual(editScope({ access: one.access, reason: "something else asks" }, session), {})
        }
      })),
    check("explains only commands of several parts", ({ explain }) =>
      Effect.sync(() => {
        assert.deepEqual(explain([Access.read("a.txt")], session), [])
        assert.deepEqual(explain([Access.command("npm test", session.cwd)], session), [])
        for (const { part, reason } of explain([Access.command("npm test && ls", session.cwd)], session))
          assert.ok(part !== "" && reason !== "")
      }))
  ]
}
