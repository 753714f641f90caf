import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { Checkpoints } from "../../../../src/services/Checkpoints.ts"
import * as GitCheckpoints from "../../../../src/layers/workspace/checkpoints/GitCheckpoints.ts"
import * as NodeWorkspace from "../../../../src/layers/workspace/files/NodeWorkspace.ts"
import * as UserRepository from "../../../../src/layers/workspace/checkpoints/UserRepository.ts"
import { contents, environment, type Files, folder, write } from "../fixture.ts"

const layerOf = (root: string, data: string, options: { readonly home?: string; readonly maxFiles?: number; readonly path?: string } = {}) =>
  GitCheckpoints.layer(options.maxFiles === undefined ? {} : { maxFiles: options.maxFiles }).pipe(
    Layer.provide(NodeWorkspace.layer({ roots: [root] })),
    Layer.provide(environment({ PATH: options.path ?? process.env["PATH"] }, { data, ...(options.home === undefined ? {} : { home: options.home }) }))
  )

const use = <A, E>(files: Files, f: (checkpoints: Checkpoints["Service"], root: string) => Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const root = yield* folder(files)
    const data = yield* folder()
    return yield* Effect.flatMap(Checkpoints, (checkpoints) => f(checkpoints, root)).pipe(Effect.provide(layerOf(root, data)))
  })

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=u", "-c", "user.email=u@u", "-c", "init.defaultBranch=main", ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })

const at = { session: "s", seq: 1, why: "first" }
const back = { session: "s", seq: 9 }

describe("a checkpoint", () => {
  it.effect("holds every file, also untracked ones, and brings them back", () =>
    use({ "a.txt": "a\r\n", "dir/b.bin": Uint8Array.of(0, 255, 13, 10), ".gitignore": "ignored\n", ignored: "i", "node_modules/x": "x" }, (checkpoints, root) =>
      Effect.gen(function*() {
        const before = contents(root)
        const { counts, id } = yield* checkpoints.save(at)
        assert.deepStrictEqual(counts, { files: 0, added: 0, removed: 0 })
        write(root, { "a.txt": "changed\n", "new.txt": "mine" })
        fs.rmSync(join(root, "dir"), { recursive: true })
        const changes = [
          { path: "a.txt", kind: "modified" },
          { path: "dir/b.bin", kind: "created" },
          { path: "new.txt", kind: "deleted" }
        ]
        assert.deepStrictEqual(yield* checkpoints.preview(id), changes as never)
        assert.deepStrictEqual((yield* checkpoints.restore(id, { ...back, remove: [] })).changes, changes.slice(0, 2) as never)
        assert.deepStrictEqual(contents(root), { ...before, "new.txt": "mine" })
        yield* checkpoints.restore(id, { ...back, remove: ["new.txt"] })
        assert.deepStrictEqual(contents(root), before)
      })))

  /** Every object of the store of checkpoints, as text. */
  const stored = (data: string): string => {
    const folders = fs.readdirSync(join(data, "checkpoints")).map((name) => join(data, "checkpoints", name))
    return folders.map((folder) => git(folder, "cat-file", "--batch-all-objects", "--unordered", "--batch")).join("\n")
  }

  it.effect("holds no copy of a file that an ignore file of ours closes, and going back leaves that file as it is", () =>
    Effect.gen(function*() {
      const closed = { "secret.txt": "mark-of-secret", "keys/a.txt": "mark-of-folder" }
      const root = yield* folder({ "a.txt": "mark-of-open", ...closed, ".dacapoignore": "secret.txt\nkeys/\n" })
      const data = yield* folder()
      yield* Effect.gen(function*() {
        const checkpoints = yield* Checkpoints
        const { id } = yield* checkpoints.save(at)
        write(root, { "a.txt": "changed", "secret.txt": "mark-of-change" })
        fs.rmSync(join(root, "keys"), { recursive: true })
        yield* checkpoints.restore(id, { ...back, remove: [] })
        assert.deepStrictEqual(contents(root), { "a.txt": "mark-of-open", "secret.txt": "mark-of-change", ".dacapoignore": "secret.txt\nkeys/\n" })
      }).pipe(Effect.provide(layerOf(root, data)))
      const objects = stored(data)
      assert.include(objects, "mark-of-open")
      for (const mark of ["mark-of-secret", "mark-of-folder", "mark-of-change"]) assert.notInclude(objects, mark)
    }))

  it.effect("holds a file no longer once an ignore file closes it, and an older one does not bring it back", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "a.txt": "a", "secret.txt": "mark-of-before" })
      const data = yield* folder()
      yield* Effect.gen(function*() {
        const checkpoints = yield* Checkpoints
        const first = yield* checkpoints.save(at)
        assert.include(stored(data), "mark-of-before")
        write(root, { ".dacapoignore": "secret.txt\n", "secret.txt": "mark-of-after" })
        const second = yield* checkpoints.save({ ...at, seq: 2 })
        assert.deepStrictEqual((yield* checkpoints.changes(first.id, second.id)).map(({ kind, path }) => [kind, path]), [["created", ".dacapoignore"], ["deleted", "secret.txt"]])
        yield* checkpoints.restore(first.id, { ...back, remove: [] })
        assert.strictEqual(contents(root)["secret.txt"], "mark-of-after")
        assert.notInclude(stored(data), "mark-of-after")
      }).pipe(Effect.provide(layerOf(root, data)))
    }))

  it.effect("counts what it differs by from the one before, and shows the difference", () =>
    use({ a: "1\n2\n" }, (checkpoints, root) =>
      Effect.gen(function*() {
        const first = yield* checkpoints.save(at)
        write(root, { a: "1\nzwei\n", b: "x\n" })
        const second = yield* checkpoints.save({ ...at, seq: 2, why: "two\nlines" })
        assert.deepStrictEqual(second.counts, { files: 2, added: 2, removed: 1 })
        assert.deepStrictEqual(yield* checkpoints.list("s"), [first, second])
        assert.deepStrictEqual(yield* checkpoints.list("other"), [])
        const { changes, counts, patch } = yield* checkpoints.diff(first.id, second.id)
        assert.deepStrictEqual(changes, [{ path: "a", kind: "modified", added: 1, removed: 1 }, { path: "b", kind: "created", added: 1, removed: 0 }])
        assert.deepStrictEqual(counts, { files: 2, added: 2, removed: 1 })
        assert.include(patch, "-2\n+zwei\n")
        fs.rmSync(join(root, "b"))
        assert.deepStrictEqual((yield* checkpoints.diff(second.id)).changes, [{ path: "b", kind: "deleted", added: 0, removed: 1 }])
      })))

  it.effect("keeps every byte, whatever the attributes of the repository say", () =>
    use({
      ".gitattributes": "* text=auto eol=crlf ident\n*.dat filter=lfs\n*.u16 working-tree-encoding=UTF-16\n",
      "lf.txt": "a\nb\n$Id$\n",
      "crlf.txt": "a\r\nb\r\n",
      "x.dat": "data\r\n",
      "y.u16": Buffer.from("\ufeffabc", "utf16le")
    }, (checkpoints, root) =>
      Effect.gen(function*() {
        const before = contents(root)
        const { id } = yield* checkpoints.save(at)
        for (const path of Object.keys(before)) fs.rmSync(join(root, path))
        yield* checkpoints.restore(id, { ...back, remove: [] })
        assert.deepStrictEqual(contents(root), before)
      })))

  it.effect("keeps links, modes and strange names", () =>
    use({ "run.sh": "#!/bin/sh\n", "private.txt": "p", "with space\tand\nnewline": "x", "-rf": "y", "ünï": "z" }, (checkpoints, root) =>
      Effect.gen(function*() {
        fs.chmodSync(join(root, "run.sh"), 0o755)
        fs.chmodSync(join(root, "private.txt"), 0o600)
        fs.symlinkSync("run.sh", join(root, "link"))
        const before = contents(root)
        const { id } = yield* checkpoints.save(at)
        write(root, { "run.sh": "changed", "private.txt": "changed", "-rf": "changed" })
        for (const path of ["link", "ünï", "with space\tand\nnewline"]) fs.rmSync(join(root, path))
        yield* checkpoints.restore(id, { ...back, remove: [] })
        assert.deepStrictEqual(contents(root), before)
        assert.deepStrictEqual(["run.sh", "private.txt"].map((path) => fs.statSync(join(root, path)).mode & 0o777), [0o755, 0o600])
      })))

  it.effect("leaves out what can be made again, what is too large, and what can't be read", () =>
    use({
      "a.ts": "a", "logo.png": "p", "x.zip": "z", "app.sqlite": "s", "dist/a.js": "d", "packages/b/node_modules/c/i.js": "n",
      "sub/.gitignore": "*.secret\n", "sub/k.secret": "k", "sub/s.ts": "s"
    }, (checkpoints, root) =>
      Effect.gen(function*() {
        fs.truncateSync(join(root, "a.ts"), 0)
        fs.writeFileSync(join(root, "large.txt"), Buffer.alloc(11 * 1024 * 1024, "x"))
        execFileSync("mkfifo", [join(root, "pipe")])
        const { id } = yield* checkpoints.save(at)
        for (const entry of fs.readdirSync(root)) fs.rmSync(join(root, entry), { recursive: true })
        const { changes } = yield* checkpoints.restore(id, { ...back, remove: [] })
        assert.deepStrictEqual(changes.map(({ path }) => path), ["a.ts", "sub/.gitignore", "sub/s.ts"])
      })))

  it.effect("no longer contains a file that grew too large, and continues without it", () =>
    use({ "log.txt": "small", "a.txt": "a" }, (checkpoints, root) =>
      Effect.gen(function*() {
        const first = yield* checkpoints.save(at)
        fs.writeFileSync(join(root, "log.txt"), Buffer.alloc(11 * 1024 * 1024, "x"))
        const { counts, id } = yield* checkpoints.save(at)
        assert.deepStrictEqual(counts, { files: 1, added: 0, removed: 1 })
        assert.deepStrictEqual((yield* checkpoints.save(at)).counts, { files: 0, added: 0, removed: 0 })
        assert.deepStrictEqual(yield* checkpoints.preview(id), [])
        assert.include((yield* Effect.flip(checkpoints.restore(first.id, { ...back, remove: [] }))).message, "log.txt")
        assert.strictEqual(fs.statSync(join(root, "log.txt")).size, 11 * 1024 * 1024)
      })))

  it.effect("going back can be taken back", () =>
    use({ "a.txt": "one", ".gitignore": "" }, (checkpoints, root) =>
      Effect.gen(function*() {
        const { id } = yield* checkpoints.save(at)
        write(root, { "a.txt": "two", "b.txt": "b", ".gitignore": "a.txt\n" })
        fs.rmSync(join(root, "a.txt"))
        write(root, { "a.txt": "ignored by now, and never saved" })
        const before = contents(root)
        yield* checkpoints.restore(id, { ...back, remove: ["b.txt"] })
        assert.strictEqual(contents(root)["a.txt"], "one")
        const undo = (yield* checkpoints.list("s")).at(-1)!
        yield* checkpoints.restore(undo.id, { ...back, remove: [] })
        assert.deepStrictEqual(contents(root), before)
      })))

  it.effect("nothing that stands in the way is harmed", () =>
    use({ "x": "file", "dir/a.txt": "a" }, (checkpoints, root) =>
      Effect.gen(function*() {
        const { id } = yield* checkpoints.save(at)
        fs.rmSync(join(root, "x"))
        fs.rmSync(join(root, "dir"), { recursive: true })
        write(root, { "x/mine.txt": "mine", dir: "mine too" })
        const before = contents(root)
        const error = yield* Effect.flip(checkpoints.restore(id, { ...back, remove: [] }))
        assert.include(error.message, "dir")
        assert.include(error.message, "x/mine.txt")
        assert.deepStrictEqual(contents(root), before)
        yield* checkpoints.restore(id, { ...back, remove: ["dir", "x/mine.txt"] })
        assert.deepStrictEqual(contents(root), { x: "file", "dir/a.txt": "a" })
      })))

  it.effect("begun beside other work is of the moment when it began, once", () =>
    use({ a: "1\n" }, (checkpoints, root) =>
      Effect.gen(function*() {
        const first = yield* checkpoints.save(at)
        write(root, { a: "2\n" })
        yield* checkpoints.begin("s")
        yield* checkpoints.preview(first.id)
        write(root, { a: "2\n3\n" })
        const second = yield* checkpoints.save({ ...at, seq: 2 })
        assert.deepStrictEqual(second.counts, { files: 1, added: 1, removed: 1 })
        const third = yield* checkpoints.save({ ...at, seq: 3 })
        assert.deepStrictEqual(third.counts, { files: 1, added: 1, removed: 0 })
        assert.deepStrictEqual((yield* checkpoints.changes(first.id, third.id)), [{ path: "a", kind: "modified" }])
      })))

  it.effect("is git's own: its objects are sound, and its history is the session's", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "a.txt": "one\n" })
      const data = yield* folder()
      const saved = yield* Effect.gen(function*() {
        const checkpoints = yield* Checkpoints
        const first = yield* checkpoints.save(at)
        write(root, { "a.txt": "two\n", "ü\n.txt": "x" })
        return [first, yield* checkpoints.save({ ...at, seq: 2, why: "two" })]
      }).pipe(Effect.provide(layerOf(root, data)))
      const [shadow] = fs.readdirSync(join(data, "checkpoints")).map((name) => join(data, "checkpoints", name))
      assert.strictEqual(git(shadow!, "fsck", "--strict", "--no-dangling"), "")
      assert.deepStrictEqual(git(shadow!, "log", "--format=%H", "refs/sessions/s").trim().split("\n"), saved.map(({ id }) => id).toReversed())
    }))

  it.effect("of a session that is gone stays for as long as a fork has it, and then takes no room", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "a.txt": "one\n" })
      const data = yield* folder()
      yield* Effect.gen(function*() {
        const checkpoints = yield* Checkpoints
        const first = yield* checkpoints.save(at)
        write(root, { "a.txt": "two\n" })
        yield* checkpoints.adopt("fork", first.id)
        const later = yield* checkpoints.save({ ...at, seq: 2 })
        yield* checkpoints.forget(["s"])
        assert.deepStrictEqual((yield* checkpoints.list("fork")).map(({ id }) => id), [first.id])
        assert.deepStrictEqual(yield* checkpoints.list("s"), [])
        assert.strictEqual((yield* Effect.flip(checkpoints.preview(later.id))).reason, "NotFound")
        yield* checkpoints.restore(first.id, { session: "fork", seq: 3, remove: [] })
        assert.deepStrictEqual(contents(root), { "a.txt": "one\n" })
        yield* checkpoints.forget(["fork", "nobody"])
        assert.strictEqual((yield* Effect.flip(checkpoints.preview(first.id))).reason, "NotFound")
        yield* checkpoints.save({ ...at, session: "new" })
      }).pipe(Effect.provide(layerOf(root, data)))
    }))

  it.effect("two sessions in one workspace do not disturb each other", () =>
    Effect.gen(function*() {
      const root = yield* folder({ a: "a" })
      const data = yield* folder()
      const one = yield* Effect.provide(Checkpoints, layerOf(root, data))
      const two = yield* Effect.provide(Checkpoints, layerOf(root, data))
      const saved = yield* Effect.all([
        one.save({ ...at, session: "one" }),
        two.save({ ...at, session: "two" }),
        one.save({ ...at, session: "one", seq: 2 }),
        two.save({ ...at, session: "two", seq: 2 })
      ], { concurrency: 4 })
      assert.deepStrictEqual((yield* one.list("one")).map(({ seq }) => seq).toSorted(), [1, 2])
      assert.deepStrictEqual((yield* two.list("two")).map(({ seq }) => seq).toSorted(), [1, 2])
      assert.strictEqual(new Set(saved.map(({ id }) => id)).size, 4)
      // Someone goes back from another process meanwhile: what both saved is in the list.
      yield* two.restore(saved[0].id, { session: "one", seq: 2, remove: [] })
      yield* one.save({ ...at, session: "one", seq: 3 })
      assert.deepStrictEqual((yield* one.list("one")).map(({ seq }) => seq).toSorted(), [1, 2, 2, 3])
    }))

  it.effect("follow the ones of an earlier run", () =>
    Effect.gen(function*() {
      const root = yield* folder({ a: "a" })
      const data = yield* folder()
      const first = yield* Effect.flatMap(Checkpoints, (checkpoints) => checkpoints.save(at)).pipe(Effect.provide(layerOf(root, data)))
      write(root, { a: "b", b: "b" })
      yield* Effect.gen(function*() {
        const checkpoints = yield* Checkpoints
        const second = yield* checkpoints.save({ ...at, seq: 2 })
        assert.deepStrictEqual(second.counts, { files: 2, added: 2, removed: 1 })
        assert.deepStrictEqual(yield* checkpoints.list("s"), [first, second])
      }).pipe(Effect.provide(layerOf(root, data)))
    }))

  it.effect("no such checkpoint is said so, in any spelling", () =>
    use({ a: "a" }, (checkpoints) =>
      Effect.gen(function*() {
        for (const id of ["0".repeat(40), "HEAD", "--all", "", "refs/sessions/s", "abcdefg"]) {
          assert.strictEqual((yield* Effect.flip(checkpoints.restore(id, { ...back, remove: [] }))).reason, "NotFound")
          assert.strictEqual((yield* Effect.flip(checkpoints.diff(id))).reason, "NotFound")
        }
      })))
})

describe("a place that is not saved", () => {
  const refusal = (place: (home: string) => string, options: { readonly maxFiles?: number; readonly path?: string } = {}) =>
    Effect.gen(function*() {
      const home = yield* folder({ "Desktop/a": "", "project/a": "", "project/b": "", "project/c": "" })
      const data = yield* folder()
      const error = yield* Effect.flatMap(Checkpoints, (checkpoints) => Effect.flip(checkpoints.save(at))).pipe(
        Effect.provide(layerOf(place(home), data, { home, ...options }))
      )
      return error.reason
    })

  it.effect("is the home folder, what is above it, the desktop, or one with too many files", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refusal((home) => home), "Refused")
      assert.strictEqual(yield* refusal((home) => join(home, "..")), "Refused")
      assert.strictEqual(yield* refusal(() => "/"), "Refused")
      assert.strictEqual(yield* refusal((home) => join(home, "Desktop")), "Refused")
      assert.strictEqual(yield* refusal((home) => join(home, "project"), { maxFiles: 2 }), "Refused")
      assert.strictEqual(yield* refusal((home) => join(home, "project"), { path: "/nowhere" }), "NoGit")
    }))
})

describe("the user's own repository", () => {
  /** Every repository below the folder, as it is in the middle of a merge, with a submodule and a second work tree. */
  const busy = (root: string) => {
    const upstream = join(root, "upstream")
    write(root, { "upstream/u.txt": "u" })
    git(upstream, "init", "-q")
    git(upstream, "add", ".")
    git(upstream, "commit", "-q", "-m", "u")
    const repository = join(root, "repo")
    write(root, { "repo/a.txt": "base\n", "repo/nested/n.txt": "n" })
    git(repository, "init", "-q")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", upstream, "module")
    git(repository, "add", "a.txt")
    git(repository, "commit", "-q", "-m", "base")
    git(repository, "worktree", "add", "-q", join(root, "repo/tree"))
    git(repository, "checkout", "-q", "-b", "other")
    write(root, { "repo/a.txt": "other\n" })
    git(repository, "commit", "-q", "-a", "-m", "other")
    git(repository, "checkout", "-q", "main")
    write(root, { "repo/a.txt": "main\n" })
    git(repository, "commit", "-q", "-a", "-m", "main")
    assert.throws(() => git(repository, "merge", "-q", "other"))
    git(join(repository, "nested"), "init", "-q")
    // What would run if our git looked at it.
    git(repository, "config", "core.fsmonitor", `touch ${join(root, "ran")}`)
    write(root, { "repo/.git/hooks/reference-transaction": `#!/bin/sh\ntouch ${join(root, "ran")}\n`, "repo/.git/info/exclude": "excluded\n", "repo/excluded": "e" })
    fs.chmodSync(join(repository, ".git/hooks/reference-transaction"), 0o755)
    return repository
  }

  it.effect("stays as it is, byte for byte, while its files are saved and brought back", () =>
    Effect.gen(function*() {
      const base = yield* folder()
      const data = yield* folder()
      const root = busy(base)
      const before = contents(root)
      yield* Effect.gen(function*() {
        const checkpoints = yield* Checkpoints
        const first = yield* checkpoints.save(at)
        assert.deepStrictEqual([first.branch, first.head], ["main", git(root, "rev-parse", "HEAD").trim()])
        assert.deepStrictEqual(contents(root), before)
        write(root, { "a.txt": "changed", "nested/n.txt": "changed", "module/u.txt": "changed", "tree/a.txt": "changed", excluded: "e" })
        const { changes } = yield* checkpoints.diff(first.id)
        assert.deepStrictEqual(changes.map(({ path }) => path), ["a.txt", "module/u.txt", "nested/n.txt", "tree/a.txt"])
        yield* checkpoints.restore(first.id, { ...back, remove: [] })
      }).pipe(Effect.provide(layerOf(root, data)))
      assert.deepStrictEqual(contents(root), before)
      assert.isFalse(fs.existsSync(join(base, "ran")))
    }))

  it.effect("and its nested ones are saved as plain files", () =>
    use({ "a.txt": "a", "sub/b.txt": "b", "sub/deep/er/c.txt": "c" }, (checkpoints, root) =>
      Effect.gen(function*() {
        for (const repository of ["", "sub", "sub/deep/er"]) git(join(root, repository), "init", "-q")
        const kept = contents(root)
        const first = yield* checkpoints.save(at)
        assert.deepStrictEqual([first.branch, first.head], ["main", null])
        write(root, { "sub/deep/er/c.txt": "changed", "sub/b.txt": "changed", "sub/deep/er/d.txt": "new" })
        assert.deepStrictEqual((yield* checkpoints.save(at)).counts.files, 3)
        yield* checkpoints.restore(first.id, { ...back, remove: ["sub/deep/er/d.txt"] })
        assert.deepStrictEqual(contents(root), kept)
      })))

  it.effect("is known wherever it stands", () =>
    Effect.gen(function*() {
      const base = yield* folder()
      const root = busy(base)
      const commit = (name: string) => git(root, "rev-parse", name).trim()
      assert.deepStrictEqual(UserRepository.position(root), { branch: "main", head: commit("main") })
      assert.deepStrictEqual(UserRepository.position(join(root, "nested")), { branch: "main", head: null })
      assert.deepStrictEqual(UserRepository.position(join(root, "tree")), { branch: "tree", head: commit("tree") })
      assert.deepStrictEqual(UserRepository.position(join(root, "module")), { branch: "main", head: git(join(root, "module"), "rev-parse", "HEAD").trim() })
      git(root, "pack-refs", "--all")
      assert.deepStrictEqual(UserRepository.position(root), { branch: "main", head: commit("main") })
      git(root, "checkout", "-q", "-f", "--detach")
      assert.deepStrictEqual(UserRepository.position(join(root, "nested/..")), { branch: null, head: commit("main") })
      assert.deepStrictEqual(UserRepository.position(base), { branch: null, head: null })
    }))

  it.effect("is not needed", () =>
    use({ "a.txt": "a" }, (checkpoints) =>
      Effect.gen(function*() {
        const { branch, head } = yield* checkpoints.save(at)
        assert.deepStrictEqual([branch, head], [null, null])
      })))
})

describe("interrupting", () => {
  it.effect("leaves a repository that saves again", () =>
    use(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`d${i % 20}/f${i}.txt`, `${i}`])), (checkpoints, root) =>
      Effect.gen(function*() {
        for (let i = 0; i < 5; i++) {
          const fiber = yield* Effect.forkChild(checkpoints.save(at), { startImmediately: true })
          for (let turn = 0; turn < i * 40; turn++) yield* Effect.promise(() => new Promise(setImmediate))
          yield* Fiber.interrupt(fiber)
        }
        const { id } = yield* checkpoints.save(at)
        fs.rmSync(join(root, "d7"), { recursive: true })
        assert.lengthOf((yield* checkpoints.restore(id, { ...back, remove: [] })).changes, 50)
      })))
})

describe("a killed agent", () => {
  it.effect("has lost no checkpoint that it was told of, and the next one saves on", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "a.txt": "a" })
      const data = yield* folder()
      const told: Array<string> = []
      for (const saves of [1, 3, 2]) {
        const agent = yield* Effect.acquireRelease(
          Effect.sync(() => spawn(process.execPath, [join(import.meta.dirname, "saver.ts"), root, data], { stdio: ["ignore", "pipe", "ignore"] })),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        yield* Effect.callback<void>((resume) => {
          let seen = ""
          agent.stdout.setEncoding("utf8").on("data", (text: string) => {
            seen += text
            if (seen.split("\n").length > saves) agent.kill("SIGKILL")
          })
          agent.once("close", () => {
            told.push(...seen.split("\n").slice(0, -1))
            resume(Effect.void)
          })
        })
      }
      yield* Effect.gen(function*() {
        const checkpoints = yield* Checkpoints
        const { id } = yield* checkpoints.save(at)
        const listed = (yield* checkpoints.list("s")).map((checkpoint) => checkpoint.id)
        assert.deepStrictEqual(told.filter((id) => !listed.includes(id)), [])
        assert.strictEqual(listed.at(-1), id)
        write(root, { "a.txt": "b" })
        yield* checkpoints.restore(told[0]!, { ...back, remove: [] })
        assert.deepStrictEqual(contents(root), { "a.txt": "a", "count.txt": "0" })
      }).pipe(Effect.provide(layerOf(root, data)))
    }))
})
