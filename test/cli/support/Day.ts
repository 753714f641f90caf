/** A session with everything in it that a screen can show, event by event. */
import type { Followed, Live, Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import type { Question } from "../../../src/services/Approver.ts"
import * as Acts from "./Acts.ts"
import { model } from "./Played.ts"

export const diff = [
  "diff --git a/src/basket.js b/src/basket.js",
  "--- a/src/basket.js",
  "+++ b/src/basket.js",
  "@@ -6,3 +6,3 @@ const cost = 1",
  "   const sum = add(lines)",
  "-  return Math.round(taxed - discount(taxed))",
  "+  return Math.round(net * (1 + tax / 100))",
  " }",
  ""
].join("\n")

/** Live and settled events as a follower sees them. */
export const followed = (acts: ReadonlyArray<Settled | Live>): ReadonlyArray<Followed> => {
  let seq = -1
  const live = new Set(["Parsed", "Discarded", "Output", "Notice", "Saving"])
  return acts.map((act): Followed =>
    live.has(act._tag)
      ? act as Live
      : { _tag: "Settled", at: { v: 1, seq: ++seq, time: 1_000 * seq, prev: "", hash: "", event: act as Settled } }
  )
}

const said = (text: string): Live => ({ _tag: "Parsed", part: { _tag: "Text", text } })

const proposed = (call: string, event: Partial<Extract<Settled, { _tag: "ToolProposed" }>>): Settled => ({
  _tag: "ToolProposed",
  call,
  access: [],
  kind: "read",
  action: "hash",
  decision: "allow",
  risk: "low",
  reason: "inside the folder",
  offer: [],
  ...event
})

export const began: Settled = {
  _tag: "SessionStarted",
  id: "01900000-0000-7000-8000-000000000001",
  version: "0.0.0",
  cwd: "/home/me/shop",
  home: "/home/me",
  seed: "seed",
  settings: {
    model,
    mode: "default",
    toolFormat: "native",
    limits: { mistakes: 3, repeats: 3 },
    rules: { allow: [], ask: [], deny: [] },
    onAsk: "ask"
  }
}

export const prompted: Settled = { _tag: "UserSaid", text: "make the tests pass\nand tell me why they failed", delivery: "task" }

export const streaming: ReadonlyArray<Settled | Live> = [
  began,
  prompted,
  Acts.requested,
  { _tag: "Parsed", part: { _tag: "Reasoning", text: "The tests come first.\nThen the code." } },
  said("I'll read **the tests** first, th"),
  said("en `src/basket.js`:\n\n- what they want\n- what they get\n\n```js\nconst a")
]

export const working: ReadonlyArray<Settled | Live> = [
  ...streaming,
  Acts.responded([
    { _tag: "Reasoning", text: "The tests come first.\nThen the code.", model: "demo" },
    Acts.text("I'll read **the tests** first, then `src/basket.js`:\n\n- what they want\n- what they get\n\n```js\nconst all = 1\n```"),
    Acts.call("c1", "read_file", { path: "test/basket.test.js" }),
    Acts.call("c2", "run_command", { command: "npm test" })
  ], "tool_calls"),
  proposed("c1", { access: [{ _tag: "Read", path: "test/basket.test.js" }] }),
  proposed("c2", { access: [{ _tag: "Command", command: "npm test" }], kind: "command" }),
  { _tag: "TodoUpdated", items: [{ text: "See what fails", state: "in_progress" }, { text: "Mend the total", state: "pending" }] },
  Acts.started("c1"),
  Acts.finished("c1", Outcome.succeeded("1 | import test")),
  Acts.started("c2"),
  { _tag: "Output", call: "c2", text: "1 passed\n2 fai" },
  { _tag: "Output", call: "c2", text: "led\n" }
]

export const question: Question = {
  call: Acts.call("c3", "edit_file", { path: "src/basket.js" }),
  action: "hash",
  access: [{ _tag: "Edit", path: "src/basket.js", kind: "modify" }],
  risk: "medium",
  reason: "no rule allows editing src/basket.js",
  offer: ["Edit(src/**)"],
  diff
}

export const dangerous: Question = {
  call: Acts.call("c4", "run_command", { command: "rm -rf build" }),
  action: "hash",
  access: [{ _tag: "Command", command: "rm -rf build\necho done" }],
  risk: "high",
  reason: "no rule allows rm -rf build; rm may delete files",
  parts: [
    { part: "rm -rf build", decision: "ask", reason: "no rule allows rm -rf build" },
    { part: "echo done", decision: "allow", reason: "the rule Bash(echo:*) allows echo done" }
  ],
  offer: []
}

export const whole: ReadonlyArray<Settled | Live> = [
  ...working,
  Acts.finished("c2", Outcome.failed("Exit code 1.\n1 passed\n2 failed")),
  Acts.requested,
  Acts.responded([Acts.call("c3", "edit_file", { path: "src/basket.js" }), Acts.call("c4", "run_command", { command: "rm -rf build" })], "tool_calls"),
  proposed("c3", { access: question.access, kind: "edit", decision: "ask" }),
  proposed("c4", { access: dangerous.access, kind: "command", decision: "ask" }),
  { _tag: "ApprovalAsked", call: "c3", action: "hash" },
  { _tag: "ApprovalDecided", call: "c3", decision: "allow", scope: "once", by: "user" },
  Acts.started("c3"),
  Acts.finished("c3", { ...Outcome.succeeded("Changed."), display: diff }),
  Acts.finished("c4", Outcome.denied("Denied: Not that.")),
  { _tag: "CheckpointsOff", why: "git is not installed" },
  { _tag: "UserSaid", text: "and update the changelog", delivery: "queue" },
  Acts.requested,
  { _tag: "ModelRetrying", reason: { _tag: "Overloaded" }, message: "The server is overloaded.", attempt: 1, delayMs: 2_000 },
  Acts.responded([Acts.text("It is mended.")]),
  Acts.done("It is mended.")
]

