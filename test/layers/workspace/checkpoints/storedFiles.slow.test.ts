import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { LogError } from "../../../../src/domain/session/LogError.ts"
import type { SessionEvent, Settled } from "../../../../src/domain/session/SessionEvent.ts"
import type { StoredFiles } from "../../../../src/domain/workspace/StoredFiles.ts"
import * as GitCheckpoints from "../../../../src/layers/workspace/checkpoints/GitCheckpoints.ts"
import * as RestoreFiles from "../../../../src/layers/workspace/checkpoints/RestoreFiles.ts"
import * as NodeWorkspace from "../../../../src/layers/workspace/files/NodeWorkspace.ts"
import { Checkpoints } from "../../../../src/services/Checkpoints.ts"
import { contents, environment, type Files, folder, write } from "../fixture.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=u", "-c", "user.email=u@u", "-c", "init.defaultBranch=main", ...args], { cwd, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] })

/** A session on one machine, with the log and the blobs that it leaves behind. */
interface Carrier {
  readonly root: string
  readonly events: ReadonlyArray<SessionEvent>
  readonly blobs: Map<string, Uint8Array>
  readonly save: Effect.Effect<void, unknown>
}

const eventOf = (seq: number, event: Settled): SessionEvent => ({ v: 1, seq, time: 0, prev: "", hash: `${seq}`, event })

/** Saves checkpoints of the folder `root`, on a machine with the data folder `data`. */
const carrier = Effect.fnUntraced(function*(root: string, data: string, { blobs = new Map<string, Uint8Array>(), past = [] as Array<SessionEvent>, since = undefined as StoredFiles | undefined, session = "s" } = {}) {
  const context = yield* Layer.build(GitCheckpoints.layer().pipe(
    Layer.provide(NodeWorkspace.layer({ roots: [root] })),
    Layer.provide(environment(undefined, { data }))
  ))
  const checkpoints = Context.get(context, Checkpoints)
  const events = [...past]
  let carried = since
  const put = (bytes: Uint8Array) => Effect.sync(() => {
    const hash = createHash("sha256").update(bytes).digest("hex")
    blobs.set(hash, bytes)
    return hash
  })
  const save = Effect.gen(function*() {
    const { counts, id, pack, repository, why } = yield* checkpoints.save({ session, seq: events.length, why: "", store: { since: carried, put } })
    carried = { checkpoint: id, ...(repository ?? carried?.repository) === undefined ? {} : { repository: repository ?? carried!.repository! } }
    events.push(eventOf(events.length, { _tag: "CheckpointSaved", id, why, counts, ...(pack === undefined ? {} : { pack }), ...(repository === undefined ? {} : { repository }) }))
    return pack === undefined ? 0 : blobs.get(pack)!.length
  })
  return { root, events, blobs, save, stored: () => carried } satisfies Carrier & { readonly stored: () => StoredFiles | undefined }
})

const getBlob = (blobs: ReadonlyMap<string, Uint8Array>) => (hash: string) => {
  const bytes = blobs.get(hash)
  return bytes === undefined
    ? Effect.fail(new LogError({ session: "s", message: `Blob ${hash} does not exist.`, reason: { _tag: "NotFound", near: [] } }))
    : Effect.succeed(bytes)
}

/** Restores in `target` on a machine whose data folder is `data`. */
const restore = (from: Pick<Carrier, "blobs" | "events">, target: string, data: string, options: { readonly isOwned?: boolean; readonly session?: string } = {}) =>
  RestoreFiles.restore({ session: "s", events: from.events, getBlob: getBlob(from.blobs), folder: target, ...options })
    .pipe(Effect.provide(environment(undefined, { data })))

const withoutGit = (files: Record<string, string>) => Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith(".git/")))

const start = Effect.fnUntraced(function*(files: Files, repository = true) {
  const root = yield* folder(files)
  if (repository) {
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
  }
  return yield* carrier(root, yield* folder())
})

describe("files that a log carries", () => {
  it.effect("are rebuilt on a machine that has none of them: every version, links, modes, without ignored files", () =>
    Effect.gen(function*() {
      const session = yield* start({ "a.txt": "a\r\n", "dir/b.bin": Uint8Array.of(0, 255, 13, 10), "run.sh": "#!/bin/sh\n", ".gitignore": "ignored\n", ignored: "secret" }, false)
      fs.chmodSync(join(session.root, "run.sh"), 0o755)
      fs.symlinkSync("a.txt", join(session.root, "link"))
      yield* session.save
      write(session.root, { "a.txt": "changed\n", "new.txt": "new" })
      yield* session.save
      fs.rmSync(join(session.root, "dir"), { recursive: true })
      yield* session.save
      const target = join(yield* folder(), "not/there/yet")
      const result = yield* restore(session, target, yield* folder())
      const { ignored: _, ...expected } = contents(session.root)
      assert.deepStrictEqual(contents(target), expected)
      assert.strictEqual(fs.statSync(join(target, "run.sh")).mode & 0o111, 0o111)
      assert.deepStrictEqual(result, { files: 5, seq: 2, isCurrent: true })
    }).pipe(Effect.scoped))

  it.effect("continue there: the next pack is as small as on the first machine, and rebuilds on a third one and on the first", () =>
    Effect.gen(function*() {
      const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`src/${i}.txt`, `${i}\n`.repeat(50)]))
      const first = yield* start(many)
      yield* first.save
      const target = yield* folder()
      const data = yield* folder()
      yield* restore(first, target, data)
      const second = yield* carrier(target, data, { blobs: first.blobs, past: first.events, since: first.stored()! })
      write(target, { "src/7.txt": "seven\n" })
      assert.isBelow(yield* second.save, 1_000)
      const third = yield* folder()
      yield* restore(second, third, yield* folder())
      assert.deepStrictEqual(withoutGit(contents(third)), withoutGit(contents(target)))
      write(first.root, { "half-done.txt": "the process died here" })
      yield* restore(second, first.root, yield* folder(), { isOwned: true })
      assert.deepStrictEqual(withoutGit(contents(first.root)), withoutGit(contents(target)))
    }).pipe(Effect.scoped))

  it.effect("come with the user's branch, the commits made since, and tracked files that checkpoints leave out", () =>
    Effect.gen(function*() {
      const session = yield* start({ "a.txt": "one\n", "logo.png": "image" })
      git(session.root, "checkout", "-qb", "topic")
      yield* session.save
      write(session.root, { "a.txt": "two\n" })
      git(session.root, "commit", "-qam", "second")
      yield* session.save
      write(session.root, { "a.txt": "three\n" })
      yield* session.save
      const target = yield* folder()
      const { repository } = yield* restore(session, target, yield* folder())
      const head = git(session.root, "rev-parse", "HEAD").trim()
      assert.deepStrictEqual(repository, { branch: "topic", head })
      assert.deepStrictEqual(withoutGit(contents(target)), { "a.txt": "three\n", "logo.png": "image" })
      assert.strictEqual(git(target, "log", "--format=%s", "topic"), "second\nfirst\n")
      assert.strictEqual(git(target, "status", "--porcelain", "--branch"), "## topic\n M a.txt\n")
      git(target, "fsck", "--strict")
    }).pipe(Effect.scoped))

  it.effect("come with the last commits of a long history, and with what is merged or checked out later", () =>
    Effect.gen(function*() {
      const session = yield* start({ "a.txt": "0\n" })
      git(session.root, "tag", "old")
      for (let i = 1; i <= 60; i++) git(session.root, "commit", "-q", "--allow-empty", "-m", `commit ${i}`)
      yield* session.save
      git(session.root, "checkout", "-q", "-b", "side", "old")
      write(session.root, { "side.txt": "side\n" })
      git(session.root, "add", "-A")
      git(session.root, "commit", "-qm", "side")
      git(session.root, "checkout", "-q", "main")
      git(session.root, "merge", "-q", "--no-edit", "side")
      yield* session.save
      const merged = yield* folder()
      yield* restore(session, merged, yield* folder())
      assert.strictEqual(git(merged, "log", "--format=%s", "--first-parent").split("\n").filter((line) => line.startsWith("commit")).length, 50)
      assert.strictEqual(git(merged, "status", "--porcelain"), "")
      git(merged, "fsck")
      git(session.root, "checkout", "-q", "--detach", "old")
      yield* session.save
      const detached = yield* folder()
      const { repository } = yield* restore(session, detached, yield* folder())
      assert.strictEqual(repository!.branch, null)
      assert.strictEqual(git(detached, "rev-parse", "HEAD"), git(session.root, "rev-parse", "old"))
      assert.deepStrictEqual(withoutGit(contents(detached)), { "a.txt": "0\n" })
    }).pipe(Effect.scoped))
})

describe("files that can't be trusted", () => {
  /** The message of a failed restore, which leaves nothing behind. */
  const refusal = Effect.fnUntraced(function*(from: Pick<Carrier, "blobs" | "events">) {
    const target = yield* folder()
    const error = yield* Effect.flip(restore(from, target, yield* folder()))
    assert.deepStrictEqual(contents(target), {})
    return error.message
  })

  /** A log whose checkpoint is this commit of a repository. */
  const ofCommit = (root: string, commit: string): Pick<Carrier, "blobs" | "events"> => {
    const bytes = execFileSync("git", ["pack-objects", "--revs", "--stdout", "-q"], { cwd: root, input: `${commit}\n` })
    const pack = createHash("sha256").update(bytes).digest("hex")
    return {
      blobs: new Map([[pack, new Uint8Array(bytes)]]),
      events: [eventOf(0, { _tag: "CheckpointSaved", id: commit, why: "", counts: { files: 0, added: 0, removed: 0 }, pack })]
    }
  }

  /** A commit with one entry at a path that git would not create. */
  const commitOf = (root: string, name: string, nested: boolean): string => {
    const tree = (input: string) => execFileSync("git", ["mktree", "--missing", "-z"], { cwd: root, input, encoding: "utf8" }).trim()
    const hash = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: root, input: "#!/bin/sh\ntouch /tmp/owned\n", encoding: "utf8" }).trim()
    // mktree refuses such names: the tree is written as an object of its own.
    const raw = (mode: string, entry: string, id: string) =>
      execFileSync("git", ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], {
        cwd: root,
        input: Buffer.concat([Buffer.from(`${mode} ${entry}\0`), Buffer.from(id, "hex")]),
        encoding: "utf8"
      }).trim()
    const top = nested ? raw("40000", name, tree(`100755 blob ${hash}\tpost-checkout\0`)) : raw("100644", name, hash)
    return git(root, "commit-tree", top, "-m", "hostile").trim()
  }

  it.effect("are refused where a path leads into a repository or out of the folder", () =>
    Effect.gen(function*() {
      const root = yield* folder()
      git(root, "init", "-q")
      for (const [name, nested] of [[".git", true], [".GIT", true], ["..", true], ["git~1", true], [".git ", true], [".g\u200cit", true], [".git", false]] as const) {
        assert.match(yield* refusal(ofCommit(root, commitOf(root, name, nested))), /not restored|can't|invalid/i, name)
      }
    }).pipe(Effect.scoped))

  it.effect("do not follow a link out of the folder", () =>
    Effect.gen(function*() {
      const outside = yield* folder()
      const root = yield* folder()
      git(root, "init", "-q")
      const hash = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: root, input: outside, encoding: "utf8" }).trim()
      const file = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: root, input: "x", encoding: "utf8" }).trim()
      const inner = execFileSync("git", ["mktree"], { cwd: root, input: `100644 blob ${file}\tfile\n`, encoding: "utf8" }).trim()
      // The same name as a link and as a folder.
      const top = execFileSync("git", ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], {
        cwd: root,
        input: Buffer.concat([Buffer.from("120000 a\0"), Buffer.from(hash, "hex"), Buffer.from("40000 a\0"), Buffer.from(inner, "hex")]),
        encoding: "utf8"
      }).trim()
      yield* refusal(ofCommit(root, git(root, "commit-tree", top, "-m", "hostile").trim()))
      assert.deepStrictEqual(contents(outside), {})
    }).pipe(Effect.scoped))

  it.effect("are refused where a pack is damaged, another session's, cut, or not a pack", () =>
    Effect.gen(function*() {
      const session = yield* start({ "a.txt": "a\n" }, false)
      yield* session.save
      const other = yield* start({ "b.txt": "b\n" }, false)
      yield* other.save
      const [hash, bytes] = [...session.blobs][0]!
      const otherBytes = [...other.blobs.values()][0]!
      const named = (replacement: Uint8Array) => {
        const pack = createHash("sha256").update(replacement).digest("hex")
        const { event } = session.events[0]!
        return { blobs: new Map([[pack, replacement]]), events: [eventOf(0, { ...event as Extract<Settled, { _tag: "CheckpointSaved" }>, pack })] }
      }
      assert.match(yield* refusal(named(otherBytes)), /another session's/)
      assert.match(yield* refusal(named(bytes.slice(0, -5))), /not a git pack/)
      assert.match(yield* refusal(named(new TextEncoder().encode("PACK"))), /not a git pack/)
      assert.match(yield* refusal({ events: session.events, blobs: new Map([[hash, otherBytes]]) }), /does not match its digest/)
      assert.match(yield* refusal({ events: session.events, blobs: new Map() }), /does not exist/)
      assert.match(yield* refusal({ events: [], blobs: new Map() }), /carries no files/)
    }).pipe(Effect.scoped))

  it.effect("are not written into a folder with other files, unless it is the session's own", () =>
    Effect.gen(function*() {
      const session = yield* start({ "a.txt": "a\n" }, false)
      yield* session.save
      const target = yield* folder({ "mine.txt": "mine" })
      const error = yield* Effect.flip(restore(session, target, yield* folder()))
      assert.match(error.message, /is not empty/)
      assert.deepStrictEqual(contents(target), { "mine.txt": "mine" })
    }).pipe(Effect.scoped))

  it.effect("bring no settings, hooks or remotes of the repository with them", () =>
    Effect.gen(function*() {
      const session = yield* start({ "a.txt": "a\n" })
      git(session.root, "config", "core.fsmonitor", "touch /tmp/owned")
      git(session.root, "remote", "add", "origin", "https://user:secret@example.com/x")
      write(session.root, { ".git/hooks/post-checkout": "#!/bin/sh\nexit 1\n" })
      yield* session.save
      const target = yield* folder()
      yield* restore(session, target, yield* folder())
      const config = fs.readFileSync(join(target, ".git/config"), "utf8")
      assert.notMatch(config, /fsmonitor|secret/)
      assert.isFalse(fs.existsSync(join(target, ".git/hooks")))
    }).pipe(Effect.scoped))
})
