/** Archives as hostile authors write them: read in memory, within limits, or refused. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import * as PackedFile from "../../../src/layers/extension/PackedFile.ts"
import * as PluginFiles from "../../../src/layers/extension/PluginFiles.ts"
import * as PluginSources from "../../../src/layers/extension/PluginSources.ts"

interface Entry {
  readonly name: string
  readonly content?: string
  readonly type?: string
  readonly mode?: string
  readonly size?: string
  readonly sum?: string
}

/** A header and its content, as POSIX says (ustar). */
const block = ({ content = "", mode = "644", name, size, sum, type = "0" }: Entry): Buffer => {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write(`${mode.padStart(7, "0")}\0`, 100)
  header.write(`${size ?? bytes.length.toString(8).padStart(11, "0")}\0`, 124)
  header.write("        ", 148)
  header.write(type, 156)
  header.write("ustar\x0000", 257)
  header.write(sum ?? `${header.reduce((total, byte) => total + byte, 0).toString(8).padStart(6, "0")}\0 `, 148)
  return Buffer.concat([header, bytes, Buffer.alloc((512 - bytes.length % 512) % 512)])
}

const packed = (...entries: ReadonlyArray<Entry>) => PackedFile.read(gzipSync(Buffer.concat([...entries.map(block), Buffer.alloc(1024)])))
const refusal = (result: Result.Result<ReadonlyArray<PluginFiles.PluginFile>, string>): string =>
  Result.match(Result.flatMap(result, (files) => {
    const problem = PluginFiles.problem(files)
    return problem === undefined ? Result.succeed(files) : Result.fail(problem)
  }), { onFailure: (why) => why, onSuccess: () => "accepted" })

describe("a packed file", () => {
  it("is read without its common folder, with long names and executable files, as tar packs it", () => {
    const folder = mkdtempSync(join(tmpdir(), "dacapo-packed-"))
    try {
      const long = `${"d".repeat(90)}/${"f".repeat(90)}.md`
      mkdirSync(join(folder, "package", "d".repeat(90)), { recursive: true })
      writeFileSync(join(folder, "package", long), "long")
      writeFileSync(join(folder, "package", "run.sh"), "true", { mode: 0o755 })
      for (const format of ["ustar", "pax", "gnu"]) {
        execFileSync("tar", [`--format=${format}`, "-czf", "x.tgz", "package"], { cwd: folder, env: { PATH: process.env["PATH"] } })
        const files = Result.getOrThrow(PackedFile.read(readFileSync(join(folder, "x.tgz"))))
        assert.deepStrictEqual(
          files.map(({ bytes, isExecutable, path }) => [path, Buffer.from(bytes).toString(), isExecutable]).sort(),
          [[long, "long", false], ["run.sh", "true", true]].sort()
        )
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  const hostile: ReadonlyArray<readonly [what: string, entries: ReadonlyArray<Entry>, why: string]> = [
    ["a symbolic link", [{ name: "package/a", type: "2" }], "is a link"],
    ["a hard link", [{ name: "package/a", type: "1" }], "is a link"],
    ["a device", [{ name: "package/a", type: "3" }], "not a regular file"],
    ["a path outside", [{ name: "package/../../evil", content: "x" }], "not a path within the plugin"],
    ["an absolute path", [{ name: "/etc/passwd", content: "x" }], "not a path within the plugin"],
    ["a path outside in a pax header", [{ name: "x", type: "x", content: "21 path=../../evil.sh\n" }, { name: "package/a" }], "not a path within the plugin"],
    ["a name that hides", [{ name: "package/a\u202egpj.sh" }], "not a path within the plugin"],
    ["a backslash", [{ name: "package/..\\..\\evil" }], "not a path within the plugin"],
    ["a file twice", [{ name: "p/a" }, { name: "p/A" }], "twice"],
    ["a size beyond the end", [{ name: "package/a", size: "77777777777" }], "damaged"],
    ["a size that is no number", [{ name: "package/a", size: "9999999999z" }], "damaged"],
    ["another checksum", [{ name: "package/a", sum: "000000\0 " }], "damaged"],
    ["folders that are too deep", [{ name: "a/".repeat(14) + "b" }, { name: "x" }], "deep"],
    ["too many files", Array.from({ length: 2_001 }, (_, i) => ({ name: `p/${i}` })), "more than 2000 files"]
  ]
  for (const [what, entries, why] of hostile) it(`with ${what} is refused`, () => assert.include(refusal(packed(...entries)), why))

  it("that unpacks to too much, or is no archive, is refused", () => {
    assert.include(refusal(PackedFile.read(gzipSync(Buffer.alloc(64 * 1024 * 1024)))), "unpacks to more")
    assert.include(refusal(PackedFile.read(Buffer.from("no archive"))), "not a gzipped tar archive")
    assert.strictEqual(refusal(PackedFile.read(gzipSync(Buffer.alloc(0)))), "accepted")
  })
})

describe("the hash of a plugin", () => {
  const file = (path: string, text: string, isExecutable = false): PluginFiles.PluginFile => ({ path, bytes: Buffer.from(text), isExecutable })
  it("covers paths, bytes and what may be executed, in any order", () => {
    const hash = PluginFiles.hash([file("a", "1"), file("b", "2")])
    assert.strictEqual(PluginFiles.hash([file("b", "2"), file("a", "1")]), hash)
    for (const other of [[file("a", "1"), file("c", "2")], [file("a", "1"), file("b", "3")], [file("a", "1"), file("b", "2", true)], [file("a", "1")]])
      assert.notStrictEqual(PluginFiles.hash(other), hash)
  })
})

describe("a source", () => {
  const rows: ReadonlyArray<readonly [text: string, expected: string]> = [
    ["https://example.com/a.git#v1", "git https://example.com/a.git v1"],
    ["git+ssh://git@example.com/a", "git ssh://git@example.com/a"],
    ["git@example.com:a/b.git", "git git@example.com:a/b.git"],
    ["@scope/name@1.2.3", "npm @scope/name@1.2.3"],
    ["name", "npm name"],
    ["http://example.com/a.git", "refused"],
    ["ext::sh -c 'touch pwned'", "refused"],
    ["https://example.com/a#--upload-pack=x", "refused"],
    ["--upload-pack=x", "refused"],
    ["./missing", "refused"],
    ["missing.tgz", "refused"],
    ["name; touch pwned", "refused"]
  ]
  for (const [text, expected] of rows) {
    it(`${text} is ${expected}`, () =>
      assert.strictEqual(
        Result.match(PluginSources.parse(text, "/nonexistent"), {
          onFailure: () => "refused",
          onSuccess: ({ kind, location, ref = "" }) => `${kind} ${location} ${ref}`.trim()
        }),
        expected
      ))
  }
})
