/** A server as users write it down under `mcpServers`, in the spellings of the field. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Naming from "./Naming.ts"

const OAuth = Schema.Struct({
  clientId: Schema.optionalKey(Schema.String),
  clientSecret: Schema.optionalKey(Schema.String),
  scope: Schema.optionalKey(Schema.String),
  skipIssuerCheck: Schema.optionalKey(Schema.Boolean),
  callbackPort: Schema.optionalKey(Schema.Int)
})

/** How a server is reached. An `Http` one without a `type` may speak the older SSE: that is tried where the newer way is refused. */
export type Transport =
  | { readonly _tag: "Stdio"; readonly command: string; readonly args: ReadonlyArray<string>; readonly env: Readonly<Record<string, string>>; readonly cwd?: string }
  | { readonly _tag: "Http" | "Sse"; readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly guessed: boolean }

/** Times in ms. Tools are those of `include` (all where it is absent) without those of `exclude`, by the server's own names. */
export interface Definition {
  readonly name: string
  readonly transport: Transport
  readonly timeout?: number
  readonly connectTimeout?: number
  readonly disabled: boolean
  readonly include?: ReadonlyArray<string>
  readonly exclude: ReadonlyArray<string>
  /**
   * Who we are to a remote server, where we do not register ourselves; the port that a login comes back to. Without the
   * check of the issuer, older authorization servers are taken that call themselves otherwise than their address.
   */
  readonly oauth?: typeof OAuth.Type
}

const texts = Schema.Record(Schema.String, Schema.String)
const list = Schema.Array(Schema.String)
const ms = Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))

/** What an entry may hold; anything else of other programs is left alone. */
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
  oauth: Schema.optionalKey(OAuth)
})
type Entry = typeof Entry.Type
const decode = Schema.decodeUnknownResult(Entry)

/** One entry of `mcpServers`; a failure says what is wrong with it. */
export const parse = (name: string, json: unknown): Result.Result<Definition, string> =>
  Result.gen(function*() {
    const bad = Naming.problem(name)
    if (bad !== undefined) return yield* Result.fail(bad)
    const entry = yield* Result.mapError(decode(json), ({ message }) => message.replaceAll("\n", " "))
    return {
      name,
      transport: yield* transport(entry),
      ...(entry.timeout === undefined ? {} : { timeout: entry.timeout }),
      ...(entry.connectTimeout === undefined ? {} : { connectTimeout: entry.connectTimeout }),
      disabled: entry.disabled === true || entry.enabled === false,
      ...(entry.includeTools === undefined || entry.includeTools.length === 0 ? {} : { include: entry.includeTools }),
      exclude: entry.excludeTools ?? [],
      ...(entry.oauth === undefined ? {} : { oauth: entry.oauth })
    }
  })

/** The words of the field for the three ways. */
const kinds: Readonly<Record<string, Transport["_tag"]>> = {
  stdio: "Stdio",
  local: "Stdio",
  http: "Http",
  "streamable-http": "Http",
  streamable_http: "Http",
  streamableHttp: "Http",
  remote: "Http",
  sse: "Sse"
}

const transport = ({ args = [], command, cwd, env = {}, environment = {}, headers = {}, httpUrl, type, url = httpUrl }: Entry): Result.Result<Transport, string> => {
  if (type !== undefined && !Object.hasOwn(kinds, type)) return Result.fail(`"type" is one of stdio, http, sse; "${type}" is not`)
  const kind = type === undefined ? command !== undefined ? "Stdio" : "Http" : kinds[type]!
  if (kind !== "Stdio") {
    return url === undefined ? Result.fail("it needs a \"url\" (or a \"command\", to be started here)")
      : !URL.canParse(url.replace(/\$\{[^}]*\}/g, "x")) && !url.startsWith("${") ? Result.fail(`"${url}" is no URL`)
      : Result.succeed({ _tag: kind, url, headers, guessed: type === undefined && httpUrl === undefined })
  }
  const [program = "", ...first] = typeof command === "string" ? [command] : command ?? []
  return program === "" ? Result.fail("it needs a \"command\"") : Result.succeed({
    _tag: "Stdio",
    command: program,
    args: [...first, ...args],
    env: { ...environment, ...env },
    ...(cwd === undefined ? {} : { cwd })
  })
}

/** `${NAME}` and `${NAME:-else}` filled in everywhere; a failure names a variable that is not set. */
export const filled = (transport: Transport, variables: Readonly<Record<string, string | undefined>>): Result.Result<Transport, string> => {
  let missing: string | undefined
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
      const value = variables[name] || otherwise
      if (value === undefined) missing ??= name
      return value ?? ""
    })
  const all = (record: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(record).map(([name, text]) => [name, fill(text)]))
  const made: Transport = transport._tag === "Stdio"
    ? { ...transport, command: fill(transport.command), args: transport.args.map(fill), env: all(transport.env), ...(transport.cwd === undefined ? {} : { cwd: fill(transport.cwd) }) }
    : { ...transport, url: fill(transport.url), headers: all(transport.headers) }
  return missing === undefined ? Result.succeed(made) : Result.fail(`\${${missing}} is not set in the environment`)
}

/** The command that starts it, as a shell would be told, with what it adds to the environment; for remote ones the address. */
export const told = ({ transport }: Definition): string =>
  transport._tag === "Stdio"
    ? [...Object.entries(transport.env).map(([name, value]) => `${name}=${quoted(value)}`), ...[transport.command, ...transport.args].map(quoted)].join(" ")
    : transport.url

const quoted = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** Whether a tool of the server is wanted. */
export const wants = ({ exclude, include }: Definition, tool: string): boolean =>
  (include === undefined || include.includes(tool)) && !exclude.includes(tool)
