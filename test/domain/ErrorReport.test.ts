import { assert, describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Apply from "../../src/domain/diff/Apply.ts"
import * as SearchReplace from "../../src/domain/diff/SearchReplace.ts"
import * as ErrorReport from "../../src/domain/ErrorReport.ts"
import { ProviderError } from "../../src/domain/provider/ProviderError.ts"
import { LogError } from "../../src/domain/session/LogError.ts"
import { SettingsError } from "../../src/domain/config/SettingsError.ts"
import { ShellError } from "../../src/domain/tool/ShellError.ts"
import { CheckpointError } from "../../src/domain/workspace/Checkpoint.ts"
import { FileError, FileReason } from "../../src/domain/workspace/FileError.ts"

describe("an error report", () => {
  const missing = new FileError({ path: "src/mian.ts", reason: "NotFound", message: "The file does not exist.", near: ["src/main.ts"] })

  it("is one line for a person, and names tools for a model", () => {
    assert.strictEqual(ErrorReport.forPeople(missing), "src/mian.ts: The file does not exist. Did you mean src/main.ts?")
    assert.strictEqual(
      ErrorReport.forModel(missing),
      "src/mian.ts: The file does not exist.\nSimilar names: src/main.ts.\nCheck the path with list_files or search_files."
    )
  })

  it("says nothing twice", () => {
    const error = new ProviderError({ provider: "x", message: "There is no model y. Did you mean x/z?", reason: { _tag: "UnknownModel", near: ["x/z"] }, requestId: "r1" })
    assert.strictEqual(ErrorReport.forPeople(error), "There is no model y. Did you mean x/z? (request r1)")
    assert.strictEqual(ErrorReport.forPeople(new SettingsError({ where: "a.jsonc:3", message: "a.jsonc:3 is no JSON" })), "a.jsonc:3 is no JSON. Correct it, and try again.")
  })

  it("ends every sentence once before the next one", () => {
    const line = (message: string) => ErrorReport.forPeople(new SettingsError({ where: "a.jsonc", message }))
    expect(["Write Bash", "Write Bash.", "Do you mean Bash?", "Write Bash(*)", "Read it. (request 1)"].map(line)).toEqual(
      ["Write Bash.", "Write Bash.", "Do you mean Bash?", "Write Bash(*).", "Read it. (request 1)"].map((text) => `a.jsonc: ${text} Correct it, and try again.`)
    )
    const log = new LogError({ session: "1", message: "No session is called 1.", reason: { _tag: "NotFound", near: ["12", "13", "14"] } })
    expect(ErrorReport.forPeople(log)).toBe("No session is called 1. Did you mean 12, 13 or 14?")
  })

  it("names the location, and what may have been meant", () => {
    assert.strictEqual(ErrorReport.forPeople(new SettingsError({ where: "a.jsonc:3", message: "is no JSON" })), "a.jsonc:3: is no JSON. Correct it, and try again.")
    const log = new LogError({ session: "1", message: "There is no session 1.", reason: { _tag: "NotFound", near: ["12", "13"] } })
    assert.strictEqual(ErrorReport.forPeople(log), "There is no session 1. Did you mean 12 or 13?")
    assert.include(ErrorReport.forPeople(new CheckpointError({ reason: "NoGit", message: "git is not on PATH." })), "Install git")
    assert.include(ErrorReport.forModel(new ShellError({ command: "ls", reason: "NoFolder", message: "/x is not a folder." })), "/x is not a folder.")
  })

  for (const reason of FileReason.literals) {
    it(`is a sentence for ${reason}`, () => {
      const error = new FileError({ path: "a", reason, message: "Why." })
      for (const text of [ErrorReport.forPeople(error), ErrorReport.forModel(error)]) assert.match(text, /^a: Why\.([ \n][A-Z].*[.])?$/)
    })
  }
})

describe("a failed edit", () => {
  const file = "export const limit = 10\n\nexport const check = (n: number) => {\n  return n > limit\n}\n"
  const block = (search: string, replace: string) => `------- SEARCH\n${search}\n=======\n${replace}\n+++++++ REPLACE\n`
  const told = (diff: string): string =>
    ErrorReport.forModel(Result.getOrThrow(Result.flip(Result.flatMap(SearchReplace.parse(diff), (edits) => Apply.apply(file, edits)))))

  it("names the block, the cause, the nearest text with its lines, the blocks that would apply, and how to continue", () =>
    assert.strictEqual(told(block("export const limit = 10", "export const limit = 20") + block("export const check = (x) => {\n  return x >= limit", "x")), [
      "block 2, line 6 of the input: the text to find is not in the file, and nothing in it is similar enough",
      "Nearest: lines 3-4, 80% similar (- expected, + found):",
      "- export const check = (x) => {",
      "+ export const check = (n: number) => {",
      "-   return x >= limit",
      "+   return n > limit",
      "Would apply: block 1. Nothing was changed.",
      "Copy the lines to find from the current file (use read_file), and send the complete edit again."
    ].join("\n")))
})
