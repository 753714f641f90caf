/** Small environments for a tool under test: every service that a tool may use, with a wrapper around each call to it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { noServerTools } from "../../../domain/mcp/ServerTools.ts"
import * as BrowserReach from "../../../domain/approval/BrowserReach.ts"
import * as Rule from "../../../domain/approval/Rule.ts"
import type { Access } from "../../../domain/tool/Access.ts"
import * as Truncate from "../../../domain/tool/Truncate.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import { Approver } from "../../../services/Approver.ts"
import { Browser } from "../../../services/Browser.ts"
import type { Diff } from "../../../services/Diff.ts"
import { Environment } from "../../../services/Environment.ts"
import type { BackgroundCommands } from "../../../services/BackgroundCommands.ts"
import { type Command, Shell } from "../../../services/Shell.ts"
import { type AccessContext, ToolContext } from "../../../services/Tool.ts"
import { Web } from "../../../services/Web.ts"
import { Workspace } from "../../../services/Workspace.ts"
import * as DiffLive from "../../diff/DiffLive.ts"
import * as BackgroundCommandsLive from "../../workspace/shell/BackgroundCommandsLive.ts"
import * as FunctionShell from "../../workspace/shell/FunctionShell.ts"
import * as MemoryBrowser from "../MemoryBrowser.ts"
import * as MemoryWeb from "../MemoryWeb.ts"
import * as MemoryWorkspace from "../MemoryWorkspace.ts"

/** What every tool may use. */
export type StandardServices = Approver | Browser | Diff | BackgroundCommands | Shell | ToolContext | Web | Workspace

/**
 * - `files` exist when it runs; `sample.txt` does by default. `pages` are those of the web, `output` is printed by every command.
 * - `services` provides what the tool needs besides the usual services.
 */
export interface Options<R> {
  readonly files?: Readonly<Record<string, string>>
  readonly pages?: MemoryWeb.Pages
  readonly output?: string
  readonly services?: Layer.Layer<R>
}

/** Where calls are made. */
export const context: AccessContext = { cwd: "/workspace", files: new Map() }

const folders = { home: "/", config: "/", data: "/", state: "/", cache: "/" }
const emptyEnvironment = Layer.succeed(Environment, { variables: {}, folders, platform: "linux", version: "0" })

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

/** An operation on the environment. */
export type Operation =
  | { readonly _tag: "Read" | "Edit"; readonly path: string }
  | { readonly _tag: "Command"; readonly command: string; readonly cwd: string }
  | { readonly _tag: "Fetch" | "Browse"; readonly url: string }

/** The wrapper around each service call; it receives the operations of the call. */
export type Instrument = (operations: ReadonlyArray<Operation>) => <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Whether an operation is covered by the declared accesses; paths by their canonical name. */
export const covers = (access: Access, operation: Operation, cwd: string = context.cwd): boolean => {
  if (access._tag === "Command" || operation._tag === "Command") {
    return access._tag === "Command" && operation._tag === "Command" && access.command === operation.command &&
      (access.cwd ?? cwd) === operation.cwd
  }
  if ("url" in operation) return access._tag === operation._tag && "url" in access && access.url === operation.url
  // Changing a file includes reading it, and resolving its folder.
  if (access._tag !== "Edit" && (access._tag !== "Read" || operation._tag === "Edit")) return false
  if (access._tag === "Edit" && operation._tag === "Read" && access.path.startsWith(`${operation.path}/`)) return true
  return access.path === "." || access.path === operation.path || operation.path.startsWith(`${access.path}/`)
}

export const layer = <R>(
  { files = { "sample.txt": "one\ntwo\nthree\n" }, output = "", pages = { [page]: "<h1>Page</h1><p>It says this.</p>" }, services }:
    Options<R>,
  instrument: Instrument
): Layer.Layer<StandardServices | R> => {
  const shell = commands(output, instrument)
  const standard = Layer.mergeAll(
    workspace(files, instrument),
    web(pages, instrument),
    browser(pages, instrument),
    shell,
    BackgroundCommandsLive.layer.pipe(Layer.provide([shell, emptyEnvironment])),
    DiffLive.layer,
    Layer.succeed(
      Approver,
      Approver.of({
        ask: () => Effect.die(new Error("a tool does not ask for its own approval")),
        question: () => instrument([])(Effect.succeed({ by: "nobody" }))
      })
    ),
    Layer.succeed(
      ToolContext,
      ToolContext.of({
        ...context,
        session: "session",
        call: "call",
        output: () => {},
        isReadOnly: true,
        isHostAllowed: () => false,
        offer: noServerTools,
        reach: BrowserReach.of(Result.getOrThrow(Rule.compile({})))
      })
    )
  )
  return services === undefined ? standard as Layer.Layer<StandardServices | R> : Layer.merge(standard, services)
}

const workspace = (files: Readonly<Record<string, string>>, instrument: Instrument) =>
  Layer.effect(
    Workspace,
    Effect.map(Workspace, (memory) => {
      const read = (path: string) => instrument([{ _tag: "Read", path: PathName.relativePath(context.cwd, path) }])
      const edit = (...paths: ReadonlyArray<string>) =>
        instrument(paths.map((path) => ({ _tag: "Edit", path: PathName.relativePath(context.cwd, path) })))
      return Workspace.of({
        roots: memory.roots,
        resolve: (path) => instrument([])(memory.resolve(path)),
        follow: memory.follow,
        stat: (path) => read(path)(memory.stat(path)),
        readText: (path) => read(path)(memory.readText(path)),
        readBytes: (path) => read(path)(memory.readBytes(path)),
        hash: (path) => read(path)(memory.hash(path)),
        names: (maxNames) => read(".")(memory.names(maxNames)),
        list: (path, options) => read(path)(memory.list(path, options)),
        search: (path, regex, options) => read(path)(memory.search(path, regex, options)),
        writeText: (path, text, encoding) => edit(path)(memory.writeText(path, text, encoding)),
        remove: (path) => edit(path)(memory.remove(path)),
        removeFolder: (path) => edit(path)(memory.removeFolder(path)),
        move: (path, to) => edit(path, to)(memory.move(path, to))
      })
    })
  ).pipe(Layer.provide(MemoryWorkspace.layer(MemoryWorkspace.files(files), context.cwd)))

/** Starting a command takes a moment; only its end can take long. */
const commands = (output: string, instrument: Instrument) =>
  Layer.effect(
    Shell,
    Effect.map(Shell, ({ inspect, run, start }) => {
      const record = ({ command, cwd }: Pick<Command, "command" | "cwd">) => instrument([{ _tag: "Command", command, cwd }])
      return Shell.of({
        inspect,
        run: (command) => record(command)(run(command)),
        start: (program) => Effect.map(start(program), ({ exit, ...handle }) => ({ ...handle, exit: record(program)(exit) }))
      })
    })
  ).pipe(
    Layer.provide(
      FunctionShell.layer(({ maxOutputCharacters }) => Effect.succeed({ output: Truncate.middle(output, maxOutputCharacters) }))
    )
  )

const web = (pages: MemoryWeb.Pages, instrument: Instrument) =>
  Layer.effect(
    Web,
    Effect.map(Web, ({ get }) => Web.of({ get: (request) => instrument([{ _tag: "Fetch", url: request.url }])(get(request)) }))
  ).pipe(
    Layer.provide(MemoryWeb.layer(pages))
  )

const browser = (pages: MemoryWeb.Pages, instrument: Instrument) =>
  Layer.effect(
    Browser,
    Effect.map(Browser, ({ close, isInstalled, perform }) =>
      Browser.of({
        isInstalled,
        close: (session) => instrument([])(close(session)),
        perform: (session, reach, action) =>
          instrument(action._tag === "Open" ? [{ _tag: "Browse", url: action.url }] : [])(perform(session, reach, action))
      }))
  ).pipe(Layer.provide(MemoryBrowser.layer(pages)))
