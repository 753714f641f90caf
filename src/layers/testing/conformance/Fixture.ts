/** Small worlds for a tool under test: every service that a tool may use, with something around each thing that is asked of it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { nothing } from "../../../domain/mcp/ServerTools.ts"
import * as Reach from "../../../domain/approval/BrowserReach.ts"
import * as Rule from "../../../domain/approval/Rule.ts"
import type { Access } from "../../../domain/tool/Access.ts"
import * as Clip from "../../../domain/tool/Clip.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import { Approver } from "../../../services/Approver.ts"
import { Browser } from "../../../services/Browser.ts"
import type { Diff } from "../../../services/Diff.ts"
import { Environment } from "../../../services/Environment.ts"
import type { Jobs } from "../../../services/BackgroundCommands.ts"
import { type Command, Shell } from "../../../services/Shell.ts"
import { type At, ToolContext } from "../../../services/Tool.ts"
import { Web } from "../../../services/Web.ts"
import { Workspace } from "../../../services/Workspace.ts"
import * as DiffLive from "../../diff/DiffLive.ts"
import * as JobsLive from "../../workspace/shell/BackgroundCommandsLive.ts"
import * as FakeShell from "../FakeShell.ts"
import * as MemoryBrowser from "../MemoryBrowser.ts"
import * as MemoryWeb from "../MemoryWeb.ts"
import * as MemoryWorkspace from "../MemoryWorkspace.ts"

/** What every tool may use. */
export type Usual = Approver | Browser | Diff | Jobs | Shell | ToolContext | Web | Workspace

/**
 * - `files` are there when it runs; `sample.txt` is unless told. `pages` are those of the web, `output` what every command says.
 * - `services` answers what the tool needs beside the usual services.
 */
export interface Options<R> {
  readonly files?: Readonly<Record<string, string>>
  readonly pages?: MemoryWeb.Pages
  readonly output?: string
  readonly services?: Layer.Layer<R>
}

/** Where calls are made. */
export const at: At = { cwd: "/workspace", files: new Map() }

const folders = { home: "/", config: "/", data: "/", state: "/", cache: "/" }
const nowhere = Layer.succeed(Environment, { variables: {}, folders, platform: "linux", version: "0" })

const page = "https://docs.test/page"

/** Too much of everything: lines, files, hits, output. */
export const flood = {
  files: Object.fromEntries([
    ["sample.txt", "one\ntwo, and so on to the end of a line\nthree\n".repeat(20_000)],
    ...Array.from({ length: 1000 }, (_, i) => [`many/of/them/${i}-${"x".repeat(150)}.txt`, "two\n"] as const)
  ]),
  pages: { [page]: `<h1>Page</h1>${"<p>It says this, and says it again.</p>".repeat(20_000)}` },
  output: "a line of output\n".repeat(100_000)
} satisfies Options<never>

/** Something that is done to the world. */
export type Deed =
  | { readonly _tag: "Read" | "Edit"; readonly path: string }
  | { readonly _tag: "Command"; readonly command: string; readonly cwd: string }
  | { readonly _tag: "Fetch" | "Browse"; readonly url: string }

/** What stands around each thing that is asked of a service; the deeds are what it does. */
export type Around = (deeds: ReadonlyArray<Deed>) => <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Whether a deed is part of what was said before; paths by their one name. */
export const covers = (access: Access, deed: Deed, cwd: string = at.cwd): boolean => {
  if (access._tag === "Command" || deed._tag === "Command") {
    return access._tag === "Command" && deed._tag === "Command" && access.command === deed.command && (access.cwd ?? cwd) === deed.cwd
  }
  if ("url" in deed) return access._tag === deed._tag && "url" in access && access.url === deed.url
  // To change a file is to read it too, and to look for its folder.
  if (access._tag !== "Edit" && (access._tag !== "Read" || deed._tag === "Edit")) return false
  if (access._tag === "Edit" && deed._tag === "Read" && access.path.startsWith(`${deed.path}/`)) return true
  return access.path === "." || access.path === deed.path || deed.path.startsWith(`${access.path}/`)
}

export const layer = <R>(
  { files = { "sample.txt": "one\ntwo\nthree\n" }, output = "", pages = { [page]: "<h1>Page</h1><p>It says this.</p>" }, services }: Options<R>,
  around: Around
): Layer.Layer<Usual | R> => {
  const shell = commands(output, around)
  const usual = Layer.mergeAll(
    workspace(files, around),
    web(pages, around),
    browser(pages, around),
    shell,
    JobsLive.layer.pipe(Layer.provide([shell, nowhere])),
    DiffLive.layer,
    Layer.succeed(Approver, Approver.of({
      ask: () => Effect.die(new Error("a tool does not ask for its own approval")),
      question: () => around([])(Effect.succeed({ by: "nobody" }))
    })),
    Layer.succeed(ToolContext, ToolContext.of({
      ...at,
      session: "session",
      call: "call",
      output: () => {},
      named: () => false,
      offer: nothing,
      reach: Reach.of(Result.getOrThrow(Rule.compile({})))
    }))
  )
  return services === undefined ? usual as Layer.Layer<Usual | R> : Layer.merge(usual, services)
}

const workspace = (files: Readonly<Record<string, string>>, around: Around) =>
  Layer.effect(Workspace, Effect.map(Workspace, (there) => {
    const read = (path: string) => around([{ _tag: "Read", path: PathName.of(at.cwd, path) }])
    const edit = (...paths: ReadonlyArray<string>) => around(paths.map((path) => ({ _tag: "Edit", path: PathName.of(at.cwd, path) })))
    return Workspace.of({
      roots: there.roots,
      resolve: (path) => around([])(there.resolve(path)),
      stat: (path) => read(path)(there.stat(path)),
      readText: (path) => read(path)(there.readText(path)),
      readBytes: (path) => read(path)(there.readBytes(path)),
      names: (most) => read(".")(there.names(most)),
      list: (path, options) => read(path)(there.list(path, options)),
      search: (path, regex, options) => read(path)(there.search(path, regex, options)),
      writeText: (path, text, encoding) => edit(path)(there.writeText(path, text, encoding)),
      remove: (path) => edit(path)(there.remove(path)),
      removeFolder: (path) => edit(path)(there.removeFolder(path)),
      move: (path, to) => edit(path, to)(there.move(path, to))
    })
  })).pipe(Layer.provide(MemoryWorkspace.layer(MemoryWorkspace.files(files), at.cwd)))

/** A command is begun in a moment; what can take long is its end. */
const commands = (output: string, around: Around) =>
  Layer.effect(Shell, Effect.map(Shell, ({ run, start }) => {
    const told = ({ command, cwd }: Pick<Command, "command" | "cwd">) => around([{ _tag: "Command", command, cwd }])
    return Shell.of({
      run: (command) => told(command)(run(command)),
      start: (program) => Effect.map(start(program), ({ exit, ...started }) => ({ ...started, exit: told(program)(exit) }))
    })
  })).pipe(Layer.provide(FakeShell.layer(({ keep }) => Effect.succeed({ output: Clip.middle(output, keep) }))))

const web = (pages: MemoryWeb.Pages, around: Around) =>
  Layer.effect(Web, Effect.map(Web, ({ get }) => Web.of({ get: (asked) => around([{ _tag: "Fetch", url: asked.url }])(get(asked)) }))).pipe(
    Layer.provide(MemoryWeb.layer(pages))
  )

const browser = (pages: MemoryWeb.Pages, around: Around) =>
  Layer.effect(Browser, Effect.map(Browser, ({ close, perform }) => Browser.of({
    close: (session) => around([])(close(session)),
    perform: (session, reach, action) => around(action._tag === "Open" ? [{ _tag: "Browse", url: action.url }] : [])(perform(session, reach, action))
  }))).pipe(Layer.provide(MemoryBrowser.layer(pages)))
