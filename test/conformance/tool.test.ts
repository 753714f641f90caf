import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import * as tool from "../../src/layers/testing/conformance/tool.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MemoryStorage from "../../src/layers/storage/MemoryStorage.ts"
import { Skills } from "../../src/services/Skills.ts"
import * as TreeSitter from "../../src/layers/definitions/TreeSitter.ts"
import { builtin } from "../../src/layers/tool/builtin.ts"

/** Calls that reach what a tool does; a tool that is not here runs with what its schema asks for. */
const samples: Readonly<Record<string, ReadonlyArray<Schema.JsonObject>>> = {
  apply_patch: [
    { patch: "*** Begin Patch\n*** Update File: ./sample.txt\n*** Move to: moved/sample.txt\n-two\n+TWO\n*** Add File: new.txt\n+new\n*** End Patch" },
    { patch: "*** Begin Patch\n*** Delete File: /workspace/sample.txt\n*** End Patch" },
    { patch: "no patch" }
  ],
  ask_user: [{ question: "Which?", options: ["a", "b"] }],
  command_input: [{ id: "call_1_0", text: "yes", keys: ["Enter", "Ctrl-C"] }],
  command_output: [{ id: "call_1_0", wait: 1, search: "ready", start_line: 3 }],
  browser: [
    { action: "open", url: "https://docs.test/page" },
    { action: "click", coordinate: "12,30" },
    { action: "type", selector: "#name", text: "<b>Ada</b>" },
    { action: "screenshot" },
    { action: "close" }
  ],
  delegate: [{ tasks: [{ prompt: "Count the doors.", name: "doors", mode: "edit", tools: ["read_file"], model: "a/b", budget: 0.5, timeout: 5 }] }, { tasks: [] }],
  edit_file: [
    { path: "sample.txt", diff: "------- SEARCH\ntwo\n=======\nTWO\n+++++++ REPLACE" },
    { path: "./sample.txt", old_text: "two\n", new_text: "", replace_all: true }
  ],
  fetch_url: [{ url: "https://docs.test/page" }, { url: "no address" }],
  finish: [{ result: "Done.\nAll of it.", command: "npm start" }],
  list_definitions: [{ path: "sample.txt" }, { path: "." }],
  list_files: [{ path: ".", recursive: true, max_depth: 3 }],
  present_plan: [{ plan: "1. Look\n2. Mend", questions: ["Which first?"] }],
  read_skill: [{ name: "review" }],
  read_file: [{ path: "sample.txt", start_line: 2, end_line: 3 }, { path: "/workspace/none.txt" }],
  run_command: [{ command: "npm test", cwd: "packages/a", timeout: 5, requires_approval: true }, { command: "npm run dev", background: true, terminal: true }],
  search_files: [{ path: ".", regex: "t.o", file_pattern: "*.txt", context: 1 }],
  stop_command: [{ id: "call_1_0" }],
  update_todo: [{ items: [{ text: "look", state: "done" }, { text: "mend", state: "in_progress" }] }],
  write_file: [{ path: "deep/er/new.txt", content: "\n<path>data</path>\n\n" }, { path: "sample.txt", content: "" }]
}

for (const one of builtin) {
  describe(one.name, () => {
    const own = samples[one.name]
    for (const { name, run } of tool.cases(one, { services: Layer.mergeAll(TreeSitter.layer, MemoryStorage.layer, Layer.mock(Skills)({ list: () => Effect.succeed({ skills: [], skipped: [] }), read: () => Effect.succeed(null) })), ...(own === undefined ? {} : { samples: own }) })) it.effect(name, () => run)
  })
}

describe("the built-in tools", () => {
  const names = builtin.map(({ name }) => name)

  it("are in the order of their names", () => assert.deepStrictEqual(names, names.toSorted()))

  it("share no name", () => {
    const all = builtin.flatMap(({ aliases, name }) => [name, ...aliases ?? []])
    assert.strictEqual(new Set(all).size, all.length)
  })
})
