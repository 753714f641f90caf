import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inMemory, onDisk, text } from "./world.ts"

describe("run_command", () => {
  it.live("tells the exit code and both streams, in the folder it is told", () =>
    onDisk({ files: { "pkg/a.txt": "in pkg\n" } }, ({ call }) =>
      Effect.gen(function*() {
        assert.strictEqual(text(yield* call("run_command", { command: "cat a.txt; echo err >&2", cwd: "pkg" })), "Exit code 0.\nin pkg\nerr")
        assert.strictEqual(text(yield* call("execute_command", { cmd: "true" })), "Exit code 0.\n(no output)")
        const failed = yield* call("run_command", { command: "echo no; exit 3" })
        assert.deepStrictEqual([failed.status, failed.mistake, text(failed)], ["failed", undefined, "Exit code 3.\nno"])
      })))

  it.live("says what can't be started, and refuses an empty command", () =>
    onDisk({}, ({ call }) =>
      Effect.gen(function*() {
        assert.match(text(yield* call("run_command", { command: "ls", cwd: "no/such" })), /could not be started \(NoFolder\)/)
        assert.strictEqual((yield* call("run_command", { command: "  " })).mistake, true)
      })))

  const hints: ReadonlyArray<readonly [output: string, hint: RegExp]> = [
    ["bash: line 1: python: command not found", /Hint: python .*Try python3\./],
    ["sh: 1: foo: not found", /Hint: foo is not installed/],
    ["Error: Cannot find module 'left-pad'", /Hint: The module left-pad is missing/],
    ["ModuleNotFoundError: No module named 'yaml'", /Hint: The module yaml is missing/],
    ["Error: listen EADDRINUSE: address already in use :::3000", /Hint: The port is in use/],
    ["curl: (6) Could not resolve host: example.com", /Hint: The network is unreachable/],
    ["write error: No space left on device", /Hint: The disk is full/],
    ["bash: ./run.sh: Permission denied", /Hint: Permission denied/]
  ]
  for (const [output, hint] of hints) {
    it.effect(`hints at what to do after: ${output}`, () =>
      inMemory({ answers: { go: { output: `${output}\n`, code: 1 }, fine: { output, code: 0 } } }, ({ call }) =>
        Effect.gen(function*() {
          assert.match(text(yield* call("run_command", { command: "go" })), hint)
          assert.isFalse(text(yield* call("run_command", { command: "fine" })).includes("Hint"))
        })))
  }
})

describe("ask_user", () => {
  it.effect("brings the user's words, or says that no one is there", () =>
    Effect.gen(function*() {
      const ask = { question: "Which?", options: "one option" }
      const answered = yield* inMemory({ reply: { by: "user", text: "the first" } }, ({ call }) => call("ask_followup_question", ask))
      assert.strictEqual(text(answered), "The user answered:\nthe first")
      const alone = yield* inMemory({}, ({ call }) => call("ask_user", ask))
      assert.match(text(alone), /^No user is available/)
      assert.deepStrictEqual([answered.unanswered, alone.unanswered], [undefined, true])
    }))
})

describe("finish and present_plan", () => {
  it.effect("end the task with what they say; a command to try is shown, not run", () =>
    inMemory({}, ({ call }) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* call("attempt_completion", { result: "Done.", command: "npm start" })).ends, "Done.\n\nTry it: npm start")
        assert.strictEqual((yield* call("finish", { result: "Done." })).ends, "Done.")
        assert.deepStrictEqual([(yield* call("present_plan", { plan: "x" })).mistake], [true])
      })))

  it.effect("present_plan is for plan mode, where nothing that changes anything is", () =>
    inMemory({ mode: "plan", files: { "a.txt": "a" } }, ({ call, read }) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* call("plan_mode_respond", { response: "1. Look", questions: "Why?" })).ends, "1. Look\n\nQuestions:\n- Why?")
        assert.match(text(yield* call("write_file", { path: "a.txt", content: "b" })), /is not available in plan mode/)
        assert.match(text(yield* call("stop_command", { id: "x" })), /is not available in plan mode/)
        assert.strictEqual(yield* read("a.txt"), "a")
      })))
})

describe("update_todo", () => {
  const ways: ReadonlyArray<readonly [name: string, items: unknown]> = [
    ["items", [{ text: "look", state: "done" }, { text: "mend", state: "in_progress" }, { text: "test", state: "pending" }]],
    ["items as JSON text", `[{"text":"look","state":"done"},{"text":"mend","state":"in_progress"},{"text":"test","state":"pending"}]`],
    ["a checklist", "- [x] look\n- [~] mend\n- [ ] test\n"],
    ["a numbered checklist", "1. [X] look\n2. [-] mend\n3. test"],
    ["lines", ["[x] look", "[>] mend", "test"]],
    ["other names", [{ content: "look", status: "completed" }, { content: "mend", status: "in-progress" }, { task: "test" }]]
  ]
  for (const [name, items] of ways) {
    it.effect(`takes ${name}`, () =>
      inMemory({}, ({ call }) =>
        Effect.gen(function*() {
          const outcome = yield* call("update_todo", { todos: items as never })
          assert.deepStrictEqual(outcome.todo, [
            { text: "look", state: "done" },
            { text: "mend", state: "in_progress" },
            { text: "test", state: "pending" }
          ])
          assert.strictEqual(text(outcome), "The list is now:\n- [x] look\n- [~] mend\n- [ ] test")
        })))
  }
})
