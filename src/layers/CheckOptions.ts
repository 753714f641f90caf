/** Checks the options of `createAgent` for programs without types: a wrong one would be ignored, or fail later as something else. */
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Mode } from "../domain/approval/Mode.ts"
import { similarNames } from "../domain/provider/SimilarNames.ts"
import { SessionSettings } from "../domain/session/SessionSettings.ts"
import type * as Sandbox from "../domain/tool/Sandbox.ts"

/** What is wrong with a value, after the option's name; undefined if nothing is. */
export type Check = (value: unknown) => string | undefined

const is = (expected: string, accepts: (value: unknown) => boolean): Check => (value) =>
  accepts(value) ? undefined
    : `must be ${expected}, not ${typeof value === "object" ? "an object" : JSON.stringify(value) ?? String(value)}`

/** Those of the session's settings that have no check of their own below. `fallbacks` is what a list of `fallback` becomes. */
const { fallbacks: _, ...settings } = SessionSettings.fields

/** A part of the session's settings: as its schema says. */
const setting = (schema: Schema.Codec<unknown, unknown>): Check => (value) =>
  Result.match(Schema.decodeUnknownResult(Schema.toType(schema))(value), {
    onSuccess: () => undefined,
    onFailure: ({ message }) => `is invalid: ${message.replace(/\s*\n\s*/g, " ")}`
  })

const oneOf = (names: ReadonlyArray<string>): Check =>
  is(names.map((name) => JSON.stringify(name)).join(" or "), (value) => names.includes(value as string))

/** By name: the module of the schema is one that only a sandbox needs. */
const sandboxModes: Readonly<Record<Sandbox.Mode, true>> = { "read-only": true, "workspace-write": true, "danger-full-access": true }
const sandboxMode = oneOf(Object.keys(sandboxModes))

const sandbox: Check = (value) => {
  const { mode, network, ...others } = Object(value)
  return Object.keys(others).length > 0 || !/boolean|undefined/.test(typeof network) ? "must be { mode, network }"
    : mode === undefined ? undefined : sandboxMode(mode)
}

/** The same check for several options. */
const each = <K extends string>(check: Check, names: K) =>
  Object.fromEntries(names.split(" ").map((name) => [name, check])) as Readonly<Record<Words<K>, Check>>

type Words<S extends string> = S extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : S

/** By the option's name: those that are no settings of a session, and those that say more than their schema. */
export const checks = {
  ...each(is("a text", (value) => typeof value === "string"), "apiKey baseUrl cheap cwd home id model name parent plan toolFormat"),
  ...each(is("a function", (value) => typeof value === "function"), "answer approve"),
  ...each(is("an object", (value) => typeof value === "object"), "mcpServers prices"),
  ...each(is("a list", Array.isArray), "routes tools"),
  bare: is("true or false", (value) => typeof value === "boolean"),
  fallback: is("a model or a list of models", (value) => typeof value === "string" || Array.isArray(value)),
  mode: oneOf(Mode.literals),
  sandbox,
  shell: is("a function or a layer", (value) => typeof value === "function" || Layer.isLayer(value)),
  storage: is("\"memory\" or a layer", (value) => value === "memory" || Layer.isLayer(value)),
  workspace: is("a layer", Layer.isLayer)
}

/** The first problem as a sentence; undefined if there is none. An optional one may be undefined. */
export const problem = (options: object): string | undefined => {
  const all = { ...settings, ...checks }
  for (const [name, value] of Object.entries({ cwd: undefined, model: undefined, ...options })) {
    if (!Object.hasOwn(all, name)) {
      const [near] = similarNames(name, Object.keys(all))
      return `\`${name}\` is not an option of createAgent.${near === undefined ? "" : ` Did you mean \`${near}\`?`}`
    }
    const check: Check | Schema.Codec<unknown, unknown> = all[name as keyof typeof all]
    const fault = value === undefined && name !== "cwd" && name !== "model" ? undefined
      : (Schema.isSchema(check) ? setting(check) : check)(value)
    if (fault !== undefined) return `\`${name}\` ${fault}.`
  }
  return undefined
}
