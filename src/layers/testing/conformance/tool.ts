/**
 * What every tool promises, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of tool.cases(MyTool, { samples: [{ path: "notes.md" }] })) it.effect(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as XmlHistory from "../../../domain/message/XmlHistory.ts"
import * as XmlTools from "../../../domain/parser/XmlTools.ts"
import { nothing } from "../../../domain/mcp/Offer.ts"
import * as Reach from "../../../domain/approval/Reach.ts"
import * as Rule from "../../../domain/approval/Rule.ts"
import type { Access } from "../../../domain/tool/Access.ts"
import * as Params from "../../../domain/tool/Params.ts"
import * as ParamSchema from "../../../domain/tool/ParamSchema.ts"
import * as ToolSpec from "../../../domain/tool/ToolSpec.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import { Approver } from "../../../services/Approver.ts"
import { Browser } from "../../../services/Browser.ts"
import type { Diff } from "../../../services/Diff.ts"
import { Environment } from "../../../services/Environment.ts"
import type { Jobs } from "../../../services/Jobs.ts"
import { Shell } from "../../../services/Shell.ts"
import { type Any, ToolContext } from "../../../services/Tool.ts"
import { Web } from "../../../services/Web.ts"
import { Workspace } from "../../../services/Workspace.ts"
import * as DiffLive from "../../diff/DiffLive.ts"
import * as JobsLive from "../../workspace/JobsLive.ts"
import * as FakeShell from "../FakeShell.ts"
import * as MemoryBrowser from "../MemoryBrowser.ts"
import * as MemoryWeb from "../MemoryWeb.ts"
import * as MemoryWorkspace from "../MemoryWorkspace.ts"

export interface Case {
  readonly name: string
  readonly run: Effect.Effect<void>
}

/** What every tool may use. */
export type Usual = Approver | Browser | Diff | Jobs | Shell | ToolContext | Web | Workspace

/**
 * - `samples` are params that the tool can run with; without them they are made from its schema.
 * - `files` are there when it runs; `sample.txt` is unless told.
 * - `services` answers what the tool needs beside the usual services.
 */
export interface Options<R> {
  readonly samples?: ReadonlyArray<Schema.JsonObject>
  readonly files?: Readonly<Record<string, string>>
  readonly services?: Layer.Layer<R>
}

const cwd = "/workspace"
const reach = Reach.of(Result.getOrThrow(Rule.compile({})))
const files: ReadonlyMap<string, string | null> = new Map()

/** The cases of one tool. */
export const cases = <R = never>(tool: Any<R | Usual>, options: Options<R> = {}): ReadonlyArray<Case> => {
  const spec = ToolSpec.fromParams(tool)
  const samples = options.samples ?? [sample(spec.schema)]
  const check = (name: string, body: () => void): Case => ({ name, run: Effect.sync(body) })
  return [
    check("has names that every provider takes, each once", () => {
      const names = [tool.name, ...tool.aliases ?? []]
      for (const name of names) assert.match(name, /^[a-z][a-z0-9_]{0,63}$/)
      assert.equal(new Set(names).size, names.length)
    }),
    check("describes itself and each of its params", () => {
      assert.ok(tool.description.length > 0)
      for (const { description, name } of spec.params) assert.ok(description.length > 0, `${name} has no description`)
    }),
    check("has a closed schema without references", () => closed(spec.schema, tool.name)),
    check("is told the same natively and as XML", () => {
      const xml = ToolSpec.toXml(spec)
      assert.deepEqual(spec.params.map(({ name }) => name), Object.keys(spec.schema.properties ?? {}))
      for (const { name } of spec.params) assert.ok(xml.includes(`- ${name} (`), `${name} is not in the XML`)
    }),
    check("names aliases and raw params of params that it has", () => {
      const own = spec.params.map(({ name }) => name)
      for (const name of [...Object.values(tool.paramAliases ?? {}), ...tool.raw ?? []]) assert.ok(own.includes(name), name)
      for (const alias of Object.keys(tool.paramAliases ?? {})) assert.ok(!own.includes(alias), `${alias} is a param itself`)
    }),
    check("names every field that is missing or wrong, at once", () => {
      const fields = ParamSchema.fields(spec.schema)
      const missing = report(tool, spec, { accepted: "by no tool" })
      for (const { name, required } of fields) {
        if (required && tool.accept === undefined) assert.ok(missing?.includes(`- ${name}: expected `), `${name} is missing in: ${missing}`)
      }
      const wrong = Object.fromEntries(fields.map(({ name }) => [name, [[null]]]))
      const told = report(tool, spec, wrong)
      for (const { name } of fields) assert.match(told ?? "", new RegExp(`- ${name}[\\[.:]`), `${name} is not named`)
    }),
    ...samples.flatMap((params, i) => {
      const which = samples.length === 1 ? "" : ` (sample ${i + 1})`
      return [
        check(`reads from XML what it reads from JSON${which}`, () => {
          const text = XmlHistory.call(tool.name, params, (_, name) => tool.raw?.includes(name) ?? false)
          const [part] = XmlTools.parse(text, { tools: [spec] })
          assert.ok(part?._tag === "ToolCall" && part.malformed === undefined, `no call in ${text}`)
          assert.deepEqual(decoded(tool, spec, part.params as Schema.JsonObject), decoded(tool, spec, params))
        }),
        check(`reads the other names of its params${which}`, () => {
          const other = new Map(Object.entries(tool.paramAliases ?? {}).map(([alias, name]) => [name, alias]))
          const renamed = Object.fromEntries(Object.entries(params).map(([name, value]) => [other.get(name) ?? name, value]))
          assert.deepEqual(decoded(tool, spec, renamed), decoded(tool, spec, params))
        }),
        { name: `touches nothing that it did not say before${which}`, run: touchesWhatItSaid(tool, spec, params, options) }
      ]
    })
  ]
}

const decoded = (tool: Any, spec: ToolSpec.ToolSpec, params: Schema.Json): unknown =>
  Result.match(Params.decode<unknown>(tool, spec, params), {
    onSuccess: ({ params }) => params,
    onFailure: (report) => assert.fail(report)
  })

const report = (tool: Any, spec: ToolSpec.ToolSpec, params: Schema.Json): string | undefined =>
  Result.match(Params.decode<unknown>(tool, spec, params), { onSuccess: () => undefined, onFailure: (report) => report })

const closed = (schema: Schema.Json, at: string): void => {
  if (Array.isArray(schema)) schema.forEach((part, i) => closed(part, `${at}[${i}]`))
  if (!ParamSchema.isObject(schema)) return
  assert.ok(!("$ref" in schema), `${at} has a $ref`)
  if (schema["type"] === "object") assert.equal(schema["additionalProperties"], false, `${at} is open`)
  for (const [key, part] of Object.entries(schema)) closed(part as Schema.Json, `${at}.${key}`)
}

/** Params that fit a schema: every required one, files named `sample.txt`. */
const sample = (schema: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    ParamSchema.fields(schema).filter(({ required }) => required).map(({ name, schema }) => [name, name === "path" ? "sample.txt" : valueOf(schema)])
  )

const valueOf = (schema: Schema.JsonObject): Schema.Json =>
  Array.isArray(schema["enum"]) ? schema["enum"][0] ?? null
  : schema["type"] === "array" ? []
  : schema["type"] === "object" ? sample(schema)
  : schema["type"] === "boolean" ? true
  : schema["type"] === "string" ? "text"
  : 1

/** Something that was done to the world while the tool ran. */
type Deed =
  | { readonly _tag: "Read" | "Edit"; readonly path: string }
  | { readonly _tag: "Command"; readonly command: string; readonly cwd: string }
  | { readonly _tag: "Fetch" | "Browse"; readonly url: string }

const touchesWhatItSaid = <R>(tool: Any<R | Usual>, spec: ToolSpec.ToolSpec, raw: Schema.JsonObject, options: Options<R>): Effect.Effect<void> =>
  Effect.gen(function*() {
    const params = decoded(tool, spec, raw)
    const access = tool.access(params, { cwd, files })
    assert.deepEqual(tool.access(params, { cwd, files }), access, "access is not pure")
    const deeds: Array<Deed> = []
    const outcome = yield* tool.run(params).pipe(Effect.provide(world(options, (deed) => deeds.push(deed))))
    assert.ok(outcome.status !== "denied" && outcome.content.length > 0)
    for (const deed of deeds) assert.ok(access.some((said) => covers(said, deed)), `${JSON.stringify(deed)} is not in ${JSON.stringify(access)}`)
    for (const { kind, path } of outcome.touched ?? []) {
      const deed: Deed = { _tag: kind === "read" ? "Read" : "Edit", path }
      assert.ok(access.some((said) => covers(said, deed)), `${kind} ${path} is not in ${JSON.stringify(access)}`)
      assert.equal(PathName.of(cwd, path), path, `${path} is not the file's one name`)
    }
    const most = deeds.some(({ _tag }) => _tag === "Command") ? "command" : deeds.some(({ _tag }) => _tag === "Edit") ? "edit" : "read"
    const order = ["read", "edit", "command"]
    assert.ok(order.indexOf(tool.kind) >= order.indexOf(most), `a ${tool.kind} tool did what a ${most} tool does`)
  })

const covers = (access: Access, deed: Deed): boolean => {
  if (access._tag === "Command" || deed._tag === "Command") {
    return access._tag === "Command" && deed._tag === "Command" && access.command === deed.command && (access.cwd ?? cwd) === deed.cwd
  }
  if ("url" in deed) return access._tag === deed._tag && "url" in access && access.url === deed.url
  // To change a file is to read it too, and to look for its folder.
  if (access._tag !== "Edit" && (access._tag !== "Read" || deed._tag === "Edit")) return false
  if (access._tag === "Edit" && deed._tag === "Read" && access.path.startsWith(`${deed.path}/`)) return true
  return access.path === "." || access.path === deed.path || deed.path.startsWith(`${access.path}/`)
}

const folders = { home: "/", config: "/", data: "/", state: "/", cache: "/" }
const nowhere = Layer.succeed(Environment, { variables: {}, folders, platform: "linux", version: "0" })

/** A small world that tells what is done to it. */
const world = <R>({ files: texts = { "sample.txt": "one\ntwo\nthree\n" }, services }: Options<R>, tell: (deed: Deed) => void) => {
  const watched = Layer.effect(Workspace, Effect.map(Workspace, (workspace) => {
    const read = (path: string) => tell({ _tag: "Read", path: PathName.of(cwd, path) })
    const edit = (path: string) => tell({ _tag: "Edit", path: PathName.of(cwd, path) })
    return Workspace.of({
      ...workspace,
      stat: (path) => (read(path), workspace.stat(path)),
      readText: (path) => (read(path), workspace.readText(path)),
      readBytes: (path) => (read(path), workspace.readBytes(path)),
      list: (path, options) => (read(path), workspace.list(path, options)),
      search: (path, regex, options) => (read(path), workspace.search(path, regex, options)),
      writeText: (path, text, encoding) => (edit(path), workspace.writeText(path, text, encoding)),
      remove: (path) => (edit(path), workspace.remove(path)),
      move: (path, to) => (edit(path), edit(to), workspace.move(path, to))
    })
  })).pipe(Layer.provide(MemoryWorkspace.layer(MemoryWorkspace.files(texts), cwd)))
  const pages: MemoryWeb.Pages = { "https://docs.test/page": "<h1>Page</h1><p>It says this.</p>" }
  const web = Layer.effect(Web, Effect.map(Web, ({ get }) => Web.of({ get: (asked) => (tell({ _tag: "Fetch", url: asked.url }), get(asked)) }))).pipe(
    Layer.provide(MemoryWeb.layer(pages))
  )
  const browser = Layer.effect(Browser, Effect.map(Browser, ({ close, perform }) => Browser.of({
    close,
    perform: (session, reach, action) => (action._tag === "Open" && tell({ _tag: "Browse", url: action.url }), perform(session, reach, action))
  }))).pipe(Layer.provide(MemoryBrowser.layer(pages)))
  const shell = FakeShell.layer(({ command, cwd }) => Effect.sync(() => (tell({ _tag: "Command", command, cwd }), {})))
  const usual = Layer.mergeAll(
    watched,
    web,
    browser,
    shell,
    JobsLive.layer.pipe(Layer.provide([shell, nowhere])),
    DiffLive.layer,
    Layer.succeed(Approver, Approver.of({
      ask: () => Effect.die(new Error("a tool does not ask for its own approval")),
      question: () => Effect.succeed({ by: "nobody" })
    })),
    Layer.succeed(ToolContext, ToolContext.of({ session: "session", call: "call", cwd, output: () => {}, files, named: () => false, offer: nothing, reach }))
  )
  return services === undefined ? usual as Layer.Layer<Usual | R> : Layer.merge(usual, services)
}
