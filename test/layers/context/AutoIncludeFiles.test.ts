/** Files that go along by themselves: a real folder, a real repository, rules and trust as they are. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Session from "../../../src/domain/session/Session.ts"
import type { Facts, IncludedFile } from "../../../src/domain/session/SessionEvent.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import * as ToolSpec from "../../../src/domain/tool/ToolSpec.ts"
import * as ApprovalLive from "../../../src/layers/approval/ApprovalLive.ts"
import * as ContextWindowLive from "../../../src/layers/context/ContextWindowLive.ts"
import * as SmallFile from "../../../src/layers/context/sources/SmallFile.ts"
import * as SkillsLive from "../../../src/layers/context/SkillsLive.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import * as MemoryTrust from "../../../src/layers/testing/MemoryTrust.ts"
import { ReadFile } from "../../../src/layers/tool/ReadFile.ts"
import * as NodeWorkspace from "../../../src/layers/workspace/files/NodeWorkspace.ts"
import { BackgroundCommands } from "../../../src/services/BackgroundCommands.ts"
import { ContextWindow } from "../../../src/services/ContextWindow.ts"
import { Environment } from "../../../src/services/Environment.ts"
import { Storage } from "../../../src/services/Storage.ts"
import { Tools } from "../../../src/services/Tools.ts"
import { model } from "../../domain/prompt/input.ts"

/** An hour after the epoch in which nothing was recently touched but by these tests. */
const now = 400 * 3_600_000

interface Folder {
  readonly cwd: string
  readonly session: Session.Session
  readonly storage: Storage["Service"]
  readonly window: ContextWindow["Service"]
  readonly write: (files: Readonly<Record<string, string>>, at?: number) => void
  readonly git: (...args: ReadonlyArray<string>) => void
  /** Paths that go along with the session's next message. */
  readonly paths: (session: Session.Session, over?: Partial<Facts>) => Effect.Effect<ReadonlyArray<string>>
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")

const include = (window: ContextWindow["Service"], session: Session.Session, facts: Facts) =>
  Effect.flatMap(window.weigh(session, facts, model), window.include)

const plan = (window: ContextWindow["Service"], session: Session.Session, facts: Facts, included: ReadonlyArray<IncludedFile> = []) =>
  Effect.flatMap(window.weigh(session, facts, model), (request) => window.plan(request, included))

const inFolder = <A>(body: (folder: Folder) => Effect.Effect<A>, { trusted = true }: { readonly trusted?: boolean } = {}) =>
  Effect.gen(function*() {
    const root = yield* Effect.acquireRelease(Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-included-"))), (folder) =>
      Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
    const cwd = join(root, "project")
    mkdirSync(cwd)
    const environment = Layer.succeed(Environment, {
      variables: { PATH: process.env["PATH"] },
      folders: { home: root, config: join(root, "config"), data: root, state: root, cache: root },
      platform: "linux",
      version: "0"
    })
    const built = yield* Layer.build(ContextWindowLive.layer.pipe(Layer.provide([
      ApprovalLive.layer,
      Layer.mock(BackgroundCommands)({ list: () => Effect.succeed([]) }),
      SkillsLive.layer,
      MemoryTrust.layer(trusted ? [root] : []),
      Layer.mock(Tools)({ specs: () => [ToolSpec.fromParams(ReadFile)], changes: () => false, tasks: () => [], resolve: () => Result.fail("") })
    ]), Layer.provideMerge(MemoryStorage.layer), Layer.provide(SmallFile.layer), Layer.provide(NodeWorkspace.layer({ roots: [cwd] })), Layer.provide([environment, NodeFileSystem.layer])))
    const window = Context.get(built, ContextWindow)
    const storage = Context.get(built, Storage)
    const write: Folder["write"] = (files, at = now) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true })
        writeFileSync(join(cwd, path), text)
        utimesSync(join(cwd, path), at / 1000, at / 1000)
      }
    }
    const git: Folder["git"] = (...args) => void execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd, stdio: "ignore" })
    const session: Session.Session = { ...Session.empty, id: "s", cwd, home: root, pendingContent: [{ _tag: "Text", text: "Go on" }], settings: { ...Session.empty.settings, model } }
    const paths: Folder["paths"] = (session, over = {}) =>
      Effect.orDie(Effect.gen(function*() {
        const facts = { ...yield* window.gather(session), ...over }
        return (yield* include(window, session, facts)).map(({ path }) => path)
      }))
    yield* TestClock.setTime(now)
    return yield* body({ cwd, session, storage, window, write, git, paths })
  }).pipe(Effect.scoped)

/** A session that touched files, and sees nothing of them any more. */
const touched = (session: Session.Session, files: Readonly<Record<string, string>>, at = now): Session.Session => ({
  ...session,
  files: new Map(Object.entries(files).map(([path, text]) => [path, hash(text)])),
  fileStates: new Map(Object.keys(files).map((path) => [path, { read: at, useCount: 1 }]))
})

describe("automatically included files", () => {
  it.effect("are those that the session touched and no longer sees, with the reason", () =>
    inFolder(({ session, window, write }) =>
      Effect.gen(function*() {
        write({ "a.ts": "const a = 1\n", "old.ts": "const old = 1\n" })
        const known = touched(session, { "a.ts": "const a = 1\n" })
        const facts = yield* window.gather(known)
        const included = yield* Effect.orDie(include(window, known, facts))
        assert.deepStrictEqual(included, [{ path: "a.ts", hash: hash("const a = 1\n"), text: "1 | const a = 1", score: 125, why: "recently touched; code" }])
        const first = yield* Effect.orDie(plan(window, known, facts, included))
        assert.deepStrictEqual(first.request.messages.at(-1)?.content, [
          { _tag: "Text", text: "Go on" },
          {
            _tag: "Text",
            text: `<file path="a.ts" shown-because="recently touched; code">\n1 | const a = 1\n</file>`,
            origin: "included",
            touched: [{ path: "a.ts", kind: "read", hash: hash("const a = 1\n"), content: "all" }]
          }
        ])
      })))

  it.effect("exclude files in view, and are absent if no message is sent", () =>
    inFolder(({ paths, session, write }) =>
      Effect.gen(function*() {
        write({ "a.ts": "a\n" })
        const known = touched(session, { "a.ts": "a\n" })
        const seen = { ...known, messages: [{ role: "user", content: [{ _tag: "Text", text: "…", origin: "mention", touched: [{ path: "a.ts", kind: "read", hash: hash("a\n"), content: "all" }] }] }] } as const
        assert.deepStrictEqual(yield* paths(seen), [])
        assert.deepStrictEqual(yield* paths({ ...known, pendingContent: [] }), [])
      })))

  it.effect("include files in view that someone else changed, instead of a note to read them again", () =>
    inFolder(({ session, window, write }) =>
      Effect.gen(function*() {
        write({ "a.ts": "theirs\n" }, now - 20_000)
        const known = touched({ ...session, messages: [{ role: "user", content: [{ _tag: "Text", text: "…", origin: "mention", touched: [{ path: "a.ts", kind: "read", hash: hash("ours\n"), content: "all" }] }] }] }, { "a.ts": "ours\n" })
        const facts = yield* window.gather(known)
        const included = yield* Effect.orDie(include(window, known, facts))
        assert.deepStrictEqual(included.map(({ path, why }) => [path, why]), [["a.ts", "changed outside this session in the last minute"]])
        const told = yield* Effect.orDie(plan(window, known, facts, included))
        assert.notInclude(told.current ?? "", "a.ts")
        assert.include((yield* Effect.orDie(plan(window, known, facts))).current, "a.ts")
      })))

  it.effect("do not count as the user's edits right after a command of ours", () =>
    inFolder(({ session, window, write }) =>
      Effect.gen(function*() {
        write({ "a.ts": "formatted\n" })
        const call = { _tag: "ToolCall", id: "1", name: "run_command", params: { command: "npm run format" } } as const
        const proposed = { access: [], kind: "command", action: "", decision: "allow", risk: "low", reason: "", offer: [] } as const
        const known = { ...touched(session, { "a.ts": "ours\n" }), calls: [{ call, proposal: proposed, state: "done", outcome: Outcome.succeeded("ok") }] } as const
        const included = yield* Effect.orDie(include(window, known, yield* window.gather(known)))
        assert.deepStrictEqual(included.map(({ why }) => why), ["recently touched; code"])
      })))

  it.effect("include recent changes reported by git, without running anything that the repository configures, trusted or not", () =>
    Effect.gen(function*() {
      const changing = ({ cwd, git, paths, session, write }: Folder) =>
        Effect.gen(function*() {
          write({ "a.ts": "a\n", "b.ts": "b\n", "gone.ts": "x\n" })
          git("init", "-q")
          git("add", ".")
          git("commit", "-qm", "first")
          write({ "a.ts": "changed\n", "new file é.ts": "new\n" })
          write({ "stale.ts": "stale\n" }, now - 99 * 3_600_000)
          rmSync(join(cwd, "gone.ts"))
          git("config", "filter.evil.clean", `touch ${cwd}/ran; cat`)
          write({ ".git/info/attributes": "*.ts filter=evil\n" })
          return [...yield* paths(session)].sort()
        })
      for (const trusted of [true, false]) {
        yield* inFolder((folder) => Effect.map(changing(folder), (paths) => {
          assert.deepStrictEqual(paths, ["a.ts", "new file é.ts"])
          assert.isFalse(existsSync(join(folder.cwd, "ran")))
        }), { trusted })
      }
    }))

  it.effect("have the session's names in a sub-folder of a repository", () =>
    inFolder(({ cwd, git, paths, session, write }) =>
      Effect.gen(function*() {
        write({ "sub/a.ts": "a\n", "b.ts": "b\n" })
        git("init", "-q")
        assert.deepStrictEqual(yield* paths({ ...session, cwd: `${cwd}/sub` }), [])
        assert.deepStrictEqual([...yield* paths({ ...session, id: "t" })].sort(), ["b.ts", "sub/a.ts"])
      })))

  it.effect("never include what rules or risk would prompt for, also through a link", () =>
    inFolder(({ cwd, paths, session, write }) =>
      Effect.gen(function*() {
        write({ ".env": "KEY=1\n", "private/a.ts": "a\n", "b.ts": "b\n" })
        symlinkSync(`${cwd}/private/a.ts`, `${cwd}/link.ts`)
        const known = touched(session, { ".env": "KEY=1\n", "private/a.ts": "a\n", "b.ts": "b\n", "link.ts": "a\n" })
        const denied = { ...known, settings: { ...known.settings, rules: { allow: [], ask: [], deny: ["Read(private/**)"] } } }
        assert.deepStrictEqual(yield* paths(denied), ["b.ts"])
      })))

  it.effect("exclude binaries, folders, large files and empty files", () =>
    inFolder(({ cwd, paths, session, write }) =>
      Effect.gen(function*() {
        const files = { "a.png": "\u0000\u0001", "long.ts": "x\n".repeat(3_000), "huge.ts": "x".repeat(300_000), "empty.ts": "", "b.ts": "b\n" }
        write(files)
        mkdirSync(join(cwd, "folder"))
        assert.deepStrictEqual(yield* paths(touched(session, { ...files, folder: "" })), ["b.ts"])
      })))

  it.effect("score higher if errors name them, or the user names their symbols", () =>
    inFolder(({ session, window, write }) =>
      Effect.gen(function*() {
        const files = { "src/a.ts": "export const parseLine = 1\n", "src/b.ts": "export const other = 1\n", "src/c.ts": "export const third = 1\n" }
        write(files)
        const failed = { _tag: "ToolResult", id: "1", name: "run_command", content: [{ _tag: "Text", text: "src/b.ts:3: error" }], isError: true } as const
        const known: Session.Session = {
          ...touched(session, files, now - 60 * 3_600_000),
          pendingContent: [{ _tag: "Text", text: "Mend parseLine" }],
          messages: [{ role: "assistant", content: [{ _tag: "ToolCall", id: "1", name: "run_command", params: {} }] }, { role: "user", content: [failed] }]
        }
        const included = yield* Effect.orDie(include(window, known, yield* window.gather(known)))
        assert.deepStrictEqual(included.map(({ path, score, why }) => [path, score, why]), [
          ["src/b.ts", 95, "named in a recent error"],
          ["src/a.ts", 85, "named by the user, or defines what the user names"],
          ["src/c.ts", 65, "recently touched; code"]
        ])
      })))

  it.effect("score higher if three earlier sessions touched them with the current files", () =>
    inFolder(({ cwd, session, storage, window, write }) =>
      Effect.gen(function*() {
        const files = { "a.ts": "a\n", "b.ts": "b\n", "c.ts": "c\n" }
        write(files)
        const earlier = (id: string, folder: string, paths: ReadonlyArray<string>) =>
          storage.append(id, paths.map((path, seq) => ({
            seq,
            prev: seq === 0 ? "" : `${seq - 1}`,
            hash: `${seq}`,
            body: JSON.stringify({ v: 1, seq, time: 0, event: { _tag: "FileTouched", path, kind: "modified", hash: "", by: "agent" } })
          })), { sync: false, summary: { cwd: folder, title: "", model: "", created: 0, updated: 0 } })
        yield* Effect.orDie(Effect.forEach(["1", "2", "3"], (id) => earlier(id, cwd, ["a.ts", "b.ts"])))
        yield* Effect.orDie(Effect.forEach(["4", "5", "6"], (id) => earlier(id, "/elsewhere", ["a.ts", "c.ts"])))
        const known = { ...touched(session, files), task: { ...session.task, startedAt: now } }
        const reasons = Effect.gen(function*() {
          const included = yield* Effect.orDie(include(window, known, yield* window.gather(known)))
          return new Map(included.map(({ path, score }) => [path, score]))
        })
        assert.deepStrictEqual(yield* reasons, new Map([["a.ts", 125], ["b.ts", 125], ["c.ts", 125]]))
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(yield* reasons, new Map([["a.ts", 135], ["b.ts", 135], ["c.ts", 125]]))
      })))

  it.effect("are absent if the user turned them off, for subagents, and if files may not be read", () =>
    inFolder(({ paths, session, write }) =>
      Effect.gen(function*() {
        write({ "a.ts": "a\n" })
        const known = touched(session, { "a.ts": "a\n" })
        assert.deepStrictEqual(yield* paths(known), ["a.ts"])
        assert.deepStrictEqual(yield* paths({ ...known, settings: { ...known.settings, autoFiles: 0 } }), [])
        assert.deepStrictEqual(yield* paths({ ...known, parent: "p" }), [])
      })))

  it.effect("leave the cached prefix unchanged", () =>
    inFolder(({ session, window, write }) =>
      Effect.gen(function*() {
        write({ "a.ts": "a\n" })
        const known = touched(session, { "a.ts": "a\n" })
        const facts = yield* window.gather(known)
        const included = yield* Effect.orDie(include(window, known, facts))
        const first = yield* Effect.orDie(plan(window, known, facts, included))
        const sent = Session.apply({ ...known, seq: 0 }, { v: 1, seq: 1, time: now, prev: "", hash: "", event: { _tag: "ContextPlanned", facts, included, tokens: 1, left: [] } })
        assert.deepStrictEqual(sent.messages, first.request.messages)
        const later: Session.Session = { ...sent, pendingContent: [{ _tag: "Text", text: "And now?" }] }
        write({ "a.ts": "changed\n" })
        const changed = yield* window.gather(later)
        const again = yield* Effect.orDie(include(window, later, changed))
        assert.deepStrictEqual(again.map(({ path }) => path), ["a.ts"])
        const second = yield* Effect.orDie(plan(window, later, changed, again))
        assert.deepStrictEqual(second.request.messages.slice(0, 1), first.request.messages)
        assert.strictEqual(second.system, first.system)
      })))
})
