/** The tools over two worlds: files in memory with a scripted shell, and a real folder with a real one. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type * as Schema from "effect/Schema"
import type { Mode } from "../../../src/domain/approval/Mode.ts"
import * as Message from "../../../src/domain/message/Message.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import type { Outcome } from "../../../src/domain/tool/Outcome.ts"
import * as DiffLive from "../../../src/layers/diff/DiffLive.ts"
import * as FunctionShell from "../../../src/layers/workspace/shell/FunctionShell.ts"
import * as MemoryBrowser from "../../../src/layers/testing/MemoryBrowser.ts"
import * as MemoryWeb from "../../../src/layers/testing/MemoryWeb.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as ToolsLive from "../../../src/layers/tool/ToolsLive.ts"
import * as TreeSitter from "../../../src/layers/definitions/TreeSitter.ts"
import * as BackgroundCommandsLive from "../../../src/layers/workspace/shell/BackgroundCommandsLive.ts"
import * as NodeWorkspace from "../../../src/layers/workspace/files/NodeWorkspace.ts"
import * as ShellLive from "../../../src/layers/workspace/shell/ShellLive.ts"
import { Approver, type Reply } from "../../../src/services/Approver.ts"
import { Environment } from "../../../src/services/Environment.ts"
import type { Command, Shell } from "../../../src/services/Shell.ts"
import type { Any } from "../../../src/services/Tool.ts"
import * as ApprovalLive from "../../../src/layers/approval/ApprovalLive.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import { Skills } from "../../../src/services/Skills.ts"
import { Tools } from "../../../src/services/Tools.ts"
import type { Workspace } from "../../../src/services/Workspace.ts"

/** What a test does: calls with their outcomes, and looks at files behind the tools' back. */
export interface Bench {
  readonly session: () => Session.Session
  readonly call: (name: string, params: Schema.Json) => Effect.Effect<Outcome>
  readonly preview: (name: string, params: Schema.Json) => Effect.Effect<string | null>
  readonly read: (path: string) => Effect.Effect<string | null>
  readonly write: (path: string, text: string | Uint8Array) => Effect.Effect<void>
}

export interface Given {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly answers?: Readonly<Record<string, FunctionShell.FunctionResult>>
  readonly onCommand?: (command: Command) => void
  readonly reply?: Reply | Effect.Effect<Reply>
  readonly pages?: MemoryWeb.Pages
  readonly mode?: Mode
  readonly tools?: ReadonlyArray<Any<never>>
}

type Run = <A, E>(given: Given, body: (bench: Bench) => Effect.Effect<A, E>) => Effect.Effect<A, E>

const encoder = new TextEncoder()
const bytesOf = (text: string | Uint8Array) => typeof text === "string" ? encoder.encode(text) : text

const textOf = (bytes: Uint8Array | undefined) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

export const inMemory: Run = (given, body) =>
  Effect.suspend(() => {
    const files: MemoryWorkspace.Files = new Map(Object.entries(given.files ?? {}).map(([path, text]) => [path, bytesOf(text)]))
    const world = Layer.merge(MemoryWorkspace.layer(files), FunctionShell.layer((command) =>
      Effect.sync(() => (given.onCommand?.(command), given.answers?.[command.command]))))
    return Effect.flatMap(bench(given, "/workspace", {
      read: (path) => Effect.sync(() => files.has(path) ? textOf(files.get(path)) : null),
      write: (path, text) => Effect.sync(() => void files.set(path, bytesOf(text)))
    }), body).pipe(Effect.provide(tools(given, world)))
  })

const environment = Layer.succeed(Environment, {
  variables: { PATH: process.env["PATH"], HOME: "/nowhere" },
  folders: { home: "/", config: "/", data: "/", state: "/", cache: join(tmpdir(), "dacapo-test-cache") },
  platform: "linux",
  version: "0"
})

export const onDisk: Run = (given, body) =>
  Effect.gen(function*() {
    const disk = yield* FileSystem.FileSystem
    const root = yield* Effect.orDie(disk.makeTempDirectoryScoped())
    const write = (path: string, text: string | Uint8Array) =>
      disk.makeDirectory(dirname(`${root}/${path}`), { recursive: true }).pipe(
        Effect.andThen(disk.writeFile(`${root}/${path}`, bytesOf(text))),
        Effect.orDie
      )
    yield* Effect.forEach(Object.entries(given.files ?? {}), ([path, text]) => write(path, text))
    const world = Layer.merge(Layer.orDie(NodeWorkspace.layer({ roots: [root] })), ShellLive.layerWith({ graceMs: 300 })).pipe(Layer.provide(environment))
    return yield* Effect.flatMap(bench(given, root, {
      read: (path) => disk.readFile(`${root}/${path}`).pipe(Effect.map(textOf), Effect.orElseSucceed(() => null)),
      write
    }), body).pipe(Effect.provide(tools(given, world)))
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

const tools = ({ pages, reply = { by: "nobody" }, tools = [] }: Given, world: Layer.Layer<Shell | Workspace>) =>
  ToolsLive.layer(...tools).pipe(Layer.provide([
    ApprovalLive.layer,
    world,
    BackgroundCommandsLive.layer.pipe(Layer.provide([world, environment])),
    DiffLive.layer,
    TreeSitter.layer,
    MemoryBrowser.layer(pages),
    MemoryWeb.layer(pages),
    MemoryStorage.layer,
    Layer.mock(Skills)({ list: () => Effect.succeed({ skills: [], skipped: [] }), read: () => Effect.succeed(null) }),
    Layer.succeed(Approver, Approver.of({ ask: () => Effect.die("not asked"), question: () => Effect.isEffect(reply) ? reply : Effect.succeed(reply) }))
  ]))

/** Keeps what each outcome touched, as the session's fold does. */
const bench = (given: Given, cwd: string, files: Pick<Bench, "read" | "write">): Effect.Effect<Bench, never, Tools> =>
  Effect.map(Tools, (tools) => {
    const seen = new Map<string, string | null>()
    const session = (): Session.Session => ({
      ...Session.empty,
      id: "session",
      cwd,
      settings: { ...Session.empty.settings, mode: given.mode ?? "default" },
      files: seen
    })
    let calls = 0
    const call = (name: string, params: Schema.Json) => ({ _tag: "ToolCall" as const, id: `call_${++calls}`, name, params })
    return {
      ...files,
      session,
      call: (name, params) =>
        tools.run(call(name, params), session(), () => {}).pipe(
          Effect.tap(({ touched = [] }) => Effect.sync(() => touched.forEach(({ hash, path }) => seen.set(path, hash))))
        ),
      preview: (name, params) => tools.preview(call(name, params), session())
    }
  })

/** What the model reads. */
export const text = (outcome: Outcome): string => Message.text(outcome.content)
