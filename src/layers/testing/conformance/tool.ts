/**
 * The contract of every tool, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of ToolConformance.cases(MyTool, { samples: [{ path: "notes.md" }] })) it.effect(name, () => run)
 */
import * as assert from "node:assert/strict"
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
import { withRealClock } from "../../../services/process/RealClock.ts"
import type { StandardServices } from "./Fixture.ts"
import * as Fixture from "./Fixture.ts"

/** One promise of every tool; the effect fails if it is broken. */
export interface Case {
  readonly name: string
  readonly run: Effect.Effect<void>
}

export type { StandardServices } from "./Fixture.ts"

/** `samples` are params that the tool can run with; by default they are made from its schema. */
export interface Options<R> extends Fixture.Options<R> {
  readonly samples?: ReadonlyArray<Schema.JsonObject>
}

/** The cases of one tool. */
export const cases = <R = never>(tool: Any<R | StandardServices>, options: Options<R> = {}): ReadonlyArray<Case> => {
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
    check("has a closed schema without references", () => assertClosed(spec.schema, tool.name)),
    check("is told the same natively and as XML", () => {
      const xml = ToolSpec.toXml(spec)
      assert.deepEqual(spec.params.map(({ name }) => name), Object.keys(spec.schema.properties ?? {}))
      for (const { name } of spec.params) assert.ok(xml.includes(`- ${name} (`), `${name} is not in the XML`)
    }),
    check("names aliases and raw params of params that it has", () => {
      const paramNames = spec.params.map(({ name }) => name)
      for (const name of [...Object.values(tool.paramAliases ?? {}), ...tool.raw ?? []]) assert.ok(paramNames.includes(name), name)
      for (const alias of Object.keys(tool.paramAliases ?? {})) assert.ok(!paramNames.includes(alias), `${alias} is a param itself`)
    }),
    check("names every field that is missing or wrong, at once", () => {
      const fields = ParamSchema.fields(spec.schema)
      const missingReport = report(tool, spec, { accepted: "by no tool" })
      for (const { name, required } of fields) {
        if (required && tool.accept === undefined)
          assert.ok(missingReport?.includes(`- ${name}: expected `), `${name} is missing in: ${missingReport}`)
      }
      const wrongParams = Object.fromEntries(fields.map(({ name }) => [name, [[null]]]))
      const wrongReport = report(tool, spec, wrongParams)
      for (const { name } of fields) assert.match(wrongReport ?? "", new RegExp(`- ${name}[\\[.:]`), `${name} is not named`)
    }),
    ...samples.flatMap((params, i) => {
      const suffix = samples.length === 1 ? "" : ` (sample ${i + 1})`
      return [
        check(`reads from XML what it reads from JSON${suffix}`, () => {
          const text = XmlHistory.call(tool.name, params, (_, name) => tool.raw?.includes(name) ?? false)
          const [part] = XmlTools.parse(text, { tools: [spec] })
          assert.ok(part?._tag === "ToolCall" && part.malformed === undefined, `no call in ${text}`)
          assert.deepEqual(decode(tool, spec, part.params as Schema.JsonObject), decode(tool, spec, params))
        }),
        check(`reads the other names of its params${suffix}`, () => {
          const aliasOf = new Map(Object.entries(tool.paramAliases ?? {}).map(([alias, name]) => [name, alias]))
          const aliasedParams = Object.fromEntries(Object.entries(params).map(([name, value]) => [aliasOf.get(name) ?? name, value]))
          assert.deepEqual(decode(tool, spec, aliasedParams), decode(tool, spec, params))
        }),
        { name: `touches nothing that it did not say before${suffix}`, run: touchesDeclaredAccess(tool, spec, params, options) },
        { name: `ends when it is interrupted, and what it began with it${suffix}`, run: endsWhenInterrupted(tool, spec, params, options) },
        { name: `says no more than a result may hold${suffix}`, run: staysWithinLimits(tool, spec, params, options) }
      ]
    })
  ]
}

const decode = (tool: Any, spec: ToolSpec.ToolSpec, params: Schema.Json): unknown =>
  Result.match(Params.decode<unknown>(tool, spec, params), {
    onSuccess: ({ params }) => params,
    onFailure: (report) => assert.fail(report)
  })

const report = (tool: Any, spec: ToolSpec.ToolSpec, params: Schema.Json): string | undefined =>
  Result.match(Params.decode<unknown>(tool, spec, params), { onSuccess: () => undefined, onFailure: (report) => report })

const assertClosed = (schema: Schema.Json, at: string): void => {
  if (Array.isArray(schema)) schema.forEach((part, i) => assertClosed(part, `${at}[${i}]`))
  if (!ParamSchema.isObject(schema)) return
  assert.ok(!("$ref" in schema), `${at} has a $ref`)
  if (schema["type"] === "object") assert.equal(schema["additionalProperties"], false, `${at} is open`)
  for (const [key, part] of Object.entries(schema)) assertClosed(part as Schema.Json, `${at}.${key}`)
}

/** Params that fit a schema: every required one, files named `sample.txt`. */
const sample = (schema: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    ParamSchema.fields(schema).filter(({ required }) => required).map((
      { name, schema }
    ) => [name, name === "path" ? "sample.txt" : valueOf(schema)])
  )

const valueOf = (schema: Schema.JsonObject): Schema.Json =>
  Array.isArray(schema["enum"]) ? schema["enum"][0] ?? null
    : schema["type"] === "array" ? []
    : schema["type"] === "object" ? sample(schema)
    : schema["type"] === "boolean" ? true
    : schema["type"] === "string" ? "text"
    : 1

const touchesDeclaredAccess = <R>(
  tool: Any<R | StandardServices>,
  spec: ToolSpec.ToolSpec,
  raw: Schema.JsonObject,
  options: Options<R>
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const params = decode(tool, spec, raw)
    const access = tool.access(params, Fixture.context)
    assert.deepEqual(tool.access(params, Fixture.context), access, "access is not pure")
    const operations: Array<Fixture.Operation> = []
    const record: Fixture.Instrument = (batch) => (effect) => Effect.andThen(Effect.sync(() => operations.push(...batch)), effect)
    const outcome = yield* tool.run(params).pipe(Effect.provide(Fixture.layer(options, record)))
    assert.ok(outcome.status !== "denied" && outcome.content.length > 0)
    for (const operation of operations)
      assert.ok(
        access.some((entry) => Fixture.covers(entry, operation)),
        `${JSON.stringify(operation)} is not in ${JSON.stringify(access)}`
      )
    for (const { kind, path } of outcome.touched ?? []) {
      const operation: Fixture.Operation = { _tag: kind === "read" ? "Read" : "Edit", path }
      assert.ok(access.some((entry) => Fixture.covers(entry, operation)), `${kind} ${path} is not in ${JSON.stringify(access)}`)
      assert.equal(PathName.relativePath(Fixture.context.cwd, path), path, `${path} is not the file's one name`)
    }
    const requiredKind = operations.some(({ _tag }) => _tag === "Command") ? "command"
      : operations.some(({ _tag }) => _tag === "Edit") ? "edit" : "read"
    const order = ["read", "edit", "command"]
    assert.ok(order.indexOf(tool.kind) >= order.indexOf(requiredKind), `a ${tool.kind} tool did what a ${requiredKind} tool does`)
  })

/** Seconds that a tool may take to end. */
const timeoutSeconds = 3

/**
 * In an environment that hangs: at the first service call, or at the second, and so on. A change to a file completes by
 * itself: it is atomic.
 */
const endsWhenInterrupted = <R>(
  tool: Any<R | StandardServices>,
  spec: ToolSpec.ToolSpec,
  raw: Schema.JsonObject,
  options: Options<R>
): Effect.Effect<void> =>
  Effect.gen(function*() {
    let callCount = 0
    while (yield* stallsAfter(callCount, tool.run(decode(tool, spec, raw)), options)) callCount++
  })

/** Whether it reached the call that hangs. */
const stallsAfter = Effect.fnUntraced(
  function*<R>(callCount: number, run: ReturnType<Any<R | StandardServices>["run"]>, options: Options<R>) {
    const stall = yield* Deferred.make<void>()
    let calls = 0
    let openCount = 0
    const instrument: Fixture.Instrument = (operations) => (effect) =>
      Effect.suspend(() => {
        if (operations.some(({ _tag }) => _tag === "Edit") || calls++ !== callCount) return effect
        openCount++
        return Effect.andThen(Deferred.succeed(stall, undefined), Effect.never).pipe(Effect.ensuring(Effect.sync(() => void openCount--)))
      })
    const fiber = yield* Effect.forkChild(Effect.provide(run, Fixture.layer(options, instrument)))
    yield* Effect.raceFirst(Deferred.await(stall), Fiber.await(fiber))
    const exit = yield* Fiber.interrupt(fiber).pipe(
      Effect.timeoutOption(`${timeoutSeconds} seconds`),
      withRealClock
    )
    assert.ok(Option.isSome(exit), `it runs for more than ${timeoutSeconds} s`)
    assert.equal(openCount, 0, "something that it asked for is still under way")
    return calls > callCount
  }
)

/** In an environment with too much of everything. */
const staysWithinLimits = <R>(
  tool: Any<R | StandardServices>,
  spec: ToolSpec.ToolSpec,
  raw: Schema.JsonObject,
  options: Options<R>
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { content } = yield* tool.run(decode(tool, spec, raw)).pipe(
      Effect.provide(Fixture.layer({ ...options, ...Fixture.flood }, () => (effect) => effect))
    )
    const characters = Message.text(content).length
    assert.ok(characters <= maxCharacters, `it says ${characters} characters, and a result holds ${maxCharacters}`)
  })

/** Characters of one result. */
const maxCharacters = 60_000
