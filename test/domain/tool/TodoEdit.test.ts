import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { TodoItem } from "../../../src/domain/tool/Outcome.ts"
import * as TodoEdit from "../../../src/domain/tool/TodoEdit.ts"

const items: ReadonlyArray<TodoItem> = [{ text: "look", state: "done" }, { text: "mend", state: "in_progress" }, { text: "test", state: "pending" }]
const texts = (command: string) => Result.map(TodoEdit.command(items, command), (changed) => changed.map(({ state, text }) => `${text} ${state}`).join(", "))

describe("a change to the to-do list", () => {
  it("adds, ticks, edits, moves and deletes by number", () => {
    expect(texts("add  write\n docs ")).toEqual(Result.succeed("look done, mend in_progress, test pending, write docs pending"))
    expect(texts("done 2")).toEqual(Result.succeed("look done, mend done, test pending"))
    expect(texts("done 1")).toEqual(Result.succeed("look pending, mend in_progress, test pending"))
    expect(texts("edit 3 run the tests")).toEqual(Result.succeed("look done, mend in_progress, run the tests pending"))
    expect(texts("move 3 1")).toEqual(Result.succeed("test pending, look done, mend in_progress"))
    expect(texts("delete 1")).toEqual(Result.succeed("mend in_progress, test pending"))
    expect(texts("clear")).toEqual(Result.succeed(""))
  })

  it("says what is wrong", () => {
    for (const command of ["done 4", "done", "done x", "move 1 4", "edit 1", "add", "fly 1", `add ${"x".repeat(501)}`])
      expect(Result.isFailure(TodoEdit.command(items, command)), command).toBe(true)
    expect(TodoEdit.command([], "done 1")).toEqual(Result.fail("The to-do list is empty."))
  })
})
