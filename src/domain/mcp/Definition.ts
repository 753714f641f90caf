/** A server as users configure it under `mcpServers`, in the common spellings. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Variables from "../config/Variables.ts"
import { optional } from "../Optional.ts"
import * as AutoApprove from "./AutoApprove.ts"
import * as Naming from "./Naming.ts"
import * as Quote from "../tool/shell/Quote.ts"

const OAuth = Schema.Struct({
  clientId: Schema.optionalKey(Schema.String),
  clientSecret: Schema.optionalKey(Schema.String),
  scope: Schema.optionalKey(Schema.String),
  skipIssuerCheck: Schema.optionalKey(Schema.Boolean),
  callbackPort: Schema.optionalKey(Schema.Int)
})

/**
 * How a server is reached. An `Http` one without a `type` may speak the older SSE: that is tried if the newer transport is refused.
 */
export type Transport =
  | {
    readonly _tag: "Stdio"
    readonly command: string
    readonly args: ReadonlyArray<string>
    readonly env: Readonly<Record<string, string>>
    readonly cwd?: string
  }
  | {
    readonly _tag: "Http" | "Sse"
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly isTypeInferred: boolean
  }
  /** It lives in the program that runs this process (services/extension/ClientProgram). */
  | { readonly _tag: "Program" }

/** Times in ms. Tools are those of `include` (all if it is absent) without those of `exclude`, by the server's own names. */
export interface Definition {
  readonly name: string
  readonly transport: Transport
  readonly timeoutMs?: number
  readonly connectTimeoutMs?: number
  readonly disabled: boolean
  readonly include?: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  /**
   * Our identity for a remote server, if we do not register ourselves; the port for the login's redirect. Without the
   * issuer check, older authorization servers are accepted whose name differs from their address.
   */
  readonly oauth?: typeof OAuth.Type
}

const texts = Schema.Record(Schema.String, Schema.String)
const list = Schema.Array(Schema.String)
const ms = Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))

/** The known fields of an entry; those of other programs are ignored. */
const Entry = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.Union([Schema.String, list])),
  args: Schema.optionalKey(list),
  env: Schema.optionalKey(texts),
  environment: Schema.optionalKey(texts),
  cwd: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  httpUrl: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(texts),
  timeout: Schema.optionalKey(ms),
  connectTimeout: Schema.optionalKey(ms),
  disabled: Schema.optionalKey(Schema.Boolean),
  enabled: Schema.optionalKey(Schema.Boolean),
  includeTools: Schema.optionalKey(list),
  excludeTools: Schema.optionalKey(list),
  disabledTools: Schema.optionalKey(list),
  oauth: Schema.optionalKey(OAuth)
})
type Entry = typeof Entry.Type
const decode = Schema.decodeUnknownResult(Entry)

/** Keys that say nothing about what the server does. */
const labels = ["$schema", "description", "name"]

/** The keys of an entry that have no effect. */
export const ignoredKeys = (json: unknown): ReadonlyArray<string> =>
  typeof json !== "object" || json === null ? []
    : Object.keys(json).filter((key) => !Object.hasOwn(Entry.fields, key) && !AutoApprove.lists.includes(key) && !labels.includes(key))

/** One entry of `mcpServers`; a failure says what is wrong with it. `isForeign`: its file is one of Cline or Roo. */
export const parse = (name: string, json: unknown, isForeign = false): Result.Result<Definition, string> =>
  Result.gen(function*() {
    const problem = Naming.problem(name)
    if (problem !== undefined) return yield* Result.fail(problem)
    const entry = yield* Result.mapError(
      decode(AutoApprove.withMilliseconds(json, isForeign)),
      ({ message }) => message.replaceAll("\n", " ")
    )
    return {
      name,
      transport: yield* transport(entry),
      ...optional({ timeoutMs: entry.timeout, connectTimeoutMs: entry.connectTimeout }),
      disabled: entry.disabled === true || entry.enabled === false,
      ...(entry.includeTools === undefined || entry.includeTools.length === 0 ? {} : { include: entry.includeTools }),
      exclude: [...entry.excludeTools ?? [], ...entry.disabledTools ?? []],
      ...optional({ oauth: entry.oauth })
    }
  })

/** The common names of the three transports. */
const kinds: Readonly<Record<string, Transport["_tag"]>> = {
  stdio: "Stdio",
  local: "Stdio",
  http: "Http",
  "streamable-http": "Http",
  streamable_http: "Http",
  streamableHttp: "Http",
  remote: "Http",
  sse: "Sse",
  sdk: "Program"
}

const transport = (
  { args = [], command, cwd, env = {}, environment = {}, headers = {}, httpUrl, type, url = httpUrl }: Entry
): Result.Result<Transport, string> => {
  if (type !== undefined && !Object.hasOwn(kinds, type)) return Result.fail(`"type" must be one of stdio, http, sse, not "${type}"`)
  const kind = type === undefined ? command !== undefined ? "Stdio" : "Http" : kinds[type]!
  if (kind === "Program") return Result.succeed({ _tag: kind })
  if (kind !== "Stdio") {
    return url === undefined ? Result.fail("it needs a \"url\" (or a \"command\" for a local server)")
      : !URL.canParse(url.replace(/\$\{[^}]*\}/g, "x")) && !url.startsWith("${") ? Result.fail(`"${url}" is not a valid URL`)
      : Result.succeed({ _tag: kind, url, headers, isTypeInferred: type === undefined && httpUrl === undefined })
  }
  const [program = "", ...first] = typeof command === "string" ? [command] : command ?? []
  return program === "" ? Result.fail("it needs a \"command\"") : Result.succeed({
    _tag: "Stdio",
    command: program,
    args: [...first, ...args],
    env: { ...environment, ...env },
    ...optional({ cwd })
  })
}

/** Fills in `${NAME}` and `${NAME:-else}` everywhere; a failure names a variable that is not set. */
export const expandVariables = (
  transport: Transport,
  variables: Variables.Variables
): Result.Result<Transport, string> => {
  if (transport._tag === "Program") return Result.succeed(transport)
  let missingName: string | undefined
  const expand = (text: string): string =>
    Variables.expand(text, variables, (name, value) => {
      if (value === undefined) missingName ??= name
    })
  const expandAll = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([name, text]) => [name, expand(text)]))
  const expanded: Transport = transport._tag === "Stdio"
    ? {
      ...transport,
      command: expand(transport.command),
      args: transport.args.map(expand),
      env: expandAll(transport.env),
      ...(transport.cwd === undefined ? {} : { cwd: expand(transport.cwd) })
    }
    : { ...transport, url: expand(transport.url), headers: expandAll(transport.headers) }
  return missingName === undefined ? Result.succeed(expanded) : Result.fail(`\${${missingName}} is not set in the environment`)
}

/** The command that starts it, as written for a shell, with its environment variables; the address of a remote one. */
export const commandLine = ({ transport }: Definition): string =>
  transport._tag === "Stdio"
    ? [
      ...Object.entries(transport.env).map(([name, value]) => `${name}=${Quote.ifNeeded(value)}`),
      ...[transport.command, ...transport.args].map(Quote.ifNeeded)
    ].join(" ")
    : transport._tag === "Program"
    ? "part of the program that runs dacapo"
    : transport.url

/** Whether a tool of the server is enabled. */
export const includesTool = ({ exclude, include }: Definition, tool: string): boolean =>
  (include === undefined || include.includes(tool)) && !exclude.includes(tool)
