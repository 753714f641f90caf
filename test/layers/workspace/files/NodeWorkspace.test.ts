import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fiber from "effect/Fiber"
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { Workspace } from "../../../../src/services/Workspace.ts"
import * as ProcessTree from "../../../../src/layers/workspace/shell/ProcessTree.ts"
import * as NodeWorkspace from "../../../../src/layers/workspace/files/NodeWorkspace.ts"
import { contents, environment, type Files, folder } from "../fixture.ts"

const use = <A, E>(
  files: Files,
  f: (workspace: Workspace["Service"], root: string) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const root = yield* folder(files)
    return yield* Effect.flatMap(Workspace, (workspace) => f(workspace, root)).pipe(
      Effect.provide(NodeWorkspace.layer({ roots: [root] }).pipe(Layer.provide(environment())))
    )
  })

describe("reading outside", () => {
  it.effect("opens the given files and folders to read, and nothing beside them", () =>
    use({ "project/a.txt": "a", "docs/guide.md": "blue", "docs/sub/b.md": "blue", "other.md": "blue" }, (_, root) =>
      Effect.gen(function*() {
        const workspace = yield* Workspace
        const [docs, other] = [join(root, "docs"), join(root, "other.md")]
        const reader = workspace.outside!([docs])
        assert.strictEqual((yield* reader.readText(join(docs, "guide.md"))).text, "blue")
        assert.deepStrictEqual((yield* reader.list(docs, { depth: 2, limit: 10 })).entries.map(({ path }) => path).sort(), ["guide.md", "sub", "sub/b.md"].map((name) => join(docs, name)))
        assert.deepStrictEqual((yield* reader.search(docs, "blue", { context: 0, limit: 10 })).hits.length, 2)
        assert.strictEqual((yield* Effect.flip(reader.readText(other))).reason, "Outside")
        assert.strictEqual((yield* workspace.outside!([other]).readText(other)).text, "blue")
        const missing = yield* Effect.flip(workspace.outside!([join(root, "othre.md")]).readText(join(root, "othre.md")))
        assert.deepStrictEqual([missing.reason, missing.near ?? []], ["NotFound", []])
        // Still closed without it, and for changes.
        assert.strictEqual((yield* Effect.flip(workspace.readText(join(docs, "guide.md")))).reason, "Outside")
        assert.strictEqual((yield* Effect.flip(workspace.writeText(other, "x"))).reason, "Outside")
      }).pipe(Effect.provide(NodeWorkspace.layer({ roots: [join(root, "project")] }).pipe(Layer.provide(environment()))))))

  it.effect("opens no file of the system's own folders", () =>
    use({}, (workspace) =>
      Effect.gen(function*() {
        for (const approved of ["/proc/self/status", "/proc", "/"]) {
          assert.strictEqual((yield* Effect.flip(workspace.outside!([approved]).readText("/proc/self/status"))).reason, "Outside", approved)
        }
      })))
})

describe("reading", () => {
  it.effect("gives text as it stands, its encoding, and the hash of its bytes", () =>
    use({ "a.txt": "a\r\nb" }, (workspace) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* workspace.readText("a.txt"), {
          text: "a\r\nb",
          encoding: "utf-8",
          hash: createHash("sha256").update("a\r\nb").digest("hex")
        })
      })))

  it.effect("names what is close to a missing file", () =>
    use({ "src/index.ts": "", "src/other.md": "" }, (workspace) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(workspace.readText("src/indx.ts"))
        assert.deepStrictEqual([error.reason, error.near], ["NotFound", ["src/index.ts"]])
      })))
})

describe("moving", () => {
  it.effect("keeps bytes and mode, makes folders, and moves a link itself", () =>
    use({ "a.sh": "echo\n" }, (workspace, root) =>
      Effect.gen(function*() {
        fs.chmodSync(join(root, "a.sh"), 0o755)
        fs.symlinkSync("elsewhere", join(root, "link"))
        yield* workspace.move("a.sh", "bin/deep/a")
        yield* workspace.move("link", "bin/link")
        assert.deepStrictEqual(contents(root), { "bin/deep/a": "echo\n", "bin/link": "-> elsewhere" })
        assert.strictEqual(fs.statSync(join(root, "bin/deep/a")).mode & 0o777, 0o755)
      })))

  it.effect("replaces nothing, and leaves neither the roots nor what is protected", () =>
    use({ "a": "a", "b": "b", "folder/x": "", ".git/config": "" }, (workspace) =>
      Effect.gen(function*() {
        const why = (path: string, to: string) => Effect.map(Effect.flip(workspace.move(path, to)), ({ reason }) => reason)
        const reasons = yield* Effect.all([
          why("a", "b"), why("a", "../out"), why("a", ".git/hooks/x"), why(".git/config", "c"), why("none", "c"), why("folder", "c")
        ])
        assert.deepStrictEqual(reasons, ["Exists", "Outside", "Protected", "Protected", "NotFound", "IsDirectory"])
      })))

  it.effect("takes away empty folders alone", () =>
    use({ "empty": null, "full/x": "" }, (workspace, root) =>
      Effect.gen(function*() {
        yield* workspace.removeFolder("empty")
        yield* Effect.flip(workspace.removeFolder("full"))
        assert.deepStrictEqual(fs.readdirSync(root), ["full"])
      })))
})

describe("listing and searching", () => {
  it.effect("goes breadth first and leaves out what is ignored", () =>
    use({ ".gitignore": "dist\n", "dist/x": "", "b/c/d.ts": "needle\n", "a.ts": "x\nneedle\ny\n", ".git/config": "needle" }, (workspace) =>
      Effect.gen(function*() {
        const { isTruncated, entries } = yield* workspace.list(".", { depth: 3, limit: 100 })
        assert.deepStrictEqual([entries.map(({ path }) => path), isTruncated], [[".gitignore", "a.ts", "b", "b/c", "b/c/d.ts"], false])
        const found = yield* workspace.search(".", "need.e", { context: 1, limit: 10 })
        assert.deepStrictEqual(found, {
          hits: [
            { path: "a.ts", line: 1, text: "x", match: false },
            { path: "a.ts", line: 2, text: "needle", match: true },
            { path: "a.ts", line: 3, text: "y", match: false },
            { path: "b/c/d.ts", line: 1, text: "needle", match: true }
          ],
          isTruncated: false
        })
      })))
})

describe("reading bytes that are no UTF-8", () => {
  it.effect("reads text in its encoding, and refuses what is no text, by its name", () =>
    use({
      "bom.txt": Buffer.from("\ufeffa", "utf8"),
      "le.txt": Buffer.from("\ufeffgrün", "utf16le"),
      "be.txt": Buffer.from("\ufeffgrün", "utf16le").swap16(),
      "bare.txt": Buffer.from("plain text without a mark", "utf16le"),
      "latin.txt": Buffer.from("grün", "latin1"),
      "image": Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"),
      "damaged.txt": Buffer.concat([Buffer.from("grün und schön, wirklich "), Buffer.of(0xff)]),
      "small.pdf": Buffer.from("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "latin1"),
      "samples": Buffer.from(Uint16Array.from([1, 2, 3, 4, 5, 4, 3, 2]).buffer),
      "empty": ""
    }, (workspace) =>
      Effect.gen(function*() {
        const read = (path: string) => Effect.map(workspace.readText(path), ({ encoding, text }) => [text, encoding])
        assert.deepStrictEqual(yield* read("bom.txt"), ["\ufeffa", "utf-8"])
        assert.deepStrictEqual(yield* read("le.txt"), ["\ufeffgrün", "utf-16le"])
        assert.deepStrictEqual(yield* read("be.txt"), ["\ufeffgrün", "utf-16be"])
        assert.deepStrictEqual(yield* read("bare.txt"), ["plain text without a mark", "utf-16le"])
        assert.deepStrictEqual(yield* read("latin.txt"), ["grün", "latin1"])
        assert.deepStrictEqual(yield* read("empty"), ["", "utf-8"])
        const image = yield* Effect.flip(workspace.readText("image"))
        assert.deepStrictEqual([image.reason, image.message], ["Binary", "It is a PNG image, 10 bytes."])
        for (const path of ["small.pdf", "samples"]) assert.strictEqual((yield* Effect.flip(workspace.readText(path))).reason, "Binary")
        assert.strictEqual((yield* Effect.flip(workspace.readText("damaged.txt"))).reason, "NotText")
        assert.strictEqual((yield* Effect.flip(workspace.readText("."))).reason, "IsDirectory")
      })))

  it.effect("writes what it read, byte for byte", () =>
    use({ "bom.txt": "\ufeffa\r\n", "le.txt": Buffer.from("\ufeffgrün", "utf16le"), "be.txt": Buffer.from("\ufeffgrün", "utf16le").swap16(), "latin.txt": Buffer.from("grün\x85", "latin1") }, (workspace, root) =>
      Effect.gen(function*() {
        for (const path of fs.readdirSync(root)) {
          const before = fs.readFileSync(join(root, path))
          const { encoding, hash, text } = yield* workspace.readText(path)
          assert.strictEqual(yield* workspace.writeText(path, text, encoding), hash)
          assert.deepStrictEqual(fs.readFileSync(join(root, path)), before)
        }
        assert.strictEqual((yield* Effect.flip(workspace.writeText("latin.txt", "→", "latin1"))).reason, "NotText")
      })))
})

describe("writing", () => {
  it.effect("makes folders, keeps mode and owner, and leaves nothing beside it", () =>
    use({ "run.sh": "old", "locked/a.txt": "a" }, (workspace, root) =>
      Effect.gen(function*() {
        const script = join(root, "run.sh")
        fs.chmodSync(script, 0o4755)
        if (process.getuid?.() === 0) fs.chownSync(script, 1234, 1234)
        fs.chmodSync(script, 0o4755)
        const before = fs.statSync(script)
        yield* workspace.writeText("run.sh", "new")
        yield* workspace.writeText("x/y/z.txt", "z")
        const after = fs.statSync(script)
        assert.deepStrictEqual([after.mode, after.uid, after.gid], [before.mode, before.uid, before.gid])
        assert.deepStrictEqual(contents(root), { "run.sh": "new", "locked/a.txt": "a", "x/y/z.txt": "z" })
      })))

  it.effect("refuses a folder's name, a file's name for a folder, and a device", () =>
    use({ "folder/a": "", file: "" }, (workspace, root) =>
      Effect.gen(function*() {
        execFileSync("mkfifo", [join(root, "pipe")])
        const reason = (path: string) => Effect.map(Effect.flip(workspace.writeText(path, "")), ({ reason }) => reason)
        assert.deepStrictEqual(
          yield* Effect.forEach(["folder", "file/below", "pipe", ".", "x".repeat(300)], reason),
          ["IsDirectory", "NotDirectory", "Special", "IsDirectory", "Other"]
        )
      })))

  it.effect("shows the old file or the new one to whoever reads meanwhile", () =>
    use({ "a.txt": "o".repeat(200_000) }, (workspace, root) =>
      Effect.gen(function*() {
        const seen = new Set<string>()
        const fiber = yield* Effect.forkChild(
          Effect.forEach(Array.from({ length: 20 }, (_, i) => i), (i) => workspace.writeText("a.txt", (i % 2 === 0 ? "n" : "o").repeat(200_000)))
        )
        while (fiber.pollUnsafe() === undefined) {
          const text = fs.readFileSync(join(root, "a.txt"), "latin1")
          seen.add(`${text.length}${text[0]}${text.at(-1)}`)
          yield* Effect.promise(() => new Promise(setImmediate))
        }
        yield* Fiber.join(fiber)
        assert.deepStrictEqual([...seen].filter((what) => what !== "200000nn" && what !== "200000oo"), [])
      })))

  it.effect("leaves the old file where there is no room for the new one", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "a.txt": "old" })
      // The system lets this process write files of at most 8 blocks: the nearest thing to a full disk without a disk.
      const told = execFileSync("bash", ["-c", `ulimit -f 8; exec "$0" "$1" "$2"`, process.execPath, join(import.meta.dirname, "writer.ts"), root], { encoding: "utf8" })
      assert.strictEqual(told, "DiskFull")
      assert.deepStrictEqual(contents(root), { "a.txt": "old" })
    }))

  it.effect("takes away what a killed write left, and what is being written stays", () =>
    use({ "a.txt": "old" }, (workspace, root) =>
      Effect.gen(function*() {
        // Every second name that the next writes may take is taken: by a write of long ago, by one of now, in turn.
        const names = Array.from({ length: 100 }, (_, i) => join(root, `.dacapo-${2 * i + 2}.tmp`))
        const [left, current] = [names.filter((_, i) => i % 2 === 0), names.filter((_, i) => i % 2 === 1)]
        for (const name of names) fs.writeFileSync(name, "")
        for (const name of left) fs.utimesSync(name, 1, 1)
        for (let i = 0; i < 40; i++) yield* workspace.writeText("a.txt", "new")
        assert.isAtLeast(left.filter((name) => !fs.existsSync(name)).length, 5)
        assert.deepStrictEqual(current.filter((name) => !fs.existsSync(name)), [])
        assert.strictEqual(fs.readFileSync(join(root, "a.txt"), "utf8"), "new")
      })))

  it.effect("takes away what a process left that died a moment ago, as soon as its folder is looked at, and leaves what a living one writes", () =>
    use({ "a.txt": "old" }, (workspace, root) =>
      Effect.gen(function*() {
        const dead = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", `import { owner } from ${JSON.stringify(join(import.meta.dirname, "../../../../src/layers/workspace/shell/ProcessTree.ts"))}; console.log(owner())`], { encoding: "utf8" }).stdout.trim()
        const [left, current] = [`.dacapo-${dead}.1.tmp`, `.dacapo-${ProcessTree.owner()}.999999.tmp`]
        fs.mkdirSync(join(root, "deep"))
        for (const folder of [root, join(root, "deep")]) for (const name of [left, current]) fs.writeFileSync(join(folder, name), "half")
        const listed = yield* workspace.list(".", { depth: 1, limit: 9 })
        assert.deepStrictEqual(listed.entries.map(({ path }) => path), ["a.txt", "deep"])
        assert.deepStrictEqual([fs.existsSync(join(root, left)), fs.existsSync(join(root, current))], [false, true])
        yield* workspace.writeText("deep/b.txt", "new")
        assert.deepStrictEqual(fs.readdirSync(join(root, "deep")).sort(), [current, "b.txt"].sort())
      })))

  it.effect("does not replace a file that may not be written", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "a.txt": "old" })
      fs.chmodSync(join(root, "a.txt"), 0o444)
      fs.chmodSync(root, 0o777)
      const told = execFileSync(process.execPath, [join(import.meta.dirname, "writer.ts"), root, "nobody"], { encoding: "utf8" })
      assert.strictEqual(told, "Denied")
      assert.deepStrictEqual(contents(root), { "a.txt": "old" })
    }))

  it.effect("refuses .git, and what an ignore file closes", () =>
    use({ ".dacapoignore": "*.pem\n", "a.pem": "key" }, (workspace) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Effect.flip(workspace.writeText("sub/.git/config", ""))).reason, "Protected")
        assert.strictEqual((yield* Effect.flip(workspace.writeText("a.pem", ""))).reason, "Denied")
        assert.strictEqual((yield* Effect.flip(workspace.remove("a.pem"))).reason, "Denied")
        assert.deepStrictEqual((yield* workspace.list(".", { depth: 2, limit: 9 })).entries.map(({ path }) => path), [".dacapoignore"])
      })))
})

describe("several roots", () => {
  it.effect("name files of the first by their path in it, and others in full", () =>
    Effect.gen(function*() {
      const [one, two] = [yield* folder({ "a.txt": "a" }), yield* folder({ "b.txt": "b" })]
      yield* Effect.gen(function*() {
        const workspace = yield* Workspace
        assert.strictEqual((yield* workspace.stat(join(one, "a.txt"))).path, "a.txt")
        assert.strictEqual((yield* workspace.stat(join(two, "b.txt"))).path, join(two, "b.txt"))
        yield* workspace.writeText(join(two, "c.txt"), "c")
        assert.deepStrictEqual((yield* workspace.list(two, { depth: 1, limit: 9 })).entries.map(({ path }) => path), [join(two, "b.txt"), join(two, "c.txt")])
      }).pipe(Effect.provide(NodeWorkspace.layer({ roots: [one, two] }).pipe(Layer.provide(environment()))))
    }))
})
