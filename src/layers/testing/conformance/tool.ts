/**
 * What every tool promises, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of tool.cases(MyTool, { samples: [{ path: "notes.md" }] })) it.effect(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Message from "../../../domain/message/Message.ts"
import * as XmlHistory from "../../../domain/message/XmlHistory.ts"
import * as XmlTools from "../../../domain/parser/xml/XmlTools.ts"
import * as Params from "../../../domain/tool/Params.ts"
import * as ParamSchema from "../../../domain/tool/ParamSchema.ts"
import * as ToolSpec from "../../../domain/tool/ToolSpec.ts"
import * as PathName from "../../../domain/workspace/PathName.ts"
import type { Any } from "../../../services/Tool.ts"
import type { Usual } from "./Fixture.ts"
import * as World from "./Fixture.ts"

export interface Case {
  readonly name: string
  readonly run: Effect.Effect<void>
}

export type { Usual } from "./Fixture.ts"

/** `samples` are params that the tool can run with; without them they are made from its schema. */
export interface Options<R> extends World.Options<R> {
  readonly samples?: ReadonlyArray<Schema.JsonObject>
}

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
        { name: `touches nothing that it did not say before${which}`, run: touchesWhatItSaid(tool, spec, params, options) },
        { name: `ends when it is interrupted, and what it began with it${which}`, run: endsWhenInterrupted(tool, spec, params, options) },
        { name: `says no more than a result may hold${which}`, run: keepsItsLimits(tool, spec, params, options) }
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

const touchesWhatItSaid = <R>(tool: Any<R | Usual>, spec: ToolSpec.ToolSpec, raw: Schema.JsonObject, options: Options<R>): Effect.Effect<void> =>
  Effect.gen(function*() {
    const params = decoded(tool, spec, raw)
    const access = tool.access(params, World.at)
    assert.deepEqual(tool.access(params, World.at), access, "access is not pure")
    const deeds: Array<World.Deed> = []
    const told: World.Around = (done) => (effect) => Effect.andThen(Effect.sync(() => deeds.push(...done)), effect)
    const outcome = yield* tool.run(params).pipe(Effect.provide(World.layer(options, told)))
    assert.ok(outcome.status !== "denied" && outcome.content.length > 0)
    for (const deed of deeds) assert.ok(access.some((said) => World.covers(said, deed)), `${JSON.stringify(deed)} is not in ${JSON.stringify(access)}`)
    for (const { kind, path } of outcome.touched ?? []) {
      const deed: World.Deed = { _tag: kind === "read" ? "Read" : "Edit", path }
      assert.ok(access.some((said) => World.covers(said, deed)), `${kind} ${path} is not in ${JSON.stringify(access)}`)
      assert.equal(PathName.of(World.at.cwd, path), path, `${path} is not the file's one name`)
    }
    const most = deeds.some(({ _tag }) => _tag === "Command") ? "command" : deeds.some(({ _tag }) => _tag === "Edit") ? "edit" : "read"
    const order = ["read", "edit", "command"]
    assert.ok(order.indexOf(tool.kind) >= order.indexOf(most), `a ${tool.kind} tool did what a ${most} tool does`)
  })

/** Seconds that a tool may take to end. */
const patience = 3

/** In a world that stops answering: at the first thing that it asks for, or at the second, and so on. A change to a file ends by itself: it is whole or not at all. */
const endsWhenInterrupted = <R>(tool: Any<R | Usual>, spec: ToolSpec.ToolSpec, raw: Schema.JsonObject, options: Options<R>): Effect.Effect<void> =>
  Effect.gen(function*() {
    let answers = 0
    while (yield* stallsAfter(answers, tool.run(decoded(tool, spec, raw)), options)) answers++
  })

/** Whether it came to the thing that is not answered. */
const stallsAfter = Effect.fnUntraced(function*<R>(answers: number, run: ReturnType<Any<R | Usual>["run"]>, options: Options<R>) {
  const stalled = yield* Deferred.make<void>()
  let asked = 0
  let open = 0
  const around: World.Around = (deeds) => (effect) =>
    Effect.suspend(() => {
      if (deeds.some(({ _tag }) => _tag === "Edit") || asked++ !== answers) return effect
      open++
      return Effect.andThen(Deferred.succeed(stalled, undefined), Effect.never).pipe(Effect.ensuring(Effect.sync(() => void open--)))
    })
  const running = yield* Effect.forkChild(Effect.provide(run, World.layer(options, around)))
  yield* Effect.raceFirst(Deferred.await(stalled), Fiber.await(running))
  const ended = yield* Fiber.interrupt(running).pipe(Effect.timeoutOption(`${patience} seconds`), Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))
  assert.ok(Option.isSome(ended), `it goes on for more than ${patience} s`)
  assert.equal(open, 0, "something that it asked for is still under way")
  return asked > answers
})

/** In a world where there is too much of everything. */
const keepsItsLimits = <R>(tool: Any<R | Usual>, spec: ToolSpec.ToolSpec, raw: Schema.JsonObject, options: Options<R>): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { content } = yield* tool.run(decoded(tool, spec, raw)).pipe(Effect.provide(World.layer({ ...options, ...World.flood }, () => (effect) => effect)))
    const characters = Message.text(content).length
    assert.ok(characters <= most, `it says ${characters} characters, and a result holds ${most}`)
  })

/** Characters of one result. */
const most = 60_000
