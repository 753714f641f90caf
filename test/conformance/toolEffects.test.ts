/**
 * What each built-in tool does to a real disk and a real network, against what it said that it would touch. Of the disk, the user's
 * part of it counts: a project, and a home beside it. Programs count by their names, and by the files that differ afterwards.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { once } from "node:events"
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import type { Access } from "../../src/domain/tool/Access.ts"
import * as Session from "../../src/domain/session/Session.ts"
import * as PathName from "../../src/domain/workspace/PathName.ts"
import * as BrowserLive from "../../src/layers/browser/BrowserLive.ts"
import * as IdsLive from "../../src/layers/settings/IdsLive.ts"
import * as Chromium from "../../src/layers/browser/Chromium.ts"
import * as SmallFile from "../../src/layers/context/sources/SmallFile.ts"
import * as SkillsLive from "../../src/layers/context/SkillsLive.ts"
import * as DiffLive from "../../src/layers/diff/DiffLive.ts"
import * as WebLive from "../../src/layers/network/WebLive.ts"
import * as ApprovalLive from "../../src/layers/approval/ApprovalLive.ts"
import * as MemoryStorage from "../../src/layers/storage/MemoryStorage.ts"
import * as Fixture from "../../src/layers/testing/conformance/Fixture.ts"
import { builtin } from "../../src/layers/tool/builtin.ts"
import * as ToolsLive from "../../src/layers/tool/ToolsLive.ts"
import * as TreeSitter from "../../src/layers/definitions/TreeSitter.ts"
import * as BackgroundCommandsLive from "../../src/layers/workspace/shell/BackgroundCommandsLive.ts"
import * as NodeWorkspace from "../../src/layers/workspace/files/NodeWorkspace.ts"
import * as ShellLive from "../../src/layers/workspace/shell/ShellLive.ts"
import { Approver } from "../../src/services/Approver.ts"
import { Environment } from "../../src/services/Environment.ts"
import type { Any } from "../../src/services/Tool.ts"
import { Tools } from "../../src/services/Tools.ts"
import { serve } from "../layers/browser/site.ts"
import { docx, paragraph } from "../layers/documents/documents.ts"
import { type Seen, watch } from "./watch.ts"

/** What is called of each tool; `url` is a site on loopback. */
const samples: Readonly<Record<string, (at: { readonly url: string; readonly home: string }) => ReadonlyArray<Schema.JsonObject>>> = {
  apply_patch: () => [
    { patch: "*** Begin Patch\n*** Update File: a.txt\n*** Move to: moved/a.txt\n-two\n+TWO\n*** Add File: new.txt\n+new\n*** End Patch" },
    { patch: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch" }
  ],
  ask_user: () => [{ question: "Which?" }],
  browser: ({ url }) => [{ action: "open", url: `${url}/` }, { action: "screenshot" }, { action: "close" }],
  command_input: () => [{ id: "none", text: "yes" }],
  command_output: () => [{ id: "none" }],
  delegate: () => [{ tasks: [] }],
  edit_file: () => [{ path: "a.txt", old_text: "two", new_text: "TWO" }],
  fetch_url: ({ url }) => [{ url: `${url}/` }],
  finish: () => [{ result: "Done." }],
  list_definitions: () => [{ path: "src" }],
  list_files: () => [{ path: "src", recursive: true }],
  list_prompts: () => [{}],
  mcp_guide: () => [{}],
  present_plan: () => [{ plan: "Look." }],
  read_file: ({ home }) => [{ path: "a.txt" }, { path: "a.docx" }, { path: "none.txt" }, { path: join(home, "secret") }, { path: "src/../../home/secret" }],
  read_resource: () => [{}],
  read_skill: () => [{ name: "review" }],
  run_command: () => [{ command: "cat a.txt > made.txt", cwd: "src" }, { command: "sleep 100", background: true }],
  search_code: () => [{ query: "main" }],
  search_files: () => [{ path: "src", regex: "fun.tion" }],
  search_tools: () => [{ query: "issue" }],
  stop_command: () => [{ id: "none" }],
  update_todo: () => [{ items: [{ text: "look", state: "done" }] }],
  web_search: () => [{ query: "threads" }],
  write_file: () => [{ path: "deep/er/new.txt", content: "new\n" }, { path: "a.txt", content: "one\ntwo\nthree\nfour\n" }]
}

/** A user may have no browser: the tool then says what to install, which has a test of its own. `.ci/run` installs one. */
const works = Chromium.find({ path: process.env["PATH"] ?? "", platform: process.platform }) !== undefined

/** A user's files: a project, and a home beside it; what dacapo keeps for itself is `own`. */
const user = Effect.acquireRelease(
  Effect.sync(() => {
    const root = mkdtempSync(join(tmpdir(), "effects-"))
    const [cwd, home] = [join(root, "project"), join(root, "home")]
    mkdirSync(join(cwd, "src"), { recursive: true })
    mkdirSync(join(home, ".agents/skills/review"), { recursive: true })
    writeFileSync(join(home, "secret"), "secret\n")
    writeFileSync(join(cwd, "a.txt"), "one\ntwo\nthree\n")
    writeFileSync(join(cwd, "b.txt"), "other\n")
    writeFileSync(join(cwd, "a.docx"), docx(paragraph("words")))
    writeFileSync(join(cwd, "src/main.ts"), "export function main() {}\n")
    return { root, cwd, home, own: mkdtempSync(join(tmpdir(), "effects-own-")) }
  }),
  ({ own, root }) => Effect.sync(() => [own, root].forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })))
)

/** Every file beneath a folder, and what tells that it is the same. */
const state = (folder: string): ReadonlyMap<string, string> =>
  new Map(readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
    const { ctimeNs, ino, mode, mtimeNs, size } = lstatSync(join(folder, name), { bigint: true })
    return [name, lstatSync(join(folder, name)).isDirectory() ? `folder ${ino} ${mode}` : [ino, size, mode, mtimeNs, ctimeNs].join(" ")]
  }))

const differing = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))

const world = ({ cwd, home, own }: { readonly cwd: string; readonly home: string; readonly own: string }) => {
  const environment = Layer.succeed(Environment, {
    variables: { PATH: process.env["PATH"], HOME: home },
    folders: { home, config: own, data: own, state: own, cache: own },
    platform: process.platform,
    version: "0"
  })
  return ToolsLive.layer().pipe(Layer.provide([
    ApprovalLive.layer,
    NodeWorkspace.layer({ roots: [cwd] }),
    Layer.provideMerge(BackgroundCommandsLive.layer, ShellLive.layer),
    WebLive.layer,
    Layer.provide(BrowserLive.layer, IdsLive.layer),
    SkillsLive.layer.pipe(Layer.provide(SmallFile.layerMachine), Layer.provide(NodeFileSystem.layer)),
    DiffLive.layer,
    TreeSitter.layer,
    MemoryStorage.layer,
    Layer.succeed(Approver, Approver.of({ ask: () => Effect.die("not asked"), question: () => Effect.succeed({ by: "nobody" }) }))
  ]), Layer.provide(environment))
}

/** Programs that a tool may start for what it said. */
const programs: Readonly<Record<string, RegExp>> = { Browse: /chrom|edge|brave/, Command: /./, Other: /chrom|edge|brave/, Read: /^rg$/ }

/** Why something that was seen is not part of what was said; undefined where it is, or is not the user's. */
const surprise = (access: ReadonlyArray<Access>, { cwd, root }: { readonly cwd: string; readonly root: string }) => (seen: Seen): string | undefined => {
  switch (seen._tag) {
    case "Started":
      return access.some(({ _tag }) => programs[_tag]?.test(basename(seen.program)) === true) ? undefined : `started ${seen.program}`
    case "Connected":
      return access.some((one) => "url" in one && new URL(one.url).host === seen.place) ? undefined : `connected to ${seen.place}`
    default: {
      const isUsers = seen.path.startsWith(`${root}/`)
      // Which files are ignored is part of every look at a folder; the folder of a missing file is looked through for its name.
      const isRule = seen._tag === "Read" && /\/\.(?:gitignore|ignore|dacapoignore|clineignore)$/.test(seen.path)
      const isSkill = seen._tag === "Read" && /\/skills(?:\/|$)/.test(seen.path) && access.some((one) => one._tag === "Other" && one.tool === "read_skill")
      const operation = { _tag: seen._tag, path: PathName.relativePath(cwd, seen.path.replace(/\/\.dacapo-[^/]+$/, "")) }
      const within = access.flatMap((one) => one._tag === "Edit" || (one._tag === "Read" && operation._tag === "Read") ? [one.path] : [])
      const isFolder = operation.path === "." ? within.some((path) => !path.startsWith("/")) : within.some((path) => path.startsWith(`${operation.path}/`))
      const isPart = access.some((one) => Fixture.covers(one, operation, cwd) || one._tag === "Command")
      return !isUsers || isRule || isSkill || isPart || isFolder ? undefined : `${seen._tag} ${seen.path}`
    }
  }
}

const session = (cwd: string, home: string, mode: Session.Session["settings"]["mode"], port: number): Session.Session => ({
  ...Session.empty,
  id: "session",
  cwd,
  home,
  settings: { ...Session.empty.settings, mode, search: { web: { route: "brave" }, code: true }, rules: { allow: [`WebFetch(domain:127.0.0.1:${port})`, `Browser(domain:127.0.0.1:${port})`], ask: [], deny: [] } }
})

describe("each built-in tool, on a real disk and network", () => {
  // Those that are there when servers offer something reach the servers alone.
  for (const { modes, name } of (builtin as ReadonlyArray<Any>).filter(({ when }) => when === undefined)) {
    it.live.skipIf(name === "browser" && !works)(`does only what it declared: ${name}`, () =>
      Effect.gen(function*() {
        const at = yield* user
        const site = yield* Effect.acquireRelease(Effect.promise(() => serve({ "/": "<p>Hello</p>" })), (site) => Effect.promise(() => site[Symbol.asyncDispose]()))
        const calls = samples[name]?.({ url: site.url, home: at.home }) ?? assert.fail(`say in samples how ${name} is called`)
        yield* Effect.provide(Effect.gen(function*() {
          const tools = yield* Tools
          for (const params of calls) {
            const now = session(at.cwd, at.home, modes === "plan" ? "plan" : "default", site.port)
            const call = { _tag: "ToolCall" as const, id: "call", name, params }
            const { access } = Result.getOrThrow(tools.resolve(call, now))
            const before = state(at.root)
            const context = yield* Effect.context()
            const { seen } = yield* Effect.promise(() => watch(() => Effect.runPromiseWith(context)(tools.run(call, now, () => {}))))
            assert.deepStrictEqual(seen.flatMap((one) => surprise(access, at)(one) ?? []), [], JSON.stringify({ params, access }))
            const changed = differing(before, state(at.root)).map((path) => join(at.root, path))
            assert.deepStrictEqual(changed.flatMap((path) => surprise(access, at)({ _tag: "Edit", path }) ?? []), [], JSON.stringify({ params, access }))
            assert.strictEqual(readFileSync(join(at.home, "secret"), "utf8"), "secret\n")
          }
        }), world(at))
      }).pipe(Effect.scoped))
  }

  it.live("the watch detects an undeclared operation", () =>
    Effect.gen(function*() {
      const { cwd, root } = yield* user
      const { seen } = yield* Effect.promise(() => watch(async () => {
        readFileSync(join(cwd, "b.txt"))
        cpSync(join(cwd, "b.txt"), join(cwd, "c.txt"))
      }))
      const said = surprise([{ _tag: "Read", path: "a.txt" }], { cwd, root })
      assert.deepStrictEqual([...new Set(seen.map((one) => said(one)?.replace(root, "")))], ["Read /project/b.txt", "Edit /project/c.txt"])
    }).pipe(Effect.scoped))
})

describe("an interrupt, on a real disk and network", () => {
  /** Processes that this one started, and has not ended. */
  const children = () => readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && / [RSDT] (\d+) /.exec(statOf(pid))?.[1] === String(process.pid))
  const statOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "")
    } catch {
      return ""
    }
  }

  it.live("ends a command, a page and a search within 3 s, and leaves no process and no connection", () =>
    Effect.gen(function*() {
      const at = yield* user
      for (let i = 0; i < 3000; i++) writeFileSync(join(at.cwd, `src/${i}.ts`), "export function some() {}\n".repeat(20))
      const connected = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const deaf = createServer((socket) => {
        connected.resolve()
        socket.on("close", () => gone.resolve()).on("error", () => {}).resume()
      }).listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(deaf, "listening"))
      const { port } = deaf.address() as { readonly port: number }
      const started = Promise.withResolvers<void>()
      const cases: ReadonlyArray<readonly [name: string, params: Schema.JsonObject, begun: Promise<void>]> = [
        ["run_command", { command: "echo started; sleep 100 & sleep 100" }, started.promise],
        ["fetch_url", { url: `http://127.0.0.1:${port}/` }, connected.promise],
        ["search_files", { path: ".", regex: "(some|none).*" }, Promise.resolve()]
      ]
      yield* Effect.provide(Effect.gen(function*() {
        const tools = yield* Tools
        const before = children()
        for (const [name, params, begun] of cases) {
          const call = { _tag: "ToolCall" as const, id: "call", name, params }
          const running = yield* Effect.forkChild(tools.run(call, session(at.cwd, at.home, "default", port), () => started.resolve()), { startImmediately: true })
          yield* Effect.promise(() => begun)
          assert.isTrue(Option.isSome(yield* Effect.timeoutOption(Fiber.interrupt(running), "3 seconds")), name)
          assert.deepStrictEqual(children(), before, name)
        }
        yield* Effect.promise(() => gone.promise)
      }), world(at))
      deaf.close()
    }).pipe(Effect.scoped))
})
