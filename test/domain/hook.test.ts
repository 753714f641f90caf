import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Hook from "../../src/domain/hook/Hook.ts"
import * as HookAnswer from "../../src/domain/hook/HookAnswer.ts"
import * as HookFiles from "../../src/domain/hook/HookFiles.ts"

const hook = (event: Hook.HookEvent, more: Partial<Hook.Hook> = {}): Hook.Hook => ({
  event,
  run: { _tag: "Command", command: "guard" },
  timeoutMs: 1000,
  failureMode: "closed",
  ...more
})
const exit = (code: number, stdout = "", stderr = ""): HookAnswer.HookExit => ({ code, stdout, stderr })

describe("a matcher", () => {
  const rows: ReadonlyArray<readonly [matcher: string | undefined, name: string, expected: boolean]> = [
    [undefined, "Bash", true],
    ["", "Bash", true],
    ["*", "Bash", true],
    [".*", "Bash", true],
    ["Bash", "Bash", true],
    ["Bash", "BashOutput", false],
    ["Edit|Write", "Write", true],
    ["mcp__memory__.*", "mcp__memory__read", true],
    ["mcp__.*__write*", "mcp__files__write_all", true],
    ["mcp__memory__.*", "mcp__memories__read", false],
    ["bash", "Bash", false]
  ]
  for (const [matcher, name, expected] of rows) {
    it(`${matcher ?? "that is absent"} ${expected ? "accepts" : "rejects"} ${name}`, () =>
      assert.strictEqual(Hook.matches(hook("PreToolUse", matcher === undefined ? {} : { matcher }), [name]), expected))
  }
})

describe("settings", () => {
  it("know other agents' event names, and Gemini CLI's timeouts in ms", () => {
    const action = { type: "command", command: "x", timeout: 500 } as const
    const hooks = Hook.fromSettings({ BeforeTool: [{ hooks: [action] }], post_tool_use: [{ hooks: [action] }] }, { isProject: false, mayAllow: false })
    assert.deepStrictEqual(
      hooks.map(({ event, failureMode, timeoutMs }) => ({ event, failureMode, timeoutMs })),
      [{ event: "PreToolUse", failureMode: "closed", timeoutMs: 500 }, { event: "PostToolUse", failureMode: "open", timeoutMs: 500_000 }]
    )
  })

  it("match Gemini CLI's tools under its events, one name as ^name$, and patches where edits are matched", () => {
    const matcher = (event: string, text: string) => Hook.fromSettings({ [event]: [{ matcher: text, hooks: [{ type: "command", command: "x" }] }] }, { isProject: false, mayAllow: false })[0]!.matcher
    assert.strictEqual(matcher("BeforeTool", "run_shell_command|list_directory"), "run_command|list_files")
    assert.strictEqual(matcher("BeforeTool", "replace|write_file"), "edit_file|write_file|apply_patch")
    assert.strictEqual(matcher("PreToolUse", "replace"), "replace")
    assert.strictEqual(matcher("PreToolUse", "^Bash$"), "Bash")
    assert.strictEqual(matcher("PreToolUse", "Edit|Write"), "Edit|Write|apply_patch")
    assert.strictEqual(matcher("PreToolUse", "Edit|apply_patch"), "Edit|apply_patch")
  })

  const invalid: ReadonlyArray<readonly [name: string, settings: unknown]> = [
    ["an event that does not exist", { BeforeModel: [] }],
    ["a matcher that is a pattern of more than names", { PreToolUse: [{ matcher: "^(Write|Edit)$", hooks: [] }] }],
    ["an address whose host is a variable", { PreToolUse: [{ hooks: [{ type: "http", url: "https://${HOST}/hook" }] }] }],
    ["an address without a host", { PreToolUse: [{ hooks: [{ type: "http", url: "file:///etc/passwd" }] }] }],
    ["a timeout that is not positive", { PreToolUse: [{ hooks: [{ type: "command", command: "x", timeout: 0 }] }] }],
    ["another failure mode", { PreToolUse: [{ hooks: [{ type: "command", command: "x", failureMode: "ask" }] }] }]
  ]
  for (const [name, settings] of invalid) it(`are refused with ${name}`, () => assert.isFalse(Schema.is(Hook.HookSettings)(settings)))
})

describe("an answer", () => {
  const output = (value: object) => exit(0, JSON.stringify(value))
  const decision = (permissionDecision: string) => output({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: "why" } })
  const rows: ReadonlyArray<readonly [name: string, Hook.Hook, HookAnswer.HookExit, HookAnswer.HookAnswer]> = [
    ["of exit code 2 denies with standard error", hook("PreToolUse"), exit(2, "", "no\n"), { decision: "deny", reason: "no" }],
    ["that is empty decides nothing", hook("PreToolUse"), exit(0), {}],
    ["in plain text is context at the start of a session", hook("SessionStart"), exit(0, "green\n"), { context: "green" }],
    ["in plain text is nothing before a call", hook("PreToolUse"), exit(0, "green\n"), {}],
    ["denies", hook("PreToolUse"), decision("deny"), { decision: "deny", reason: "why" }],
    ["that allows counts for nothing where the user does not permit it", hook("PreToolUse"), decision("allow"), { reason: "why" }],
    ["that allows counts where the user permits it", hook("PreToolUse", { mayAllow: true }), decision("allow"), { decision: "allow", reason: "why" }],
    ["blocks in the older form", hook("Stop"), output({ decision: "block", reason: "not yet" }), { decision: "deny", reason: "not yet" }],
    ["that blocks in the older form and allows in the newer denies", hook("PreToolUse", { mayAllow: true }), output({ decision: "block", reason: "no", hookSpecificOutput: { permissionDecision: "allow" } }), { decision: "deny", reason: "no" }],
    ["that approves in the older form and denies in the newer denies", hook("PreToolUse", { mayAllow: true }), output({ decision: "approve", reason: "no", hookSpecificOutput: { permissionDecision: "deny" } }), { decision: "deny", reason: "no" }],
    ["that blocks in the older form and asks in the newer denies", hook("PermissionRequest"), output({ decision: "block", hookSpecificOutput: { permissionDecision: "ask", decision: { behavior: "allow" } } }), { decision: "deny" }],
    ["stops the task", hook("PostToolUse"), output({ continue: false, stopReason: "over" }), { stop: "over" }],
    ["that is no answer is a failure, which a closed hook turns into a denial", hook("PreToolUse"), exit(0, "{\"decision\": 7}"), {
      decision: "deny",
      reason: "The PreToolUse hook \"guard\" failed: its output is not valid hook JSON."
    }],
    ["of an open hook that fails is a notice", hook("PostToolUse", { failureMode: "open" }), exit(127, "", "not found"), {
      notice: "The PostToolUse hook \"guard\" failed: it exited with 127: not found."
    }]
  ]
  for (const [name, of, ended, expected] of rows) it(name, () => assert.deepStrictEqual(HookAnswer.fromExit(of, ended), expected))

  it("of several is the strictest decision, the last input, all context and the first stop", () =>
    assert.deepStrictEqual(
      HookAnswer.combine([
        { decision: "ask", reason: "first", context: "a", input: { n: 1 } },
        { decision: "deny", reason: "second", stop: "s" },
        { decision: "allow", reason: "third", context: "b", input: { n: 2 }, stop: "t" }
      ]),
      { decision: "deny", reason: "second", context: "a\nb", input: { n: 2 }, stop: "s" }
    ))
})

describe("the files of a command", () => {
  const rows: ReadonlyArray<readonly [command: string, files: ReadonlyArray<string>]> = [
    ["./scripts/check.sh --all", ["scripts/check.sh"]],
    ["\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.py", [".claude/hooks/a.py"]],
    ["${DACAPO_PROJECT_DIR}/b.sh && sh c.sh", ["b.sh", "sh", "c.sh"]],
    ["python3 'tools/guard.py' < input.json", ["python3", "tools/guard.py", "input.json"]],
    ["/usr/bin/true ../x", []],
    ["jq .a >> \"$CLAUDE_PROJECT_DIR\"/a.log 2>b.log >'c d.log'", ["jq", ".a", "2"]],
    ["sh a.sh > a.sh", ["sh", "a.sh"]],
    ["tee >(sh b.sh) <>c.txt", ["tee", "sh", "b.sh", "c.txt"]]
  ]
  for (const [command, files] of rows) it(`are read from ${command}`, () => assert.deepStrictEqual(HookFiles.referenced(command), files))
})

describe("hooks of a program", () => {
  const group = (more: object = {}) => [{ hookCallbackIds: ["h0"], ...more }]
  const failure = (events: Hook.ProgramHooks) => Result.match(Hook.fromProgram(events, { mayAllow: false }), { onSuccess: () => "", onFailure: (why) => why })

  it("are closed where they guard or are told to, and allow only if they may", () => {
    const all = Result.getOrThrow(Hook.fromProgram({ PreToolUse: group({ matcher: "Write", timeout: 5 }), Stop: group(), PostToolUse: group({ onFailure: "block" }), Setup: group() }, { mayAllow: true }))
    const run = { _tag: "Program", callback: "h0" } as const
    assert.deepStrictEqual(all, {
      hooks: [
        { event: "PreToolUse", matcher: "Write|apply_patch", run, timeoutMs: 5_000, failureMode: "closed", mayAllow: true },
        { event: "Stop", run, timeoutMs: 60_000, failureMode: "open", mayAllow: true },
        { event: "PostToolUse", run, timeoutMs: 60_000, failureMode: "closed", mayAllow: true }
      ],
      notes: ["The hook for Setup never runs: this event does not occur in dacapo."]
    })
    assert.deepStrictEqual(Hook.withoutProgram([hook("Stop"), ...all.hooks]), [hook("Stop")])
  })

  it("are refused where they could not be kept", () => {
    assert.strictEqual(failure({ PreModelSwitch: group() }), "the hook event PreModelSwitch is not supported")
    assert.match(failure({ PreToolUse: group({ matcher: "^(Write)$" }) }), /matcher "\^\(Write\)\$" is not supported/)
  })
})
