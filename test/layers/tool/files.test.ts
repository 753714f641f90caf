import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inMemory, onDisk, text } from "./world.ts"

const ts = "export const a = 1\nexport const b = 2\n"
const edit = (from: string, to: string) => `------- SEARCH\n${from}\n=======\n${to === "" ? "" : `${to}\n`}+++++++ REPLACE`

for (const [where, world] of [["in memory", inMemory], ["on disk", onDisk]] as const) {
  describe(`read_file ${where}`, () => {
    it.effect("shows lines with their numbers, and which part it is", () =>
      world({ files: { "a.ts": ts } }, ({ call }) =>
        Effect.gen(function*() {
          assert.strictEqual(text(yield* call("read_file", { path: "a.ts" })), "1 | export const a = 1\n2 | export const b = 2")
          assert.strictEqual(text(yield* call("read_file", { path: "./a.ts", start_line: 2 })), "2 | export const b = 2")
          assert.strictEqual(text(yield* call("read_file", { path: "a.ts", end_line: 1 })), "1 | export const a = 1\n[2 lines in total.]")
        })))

    it.effect("stops at 2,000 lines and 48,000 characters, and says how to continue", () =>
      world({ files: { "long.txt": "x\n".repeat(2500), "wide.txt": `${"y".repeat(999)}\n`.repeat(100), "one.txt": "z".repeat(60_000) } }, ({ call }) =>
        Effect.gen(function*() {
          const long = text(yield* call("read_file", { path: "long.txt" }))
          assert.isTrue(long.endsWith("2000 | x\n[2500 lines in total. This page ends at line 2000; continue with start_line 2001.]"))
          const wide = text(yield* call("read_file", { path: "wide.txt" }))
          assert.isAtMost(wide.length, 48_200)
          assert.match(wide, /This page ends at line 47; continue with start_line 48\.\]$/)
          const one = text(yield* call("read_file", { path: "one.txt" }))
          assert.match(one, /^1 \| z{47996} \[… 12004 more characters\]$/)
        })))

    it.effect("reads text in the encodings of the field", () =>
      world({ files: { "utf8.txt": "\ufeffgrün\n", "le.txt": Buffer.from("\ufeffgrün\n", "utf16le"), "be.txt": Buffer.from("\ufeffgrün\n", "utf16le").swap16(), "latin.txt": Buffer.from("grün\n", "latin1") } }, ({ call }) =>
        Effect.gen(function*() {
          for (const path of ["utf8.txt", "le.txt", "be.txt", "latin.txt"]) assert.strictEqual(text(yield* call("read_file", { path })), "1 | grün", path)
          assert.include(text(yield* call("edit_file", { path: "be.txt", old_text: "grün", new_text: "rot" })), "1 | rot")
          assert.strictEqual(text(yield* call("read_file", { path: "be.txt" })), "1 | rot")
        })))

    it.effect("names what a binary file is, and what is near a missing one", () =>
      world({ files: { "tool": Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), "logo.png": Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]), "src/main.ts": ts } }, ({ call }) =>
        Effect.gen(function*() {
          const binary = yield* call("read_file", { path: "tool" })
          assert.strictEqual(binary.status, "failed")
          assert.match(text(binary), /^tool: .*ELF/)
          assert.match(text(yield* call("read_file", { path: "logo.png" })), /^logo\.png: The image claims to be PNG, but can't be read\.$/)
          assert.match(text(yield* call("read_file", { path: "src/mian.ts" })), /does not exist[^]*Similar names: .*src\/main\.ts/)
          assert.match(text(yield* call("read_file", { path: "src" })), /folder\.\nUse list_files/)
          assert.match(text(yield* call("read_file", { path: "../secret" })), /[Oo]utside|inside the workspace/)
        })))

    it.effect("says that a file is empty, or has no such line", () =>
      world({ files: { "empty.txt": "", "a.ts": ts } }, ({ call }) =>
        Effect.gen(function*() {
          assert.strictEqual(text(yield* call("read_file", { path: "empty.txt" })), "The file is empty.")
          const beyond = yield* call("read_file", { path: "a.ts", start_line: 9 })
          assert.deepStrictEqual([beyond.mistake, text(beyond)], [true, "Line 9 does not exist: the file has 2 lines."])
        })))
  })

  describe(`edit_file ${where}`, () => {
    it.effect("applies blocks, shows the changed region, and the diff to people", () =>
      world({ files: { "src/a.ts": ts } }, ({ call, read }) =>
        Effect.gen(function*() {
          const outcome = yield* call("edit_file", { path: "src/a.ts", diff: edit("export const a = 1", "export const a = 3") })
          assert.strictEqual(text(outcome), "Changed src/a.ts (2 lines).\nIt now reads:\n1 | export const a = 3\n2 | export const b = 2")
          assert.deepStrictEqual(outcome.touched?.map(({ kind, path }) => [kind, path]), [["modified", "src/a.ts"]])
          assert.match(outcome.display ?? "", /^-export const a = 1\n\+export const a = 3$/m)
          assert.strictEqual(yield* read("src/a.ts"), "export const a = 3\nexport const b = 2\n")
        })))

    it.effect("takes a unified diff, a V4A patch, and one exact text for another", () =>
      world({ files: { "a.ts": ts } }, ({ call, read }) =>
        Effect.gen(function*() {
          yield* call("edit_file", { path: "a.ts", diff: "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-export const a = 1\n+export const a = 4\n export const b = 2\n" })
          yield* call("edit_file", { path: "a.ts", diff: "*** Begin Patch\n*** Update File: a.ts\n@@\n-export const b = 2\n+export const b = 5\n*** End Patch" })
          yield* call("edit_file", { path: "a.ts", old_text: "const", new_text: "let", replace_all: true })
          assert.strictEqual(yield* read("a.ts"), "export let a = 4\nexport let b = 5\n")
        })))

    it.effect("changes nothing where a block finds no place, and says what is nearest", () =>
      world({ files: { "a.ts": ts } }, ({ call, read }) =>
        Effect.gen(function*() {
          const diff = `${edit("export const b = 2", "export const b = 9")}\n${edit("export constant a = 11", "x")}`
          const outcome = yield* call("edit_file", { path: "a.ts", diff })
          assert.deepStrictEqual([outcome.status, outcome.mistake, outcome.touched], ["failed", true, undefined])
          assert.match(text(outcome), /block 2/)
          assert.strictEqual(yield* read("a.ts"), ts)
        })))

    it.effect("refuses a file that someone changed since it was read, until it is read again", () =>
      world({ files: { "a.ts": ts } }, ({ call, read, write }) =>
        Effect.gen(function*() {
          yield* call("read_file", { path: "a.ts" })
          yield* write("a.ts", `${ts}// mine\n`)
          const change = { path: "a.ts", diff: edit("export const a = 1", "export const a = 3") }
          const refused = yield* call("edit_file", change)
          assert.deepStrictEqual([refused.status, refused.mistake], ["failed", undefined])
          assert.match(text(refused), /changed on disk[^]*Read it again/)
          assert.match(text(yield* call("write_file", { path: "a.ts", content: "x" })), /Read it again/)
          yield* call("read_file", { path: "a.ts" })
          assert.strictEqual((yield* call("edit_file", change)).status, "succeeded")
          assert.strictEqual((yield* call("edit_file", { path: "a.ts", diff: edit("export const b = 2", "") })).status, "succeeded")
          assert.strictEqual(yield* read("a.ts"), "export const a = 3\n// mine\n")
        })))

    it.effect("refuses a patch for another file, a deletion, and params that make no edit", () =>
      world({ files: { "a.ts": ts } }, ({ call }) =>
        Effect.gen(function*() {
          const said = (params: object) => Effect.map(call("edit_file", { path: "a.ts", ...params }), text)
          assert.match(yield* said({ diff: "*** Begin Patch\n*** Update File: b.ts\n@@\n-x\n+y\n*** End Patch" }), /b\.ts/)
          assert.match(yield* said({ diff: "*** Begin Patch\n*** Delete File: a.ts\n*** End Patch" }), /use apply_patch/)
          assert.match(yield* said({}), /needs either diff, or both old_text and new_text/)
          assert.match(yield* said({ old_text: "a" }), /needs either diff, or both/)
          assert.match(yield* said({ diff: "just words" }), /no SEARCH\/REPLACE block/)
        })))

    it.effect("names a file that is not there, and makes one from an empty search", () =>
      world({ files: {} }, ({ call, read }) =>
        Effect.gen(function*() {
          assert.match(text(yield* call("edit_file", { path: "no.ts", diff: edit("a", "b") })), /does not exist\. Create it with write_file/)
          const made = yield* call("edit_file", { path: "new.ts", diff: "------- SEARCH\n=======\nconst a = 1\n+++++++ REPLACE" })
          assert.deepStrictEqual(made.touched?.map(({ kind }) => kind), ["created"])
          assert.strictEqual(yield* read("new.ts"), "const a = 1\n")
        })))

    it.effect("keeps line endings and the byte order mark", () =>
      world({ files: { "a.ts": `\uFEFF${ts.replaceAll("\n", "\r\n")}` } }, ({ call, read }) =>
        Effect.gen(function*() {
          const outcome = yield* call("edit_file", { path: "a.ts", diff: edit("export const a = 1", "export const a = 3") })
          assert.strictEqual(yield* read("a.ts"), "\uFEFFexport const a = 3\r\nexport const b = 2\r\n")
          assert.isFalse(text(outcome).includes("\r"))
        })))

    it.effect("previews what it would change, and changes nothing by that", () =>
      world({ files: { "a.ts": ts } }, ({ preview, read }) =>
        Effect.gen(function*() {
          assert.match((yield* preview("edit_file", { path: "a.ts", diff: edit("export const a = 1", "x") })) ?? "", /^-export const a = 1\n\+x$/m)
          assert.match((yield* preview("write_file", { path: "b.ts", content: "x\n" })) ?? "", /^\+x$/m)
          assert.isNull(yield* preview("edit_file", { path: "a.ts", diff: edit("nowhere", "x") }))
          assert.isNull(yield* preview("run_command", { command: "rm -rf ." }))
          assert.strictEqual(yield* read("a.ts"), ts)
        })))
  })

  describe(`write_file ${where}`, () => {
    it.effect("makes folders, writes exactly what it is given, and says what it did", () =>
      world({ files: { "old.txt": "old\n" } }, ({ call, read }) =>
        Effect.gen(function*() {
          const made = yield* call("write_file", { path: "deep/er/new.txt", content: "  a\r\n\n" })
          assert.deepStrictEqual([text(made), made.touched?.map(({ kind, path }) => [kind, path])], ["Created deep/er/new.txt (2 lines).", [["created", "deep/er/new.txt"]]])
          assert.strictEqual(yield* read("deep/er/new.txt"), "  a\r\n\n")
          const changed = yield* call("write_file", { path: "old.txt", content: "new" })
          assert.deepStrictEqual([text(changed), changed.touched?.map(({ kind }) => kind)], ["Changed old.txt (1 line).", ["modified"]])
          assert.match(text(yield* call("write_file", { path: "old.txt", content: "new" })), /already has this content/)
        })))

    const long = Array.from({ length: 40 }, (_, i) => `export const value${i} = ${i}`).join("\n")
    const placeholders = [
      "// ... rest of the code", "# ... existing code ...", "/* … rest unchanged … */", "<!-- ... remaining markup ... -->",
      "... (rest of file remains the same)", "// rest of the code stays the same...", "  // [... other functions unchanged]"
    ]
    it.effect("refuses to shorten a file to a placeholder", () =>
      world({ files: { "a.ts": long } }, ({ call, read }) =>
        Effect.gen(function*() {
          for (const placeholder of placeholders) {
            const outcome = yield* call("write_file", { path: "a.ts", content: `export const value0 = 1\n${placeholder}\n` })
            assert.match(text(outcome), /Line 2 of the content, .* is a placeholder for code that would be lost/, placeholder)
          }
          assert.strictEqual(yield* read("a.ts"), long)
        })))

    it.effect("writes what is no placeholder: short files, spread operators, a file's own dots", () =>
      world({ files: { "a.ts": long, "own.ts": `${long}\n// ... existing rules stay\n` } }, ({ call }) =>
        Effect.gen(function*() {
          for (const content of ["export const all = [...rest]\n", "f(...args) // the rest of it\n", "export {}\n", "const { a, ...rest } = b"]) {
            assert.strictEqual((yield* call("write_file", { path: "a.ts", content })).status, "succeeded", content)
            yield* call("write_file", { path: "a.ts", content: long })
          }
          assert.strictEqual((yield* call("write_file", { path: "own.ts", content: "// ... existing rules stay\n" })).status, "succeeded")
        })))

    it.effect("applies edits that came as content, and refuses them where they do not apply", () =>
      world({ files: { "a.ts": ts } }, ({ call, read }) =>
        Effect.gen(function*() {
          const applied = yield* call("write_file", { path: "a.ts", content: `\n${edit("export const a = 1", "export const a = 3")}\n` })
          assert.match(text(applied), /the content was an edit, so it was applied as one/)
          assert.strictEqual(yield* read("a.ts"), "export const a = 3\nexport const b = 2\n")
          assert.strictEqual((yield* call("write_file", { path: "a.ts", content: edit("nowhere at all", "x") })).mistake, true)
          assert.match(text(yield* call("write_file", { path: "a.ts", content: "<<<<<<< SEARCH\nx\n>>>>>>> REPLACE" })), /is an edit rather than a file/)
          assert.strictEqual(yield* read("a.ts"), "export const a = 3\nexport const b = 2\n")
        })))

    it.effect("writes nothing into a repository's own files", () =>
      world({ files: { ".git/config": "[core]\n" } }, ({ call, read }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* call("write_file", { path: ".git/config", content: "x" })).status, "failed")
          assert.strictEqual(yield* read(".git/config"), "[core]\n")
        })))
  })

  describe(`list_files and search_files ${where}`, () => {
    const files = { "b.txt": "beta\n", "src/a.ts": ts, "src/deep/c.ts": "export const c = 3\n" }
    it.effect("list what is there, nearest first", () =>
      world({ files }, ({ call }) =>
        Effect.gen(function*() {
          assert.strictEqual(text(yield* call("list_files", { path: "." })), "b.txt\nsrc/")
          assert.strictEqual(text(yield* call("list_files", { recursive: "true" })), "b.txt\nsrc/\nsrc/a.ts\nsrc/deep/\nsrc/deep/c.ts")
          assert.strictEqual(text(yield* call("list_files", { path: "src", max_depth: 1 })), "src/a.ts\nsrc/deep/")
          assert.match(text(yield* call("list_files", { path: "none" })), /^none: /)
        })))

    it.effect("say that there is more than 200 entries or 300 hits", () =>
      world({ files: Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`f${i}.txt`, "hit\nhit\n"])) }, ({ call }) =>
        Effect.gen(function*() {
          const listed = text(yield* call("list_files", { path: "." })).split("\n")
          assert.deepStrictEqual([listed.length, listed.at(-1)], [201, "[Only the first 200 entries are shown. List a subfolder to see more.]"])
          const found = text(yield* call("search_files", { path: ".", regex: "hit" })).split("\n")
          assert.deepStrictEqual([found.length, found.at(-1)], [301, "[More matches exist: narrow the expression or the path.]"])
        })))

    it.effect("find lines with their neighbours", () =>
      world({ files }, ({ call }) =>
        Effect.gen(function*() {
          const search = (params: object) => Effect.map(call("search_files", { path: ".", ...params }), text)
          assert.strictEqual(yield* search({ regex: "const [bc]" }), "src/a.ts:2: export const b = 2\nsrc/deep/c.ts:1: export const c = 3")
          assert.strictEqual(yield* search({ regex: "const b", context: "1" }), "src/a.ts-1- export const a = 1\nsrc/a.ts:2: export const b = 2")
          assert.strictEqual(yield* search({ regex: "e", file_pattern: "*.txt" }), "b.txt:1: beta")
          assert.strictEqual(yield* search({ regex: "nothing here" }), "No matches found.")
          assert.strictEqual((yield* call("search_files", { path: ".", regex: "(" })).mistake, true)
        })))
  })
}
