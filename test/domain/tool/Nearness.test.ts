import { assert, describe, it } from "@effect/vitest"
import * as Nearness from "../../../src/domain/tool/Nearness.ts"

const names = ["apply_patch", "ask_user", "read_file", "search_files", "write_file"]

describe("the nearest names come first", () => {
  it.each([
    ["web_search", "search_files"],
    ["ReadFile", "read_file"],
    ["file_write", "write_file"],
    ["aply_patch", "apply_patch"]
  ])("for %s: %s", (wrong, nearest) => {
    const sorted = Nearness.nearestFirst(wrong, names)
    assert.strictEqual(sorted[0], nearest)
    assert.sameMembers([...sorted], names)
  })
})
