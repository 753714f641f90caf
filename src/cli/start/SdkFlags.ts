/**
 * What programs of the Claude Agent SDK pass, as flags and in their first request, in terms of our flags. A rule or hook that we
 * can't enforce, and managed settings, end the run: to ignore a guard would permit more than the program asked for.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as Mode from "../../domain/approval/Mode.ts"
import * as AgentDefinitions from "../../domain/config/AgentDefinitions.ts"
import type { AgentProfile } from "../../domain/config/AgentProfile.ts"
import type * as Config from "../../domain/config/Settings.ts"
import * as Hook from "../../domain/hook/Hook.ts"
import { isObject } from "../../domain/tool/ParamSchema.ts"
import * as JsonText from "../../layers/settings/JsonText.ts"
import type { Values } from "../args/Flags.ts"
import * as Flags from "../args/Flags.ts"
import { unsupported } from "../args/sdkFlags.ts"
import { UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import type { Initialize } from "../render/json/ControlSchema.ts"

/** The flags, one sentence for each that has no effect, and the hooks and agent profiles of the program. */
export interface Resolved {
  readonly values: Values
  readonly notes: ReadonlyArray<string>
  readonly hooks: ReadonlyArray<Hook.Hook>
  readonly profiles: ReadonlyArray<AgentProfile>
}

/** The flags as one source after another changes them. */
type Changed = Omit<Resolved, "hooks" | "profiles">

/** The flags with those of an SDK translated to ours. `init` is the first request, if the program sent one. */
export const translate = Effect.fnUntraced(function*(flags: Values, init: Initialize | undefined) {
  const initialized = yield* withInitialize(flags, init)
  const configured = yield* withSettings(initialized.values)
  const effort = effortFlag(configured.values)
  const { tool } = yield* Effect.promise(() => import("../../layers/tool/ToolAliases.ts"))
  const tools = withoutUnknownTools(tool, { ...configured.values, ...effort })
  const program = Hook.fromProgram(init?.hooks ?? {}, { mayAllow: flags.permissionPromptTool === "stdio" })
  if (Result.isFailure(program)) {
    return yield* new UsageError({ message: `Hooks of the program: ${program.failure}. A hook that guards calls can't be ignored.` })
  }
  const { notes, profiles } = yield* definedAgents(flags, init)
  return {
    values: tools.values,
    hooks: program.success.hooks,
    profiles,
    notes: [
      ...unsupported.filter((key) => flags[key] !== undefined).map((key) => `${Flags.table[key].names[0]} has no effect.`),
      ...initialized.notes,
      ...configured.notes,
      ...tools.notes,
      ...notes,
      ...program.success.notes
    ]
  } satisfies Resolved
})

/** The subagents of `--agents` and of the first request; of two with one name, the latter's. */
export const definedAgents = Effect.fnUntraced(function*({ agents: flag }: Values, init: Initialize | undefined) {
  const invalid = (why: string) => new UsageError({ message: `--agents: ${why}.` })
  const json = flag === undefined ? Result.succeed({}) : JsonText.parse(flag)
  if (Result.isFailure(json) || !isObject(json.success)) return yield* invalid("expected a JSON object of agents by name")
  const parsed = AgentDefinitions.parse({ ...json.success, ...init?.agents })
  return Result.isFailure(parsed) ? yield* invalid(parsed.failure) : parsed.success
})

const joinLists = (lists: ReadonlyArray<ReadonlyArray<string> | null | undefined>): ReadonlyArray<string> =>
  lists.flatMap((list) => list ?? [])

const withInitialize = Effect.fnUntraced(function*(values: Values, init: Initialize | undefined) {
  if (init === undefined) return { values, notes: [] } satisfies Changed
  if (init.managedSettings != null) return yield* new UsageError({ message: "Managed settings of the program are not supported." })
  const systemPrompt = typeof init.systemPrompt === "string" ? init.systemPrompt : init.systemPrompt?.join("\n\n") ?? ""
  const { appendSystemPrompt, disallowedTools, mcpServers, settings } = init
  return {
    values: {
      ...values,
      ...(systemPrompt.trim() === "" ? {} : { systemPrompt }),
      ...(appendSystemPrompt == null || appendSystemPrompt === "" ? {} : { appendSystemPrompt }),
      ...(disallowedTools == null ? {} : { disallowedTools: joinLists([values.disallowedTools, disallowedTools]) }),
      mcpConfig: [
        ...values.mcpConfig ?? [],
        ...(mcpServers == null ? [] : [JSON.stringify({ mcpServers })]),
        JSON.stringify({ mcpServers: Object.fromEntries((init.sdkMcpServers ?? []).map((name) => [name, { type: "sdk" }])) })
      ],
      ...(settings == null ? {} : { settings: JSON.stringify(settings) })
    },
    notes: []
  } satisfies Changed
})

const ruleList = Schema.optionalKey(Schema.Array(Schema.String))

/** The settings that are honoured. Rules of `ask` and keys that restrict are not among them, and refused below. */
const SdkSettings = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  permissions: Schema.optionalKey(Schema.Struct({ allow: ruleList, deny: ruleList, defaultMode: Schema.optionalKey(Mode.Mode) })),
  sandbox: Schema.optionalKey(Schema.Struct({ enabled: Schema.optionalKey(Schema.Boolean) }))
})

/** Keys that guard: a run that ignored them would permit more. */
const guards = ["hooks", "disableBypassPermissionsMode", "allowManagedPermissionRulesOnly", "deniedMcpServers", "disabledMcpjsonServers"]

const withSettings = Effect.fnUntraced(function*(values: Values) {
  if (values.settings === undefined) return { values, notes: [] } satisfies Changed
  const { cwd } = yield* Host
  const source = values.settings
  const invalid = (why: string) => new UsageError({ message: `--settings ${source.slice(0, 80)}: ${why}.` })
  const text = source.trim().startsWith("{") ? source : yield* Effect.tryPromise({
    try: () => readFile(resolve(cwd, source), "utf8"),
    catch: (error) => invalid(`can't read the file: ${(error as NodeJS.ErrnoException).code ?? String(error)}`)
  })
  const parsed = JsonText.parse(text)
  if (Result.isFailure(parsed) || !isObject(parsed.success)) return yield* invalid("expected a JSON object")
  const json = parsed.success
  const permissions = isObject(json["permissions"]) ? json["permissions"] : {}
  const guard = guards.find((key) => json[key] !== undefined || permissions[key] !== undefined) ??
    (Array.isArray(permissions["ask"]) && permissions["ask"].length > 0 ? "permissions.ask" : undefined)
  if (guard !== undefined) return yield* invalid(`${guard} is not supported here, and can't be ignored`)
  const decoded = Schema.decodeUnknownResult(SdkSettings)(json)
  if (Result.isFailure(decoded)) return yield* invalid("model, permissions or sandbox is not valid")
  const { model, permissions: { allow, defaultMode, deny } = {}, sandbox } = decoded.success
  const unknown = Object.keys(json).filter((key) => !(key in SdkSettings.fields))
  return {
    values: {
      ...values,
      ...(model === undefined || values.model !== undefined ? {} : { model }),
      ...(defaultMode === undefined || values.permissionMode !== undefined ? {} : { permissionMode: defaultMode }),
      allowedTools: joinLists([values.allowedTools, allow]),
      disallowedTools: joinLists([values.disallowedTools, deny]),
      ...(sandbox?.enabled === true && values.sandbox === undefined ? { sandbox: "workspace-write" as const } : {})
    },
    notes: unknown.map((key) => `${key} of --settings has no effect.`)
  } satisfies Changed
})

/** `--thinking` and `--max-thinking-tokens` as an effort. */
const effortFlag = ({ effort, maxThinkingTokens, thinking }: Values): Pick<Values, "effort"> =>
  effort !== undefined ? { effort }
    : thinking === "disabled" ? { effort: "none" }
    : maxThinkingTokens === undefined ? {}
    : { effort: effortOf(maxThinkingTokens) }

/** The effort whose usual budget of thinking tokens is nearest. */
export const effortOf = (tokens: number): NonNullable<Values["effort"]> =>
  tokens <= 0 ? "none" : tokens < 4_096 ? "low" : tokens < 16_384 ? "medium" : "high"

/**
 * Tools that we lack can't be called: lists may name them, and nothing follows. A rule with a specifier, or a name that no other
 * agent would write, is checked as always: it may be a misspelled guard.
 */
const withoutUnknownTools = (tool: (name: string) => string | undefined, values: Values): Changed => {
  const isForeign = (rule: string) => /^[A-Z][A-Za-z]+$/.test(rule) && tool(rule) === undefined && rule !== "Skill"
  const keys = (["allowedTools", "disallowedTools", "tools"] as const).filter((key) => values[key] !== undefined)
  const lists = Object.fromEntries(keys.map((key) => [key, values[key]!.filter((rule) => !isForeign(rule))]))
  const dropped = keys.flatMap((key) => values[key]!.filter(isForeign))
  return { values: { ...values, ...lists }, notes: dropped.map((rule) => `${rule} names a tool that dacapo does not have.`) }
}

/**
 * Without the settings that `--setting-sources` leaves out, as far as they permit anything: their deny and ask rules stay.
 */
export const restrictSettings = (settings: Config.Settings, sources: string | undefined, cwd: string): Config.Settings => {
  if (sources === undefined) return settings
  const used = new Set(sources.split(",").map((source) => source.trim()))
  if (["user", "project", "local"].every((source) => used.has(source))) return settings
  const sourceOf = (file: string): string => !file.startsWith(`${cwd}/`) ? "user" : file.includes(".local.") ? "local" : "project"
  const { defaultMode, rules, ...rest } = settings
  return {
    ...rest,
    ...(defaultMode === undefined ? {} : { defaultMode: Mode.stricterMode("default", defaultMode) }),
    rules: { ...rules, allow: rules.allow.filter(({ file }) => used.has(sourceOf(file))) }
  }
}
