/** A file that a rule closes reaches no request, whatever reads it: each way has a file with a mark of its own, and what the model's server got is searched for the marks. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import * as Server from "../../src/layers/testing/servers/Server.ts"
import type { ScriptedTurn } from "../../src/layers/testing/servers/Wire.ts"
import * as Process from "../cli/support/Process.ts"

/** What reads a file, by the mark in it. */
const ways = {
  mark_of_search: "search_files over the folder",
  mark_of_definitions: "list_definitions over the folder",
  mark_of_read: "read_file",
  mark_of_link: "read_file of a link to it",
  mark_of_folder_link: "search_files in a link to its folder",
  mark_of_edit: "the report of an edit that does not fit",
  mark_of_skill: "read_skill",
  mark_of_mention: "a mention of the user",
  mark_of_rules: "an include of AGENTS.md",
  mark_of_changes: "a mention of what git says has changed",
  mark_of_memory: "the memory bank",
  mark_of_included: "files that go along by themselves"
}
const marks = Object.keys(ways)

const files: Readonly<Record<string, string>> = {
  ".env.search": "KEY=mark_of_search",
  ".env.ment": "KEY=mark_of_mention",
  ".env.rules": "KEY=mark_of_rules",
  ".env.link": "KEY=mark_of_link",
  "closed/definitions.ts": "export const mark_of_definitions = () => 1\n",
  "closed/read.ts": "mark_of_read\n",
  "closed/below/a.ts": "mark_of_folder_link\n",
  "closed/edit.ts": "const a = 1\nconst mark_of_edit = 2\nconst b = 3\n",
  "closed/skill/SKILL.md": "---\nname: look\ndescription: How to look.\n---\nmark_of_skill\n",
  "closed/changes.ts": "mark_of_changes\n",
  "closed/included.ts": "before\n",
  "memory-bank/notes.md": "mark_of_memory\n",
  "AGENTS.md": "Work well.\n\n@.env.rules\n"
}

const call = (name: string, params: Readonly<Record<string, string>>) => ({ name, params })

const turns: ReadonlyArray<ScriptedTurn> = [
  {
    text: "I look.",
    calls: [
      call("search_files", { path: ".", regex: "KEY=mark_of_s" }),
      call("list_definitions", { path: "closed" }),
      call("read_file", { path: "closed/read.ts" }),
      call("read_file", { path: "link.txt" }),
      call("search_files", { path: "elsewhere", regex: "of_folder" }),
      call("edit_file", { path: "closed/edit.ts", diff: "------- SEARCH\nconst a = 1\nconst mark = 2\nconst b = 3\n=======\nx\n+++++++ REPLACE" }),
      call("read_skill", { name: "look" })
    ]
  },
  { text: "Done." }
]

const prompt = "Fix what is wrong in included.ts: @.env.ment and @git-changes show it."

/** The marks that were in any request of a task under these rules. */
const told = (rules: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const server = yield* Server.start(anthropic, turns.map((turn) => Server.ScriptedResponse.Says({ turn })))
    return yield* Effect.promise(async () => {
      using place = Process.place()
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(place.cwd, name)), { recursive: true })
        writeFileSync(join(place.cwd, name), text)
      }
      const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: place.cwd, stdio: "ignore" })
      git("init", "-q")
      git("add", "closed/changes.ts", "closed/included.ts")
      git("commit", "-qm", "one")
      writeFileSync(join(place.cwd, "closed/changes.ts"), "after\n")
      writeFileSync(join(place.cwd, "closed/included.ts"), "mark_of_included\n")
      symlinkSync(".env.link", join(place.cwd, "link.txt"))
      symlinkSync("closed/below", join(place.cwd, "elsewhere"))
      mkdirSync(join(place.cwd, ".agents/skills"), { recursive: true })
      symlinkSync("../../closed/skill", join(place.cwd, ".agents/skills/look"))
      const environment = { ...place.environment, ANTHROPIC_API_KEY: "key" }
      const { code, stdout } = await Process.run({ ...place, environment }, ["-p", "--permission-mode", "bypassPermissions", ...rules, "--model", "anthropic/claude-sonnet-4-5", "--base-url", server.url, prompt])
      expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
      expect(server.requests).toHaveLength(turns.length)
      const all = JSON.stringify(server.requests.map(({ body }) => body))
      return marks.filter((mark) => all.includes(mark))
    })
  })

describe("a file that a rule closes", () => {
  it.live("reaches no request, whatever would read it", () =>
    Effect.gen(function*() {
      expect(yield* told(["--disallowedTools", "Read(.env*)", "--disallowedTools", "Read(closed/**)", "--disallowedTools", "Read(memory-bank/**)"])).toEqual([])
    }))

  it.live("would reach one in each of these ways, if no rule closed it", () =>
    Effect.gen(function*() {
      const allowed = Object.keys(files).filter((name) => name.startsWith(".env")).flatMap((name) => ["--allowedTools", `Read(${name})`])
      expect(yield* told(allowed)).toEqual(marks)
    }))

  it.live("and one that asks when it is read reaches none by itself, but does where the user names it", () =>
    Effect.gen(function*() {
      const closed = ["mark_of_search", "mark_of_link", "mark_of_rules"]
      expect(yield* told([])).toEqual(marks.filter((mark) => !closed.includes(mark)))
    }))
})
