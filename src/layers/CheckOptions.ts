/** Checks options of `createAgent` and of its runs for programs without types: a wrong one would be ignored, or fail later. */
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Mode } from "../domain/approval/Mode.ts"
import { similarNames } from "../domain/provider/SimilarNames.ts"
import { SessionSettings } from "../domain/session/SessionSettings.ts"
import type * as Sandbox from "../domain/tool/Sandbox.ts"

/** What is wrong with the value of an option, as a sentence without its period; undefined if nothing is. */
export type Check = (value: unknown, name: string) => string | undefined

const is = (expected: string, accepts: (value: unknown) => boolean): Check => (value, name) =>
  accepts(value) ? undefined : `\`${name}\` must be ${expected}, not ${kindOf(value)}`

const kindOf = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value)
    : typeof value === "function" ? "a function"
    : typeof value !== "object" || value === null ? String(value)
    : Array.isArray(value) ? "a list" : "an object"

/** Those of the session's settings that have no check of their own below. `fallbacks` is what a list of `fallback` becomes. */
const { fallbacks: _, ...settings } = SessionSettings.fields

/** A part of the session's settings: as its schema says. */
const setting = (schema: Schema.Codec<unknown, unknown>): Check => (value, name) =>
  Result.match(Schema.decodeUnknownResult(Schema.toType(schema))(value), {
    onSuccess: () => undefined,
    onFailure: ({ message }) => `\`${name}\` is invalid: ${message.replace(/\s*\n\s*/g, " ")}`
  })

const oneOf = (names: ReadonlyArray<string>): Check =>
  is(names.map((name) => JSON.stringify(name)).join(" or "), (value) => names.includes(value as string))

/** By name: the module of the schema is one that only a sandbox needs. */
const sandboxModes: Readonly<Record<Sandbox.Mode, true>> = { "read-only": true, "workspace-write": true, "danger-full-access": true }
const sandboxMode = oneOf(Object.keys(sandboxModes))

const sandbox: Check = (value, name) => {
  const { mode, network, ...others } = Object(value)
  return Object.keys(others).length > 0 || !/boolean|undefined/.test(typeof network) ? `\`${name}\` must be { mode, network }`
    : mode === undefined ? undefined : sandboxMode(mode, `${name}.mode`)
}

const text = is("a text", (value) => typeof value === "string")
const func = is("a function", (value) => typeof value === "function")
const list = is("a list", Array.isArray)

/** A list of objects with at least these properties. */
const listOf = (properties: Readonly<Record<string, Check>>): Check => (value, name) => {
  if (!Array.isArray(value)) return list(value, name)
  for (const [index, one] of value.entries()) {
    for (const [property, check] of Object.entries(properties)) {
      const fault = check(one?.[property], `${name}[${index}].${property}`)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

/** The same check for several options. */
const each = <K extends string>(check: Check, names: K) =>
  Object.fromEntries(names.split(" ").map((name) => [name, check])) as Readonly<Record<Words<K>, Check>>

type Words<S extends string> = S extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : S

/** By the option's name: those that are no settings of a session, and those that say more than their schema. */
export const checks = {
  ...each(text, "apiKey baseUrl cheap cwd home id model name parent plan toolFormat"),
  ...each(func, "answer approve"),
  ...each(is("an object", (value) => typeof value === "object"), "mcpServers prices"),
  bare: is("true or false", (value) => typeof value === "boolean"),
  fallback: is("a model or a list of models", (value) => typeof value === "string" || Array.isArray(value)),
  mode: oneOf(Mode.literals),
  routes: listOf({ name: text, keys: list, connect: func }),
  sandbox,
  shell: is("a function or a layer", (value) => typeof value === "function" || Layer.isLayer(value)),
  storage: is("\"memory\" or a layer", (value) => value === "memory" || Layer.isLayer(value)),
  tools: listOf({
    name: text,
    description: text,
    params: is("a Schema of Effect", Schema.isSchema),
    kind: oneOf(["read", "edit", "command"]),
    tags: list,
    access: func,
    run: func
  }),
  workspace: is("a layer", Layer.isLayer)
}

/** The first problem as a sentence; undefined if there is none. An optional one may be undefined. */
export const problem = (options: object): string | undefined =>
  firstProblem("createAgent", { ...settings, ...checks }, { cwd: undefined, model: undefined, ...options }, ["cwd", "model"])

const runChecks = {
  images: list,
  signal: is("an AbortSignal", (value) => typeof Object(value).addEventListener === "function" && "aborted" in Object(value))
}

/** The options of each method that runs a task. */
const methods = { run: { ...runChecks, schema: is("a Schema of Effect", Schema.isSchema) }, stream: runChecks }

/** The same for a run. */
export const runProblem = (method: keyof typeof methods, options: object): string | undefined =>
  firstProblem(method, methods[method], options, [])

const firstProblem = (
  functionName: string,
  checks: Readonly<Record<string, Check | Schema.Codec<unknown, unknown>>>,
  options: object,
  required: ReadonlyArray<string>
): string | undefined => {
  for (const [name, value] of Object.entries(options ?? {})) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) {
      const [near] = similarNames(name, Object.keys(checks))
      return `\`${name}\` is not an option of ${functionName}.${near === undefined ? "" : ` Did you mean \`${near}\`?`}`
    }
    const fault = value === undefined && !required.includes(name) ? undefined
      : (Schema.isSchema(check) ? setting(check) : check)(value, name)
    if (fault !== undefined) return `${fault}.`
  }
  return undefined
}
