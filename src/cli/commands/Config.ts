/** `dacapo config get|set|list|schema`: shows and changes settings. */
import * as Effect from "effect/Effect"
import * as SettingPath from "../../domain/config/SettingPath.ts"
import { defaults, type ProviderSettings, type Scope } from "../../domain/config/Settings.ts"
import * as CustomRoutes from "../../layers/provider/CustomRoutes.ts"
import { Environment } from "../../services/Environment.ts"
import { Settings } from "../../services/Settings.ts"
import type { Invocation, Run } from "../Command.ts"
import { InputError, UsageError, unknownAction } from "../process/CliError.ts"
import type { Failure } from "../process/ExitCode.ts"
import { modelWithKey } from "../start/SessionOptions.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as StreamJsonSchema from "../render/json/StreamJsonSchema.ts"
import * as View from "../render/view/View.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

type Action = (invocation: Invocation, cwd: string) => Effect.Effect<number, Failure, Host | Settings>

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const [action = "list", ...args] = invocation.args
  const { cwd: hostCwd } = yield* Host
  const { records } = yield* AgentLayers
  const perform = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (perform === undefined) return yield* unknownAction("config", action, Object.keys(actions))
  const cwd = yield* WorkingFolder.open(hostCwd, invocation.values.cd)
  return yield* Effect.provide(perform({ ...invocation, args }, cwd), records)
})

const isText = ({ values: { outputFormat = "text" } }: Invocation): boolean => outputFormat === "text"

const valueText = (value: unknown): string => View.text(typeof value === "string" ? value : JSON.stringify(value)).replaceAll("\n", " ")

/** Parses the path of a setting; its first name must be a known setting. */
const parsePath = Effect.fnUntraced(function*(name: string | undefined) {
  if (name === undefined) {
    return yield* new UsageError({ message: `Name a setting: one of ${SettingPath.names.join(", ")}. Separate nested names with dots.` })
  }
  const path = SettingPath.parse(name)
  if (SettingPath.names.includes(path[0]!)) return path
  return yield* new UsageError({ message: `"${path[0]}" is not a setting; expected one of ${SettingPath.names.join(", ")}.` })
})

interface EffectiveValue {
  readonly value: unknown
  readonly file: string | null
}

/** What applies where no settings file sets a value; a key selects a model. */
const defaultValue = Effect.fnUntraced(function*(path: ReadonlyArray<string>) {
  const { environment } = yield* Host
  const value = path.join(".") === "model" ? yield* Effect.provideService(modelWithKey(environment.variables), Environment, environment)
    : SettingPath.get(defaults, path)
  return value === undefined ? undefined : { value, file: null } satisfies EffectiveValue
})

/** The effective value: the last one that the scopes set and are allowed to set, else the default. */
const get: Action = Effect.fnUntraced(function*(invocation, cwd) {
  const { stderr, stdout } = yield* Host
  const { scopes } = yield* Settings
  const path = yield* parsePath(invocation.args[0])
  const effective: EffectiveValue | undefined = effectiveValues(yield* scopes(cwd), path).at(-1) ?? (yield* defaultValue(path))
  if (effective === undefined) {
    return yield* new InputError({
      message: `${path.join(".")} is not set and has no default. Run \`dacapo config list\` to list the settings.`
    })
  }
  if (isText(invocation)) {
    yield* stderr.write(
      effective.file === null
        ? `This is the default${path[0] === "model" ? " for the API key that is set" : ""}; no settings file sets it:\n`
        : `Set in ${View.line(effective.file)}:\n`
    )
  }
  yield* stdout.write(isText(invocation) ? `${valueText(effective.value)}\n` : StreamJson.line(effective))
  return 0
})

/** The settings files of an untrusted folder can only add stricter permission rules; their other settings are ignored. */
const effectiveValues = (scopes: ReadonlyArray<Scope>, path: ReadonlyArray<string>) =>
  scopes.flatMap(({ file, settings, isTrusted }) => {
    const value = SettingPath.get(settings, path)
    const isEffective = isTrusted || (path[0] === "permissions" && path[1] !== "allow" && path[1] !== "defaultMode")
    return value === undefined || !isEffective ? [] : [{ value, file }]
  })

/** Sets a value in the user's settings file; without a value, removes it. */
const set: Action = Effect.fnUntraced(function*(invocation, cwd) {
  const { stdout } = yield* Host
  const settings = yield* Settings
  const [name, ...valueArgs] = invocation.args
  const path = yield* parsePath(name)
  const value = valueArgs.length === 0 ? undefined : SettingPath.literal(valueArgs.join(" "))
  const [first, provider] = path
  if (first === "providers" && provider !== undefined && value !== undefined) {
    const next = SettingPath.get(SettingPath.set(yield* settings.load(cwd), path, value), ["providers", provider])
    const unknown = CustomRoutes.unknownName(provider, next as Pick<ProviderSettings, "wire">)
    if (unknown !== undefined) return yield* unknown
  }
  const file = yield* settings.set(cwd, path, value)
  yield* stdout.write(
    isText(invocation)
      ? `${value === undefined ? `Removed ${path.join(".")} from` : `Set ${path.join(".")} to ${valueText(value)} in`} ${
        View.line(file)
      }.\n`
      : StreamJson.line({ name: path.join("."), value: value ?? null, file })
  )
  return 0
})

const list: Action = Effect.fnUntraced(function*(invocation, cwd) {
  const { stdout } = yield* Host
  const { scopes } = yield* Settings
  const all = yield* scopes(cwd)
  const rows = SettingPath.names.flatMap((name) => effectiveValues(all, [name]).map(({ file, value }) => ({ name, value, file })))
  yield* stdout.write(
    !isText(invocation)
      ? StreamJson.line(rows)
      : rows.map(({ file, name, value }) => `${name.padEnd(16)} ${valueText(value)}\n${" ".repeat(17)}${View.line(file)}\n`).join("") ||
        "No settings are set.\n"
  )
  return 0
})

const schema: Action = Effect.fnUntraced(function*() {
  const { stdout } = yield* Host
  yield* stdout.write(`${JSON.stringify(StreamJsonSchema.jsonSchemas().config, null, 2)}\n`)
  return 0
})

const actions: Readonly<Record<string, Action>> = { get, list, schema, set }
