/**
 * The manifest of a plugin, in the format of Claude Code's plugins: `.claude-plugin/plugin.json`, or
 * `.dacapo-plugin/plugin.json` where a plugin has parts of its own for dacapo.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import { HookSettings } from "../hook/Hook.ts"

/** Where a manifest may be, in order of precedence. */
export const files: ReadonlyArray<string> = [".dacapo-plugin/plugin.json", ".claude-plugin/plugin.json"]

/**
 * What a plugin consists of. Paths are relative to its folder, without `./`. `commands`, `agents`, `skills` and `tools`
 * are folders or files; `hooks` and `mcpServers` files, or the content itself; `module` is its code.
 */
export interface PluginManifest {
  readonly name: string
  readonly version?: string
  readonly description?: string
  readonly commands: ReadonlyArray<string>
  readonly agents: ReadonlyArray<string>
  readonly skills: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  readonly hooks: ReadonlyArray<string | Schema.Json>
  readonly mcpServers: ReadonlyArray<string | Schema.Json>
  readonly module?: string
}

/** Characters of a manifest. */
export const maxCharacters = 64 * 1024

const Paths = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const Inline = Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Json)])
const Contents = Schema.Union([Inline, Schema.Array(Inline)])

/** Other fields (author, keywords, license, …) are ignored. */
const Manifest = Schema.Struct({
  name: Schema.String,
  version: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  commands: Schema.optionalKey(Paths),
  agents: Schema.optionalKey(Paths),
  skills: Schema.optionalKey(Paths),
  tools: Schema.optionalKey(Paths),
  hooks: Schema.optionalKey(Contents),
  mcpServers: Schema.optionalKey(Contents),
  module: Schema.optionalKey(Schema.String)
})
const decode = Schema.decodeUnknownResult(Manifest)

/** What every plugin has without naming it, if it exists. */
const defaults = {
  commands: "commands",
  agents: "agents",
  skills: "skills",
  tools: "tools",
  hooks: "hooks/hooks.json",
  mcpServers: ".mcp.json"
} as const

/** The manifest in a text; a failure says what is wrong with it. */
export const parse = (text: string): Result.Result<PluginManifest, string> =>
  Result.gen(function*() {
    if (text.length > maxCharacters) return yield* Result.fail(`it is longer than ${maxCharacters} characters`)
    const json = yield* Result.mapError(Result.try(() => JSON.parse(text) as unknown), () => "it is not JSON")
    const { description, module, name, version, ...parts } = yield* Result.mapError(
      decode(json),
      ({ message }) => message.replaceAll("\n", " ").slice(0, 500)
    )
    const problem = nameProblem(name)
    if (problem !== undefined) return yield* Result.fail(problem)
    const paths = (part: "commands" | "agents" | "skills" | "tools") =>
      Result.map(
        Result.all(listOf(parts[part]).map((path) => inside(part, path))),
        (extra): ReadonlyArray<string> => [...new Set([defaults[part], ...extra])]
      )
    const contents = (part: "hooks" | "mcpServers") =>
      Result.map(
        Result.all(listOf<Schema.Json>(parts[part]).map((one) => typeof one === "string" ? inside(part, one) : Result.succeed(one))),
        (extra): ReadonlyArray<Schema.Json> => [...new Set([defaults[part], ...extra])]
      )
    const code = module === undefined ? undefined : yield* inside("module", module)
    if (code !== undefined && !/\.m?js$/.test(code)) return yield* Result.fail("module must be a JavaScript file (.mjs or .js)")
    return {
      name,
      ...optional({ description: description?.slice(0, 1_000), version: version?.slice(0, 64), module: code }),
      commands: yield* paths("commands"),
      agents: yield* paths("agents"),
      skills: yield* paths("skills"),
      tools: yield* paths("tools"),
      hooks: yield* contents("hooks"),
      mcpServers: yield* contents("mcpServers")
    } satisfies PluginManifest
  })

/** Why a plugin can't have this name; undefined for a valid one. */
export const nameProblem = (name: string): string | undefined =>
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= 40 ? undefined
    : `its name ${
      JSON.stringify(name.slice(0, 80))
    } must consist of lower-case letters, digits and single hyphens, with at most 40 characters`

const listOf = <A extends Schema.Json>(value: A | ReadonlyArray<A> | undefined): ReadonlyArray<A> =>
  value === undefined ? [] : Array.isArray(value) ? value as ReadonlyArray<A> : [value as A]

/** A path within the plugin, without `./` and without a final slash. */
const inside = (field: string, path: string): Result.Result<string, string> => {
  const plain = path.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "")
  return isSafePath(plain) ? Result.succeed(plain)
    : Result.fail(`${field} names ${JSON.stringify(path.slice(0, 200))}, which is not within the plugin`)
}

/** Whether a relative path stays within its folder on every system, and has no characters that a name on the screen could hide behind. */
export const isSafePath = (path: string): boolean =>
  path !== "" && path.length <= 400 && !/[\p{C}\\:]/u.test(path) && !path.startsWith("/") &&
  path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part.length <= 200)

const decodeHooks = Schema.decodeUnknownResult(HookSettings)

/** The hooks in a hooks file (`{ "hooks": { … } }`) or in a manifest, where the outer object may be missing. */
export const hooksOf = (json: unknown): Result.Result<HookSettings, string> => {
  const inner = typeof json === "object" && json !== null && "hooks" in json ? json.hooks : json
  return Result.mapError(decodeHooks(inner), ({ message }) => message.replaceAll("\n", " ").slice(0, 500))
}

/** The servers in a file or in a manifest, by name. */
export const serversOf = (json: unknown): Readonly<Record<string, Schema.Json>> => {
  const inner = typeof json === "object" && json !== null && "mcpServers" in json ? json.mcpServers : json
  return typeof inner === "object" && inner !== null && !Array.isArray(inner) ? inner as Readonly<Record<string, Schema.Json>> : {}
}

/** A value with the plugin's folder in place of its variables (`rootVariables`), in all its texts. */
export const withRoot = (value: Schema.Json, root: string): Schema.Json =>
  typeof value === "string" ? value.replaceAll(/\$\{(?:CLAUDE|DACAPO)_PLUGIN_ROOT\}/g, () => root)
    : Array.isArray(value) ? value.map((one) => withRoot(one, root))
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withRoot(one as Schema.Json, root)]))
    : value
