/** What a prompt about a command of several parts says of each, and which part it is about. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Mode } from "../../../src/domain/approval/Mode.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import * as ApprovalLive from "../../../src/layers/approval/ApprovalLive.ts"
import { Approval } from "../../../src/services/Approval.ts"

const asked = (command: string, mode: Mode = "default", allow: ReadonlyArray<string> = []) =>
  Effect.gen(function*() {
    const approval = yield* Approval
    const session: Session.Session = {
      ...Session.empty,
      cwd: "/home/dev/app",
      home: "/home/me",
      settings: { ...Session.empty.settings, mode, rules: { allow, ask: [], deny: [] } }
    }
    const access = [Access.command(command)]
    const { decision, reason } = approval.judge({ name: "run_command", kind: "command", tags: [], access, requestsApproval: false }, session)
    return { decision, reason, parts: approval.explain(access, session).map(({ decision, part }) => `${decision} ${part}`) }
  }).pipe(Effect.provide(ApprovalLive.layer))

it.effect("marks only the parts that need approval, and names the first of them", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* asked("cd src && ls -la && rm old.txt; echo done"), {
      decision: "ask",
      reason: "no rule allows rm old.txt; rm may delete files",
      parts: ["allow cd src", "allow ls -la", "ask rm old.txt", "allow echo done"]
    })
  }))

it.effect("counts what the mode allows, and the rules", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual((yield* asked("mkdir out && npm install x")).parts, ["ask mkdir out", "ask npm install x"])
    assert.deepStrictEqual((yield* asked("mkdir out && npm install x", "acceptEdits")).parts, ["allow mkdir out", "ask npm install x"])
    assert.deepStrictEqual((yield* asked("mkdir out && npm install x", "default", ["Bash(npm install:*)"])).parts, ["ask mkdir out", "allow npm install x"])
  }))

it.effect("keeps the reason that is not about a part, and that of a denial", () =>
  Effect.gen(function*() {
    assert.strictEqual((yield* asked("ls && rm old.txt", "dontAsk")).reason, "no rule allows rm old.txt; dontAsk mode denies calls that need approval")
    assert.include((yield* asked("ls && echo $(")).reason, "it can't be parsed")
  }))
