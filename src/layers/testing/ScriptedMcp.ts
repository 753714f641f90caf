/** MCP servers that a test defines: no process is started, no address is called, and every session may use all of them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { McpError } from "../../domain/mcp/McpError.ts"
import * as Naming from "../../domain/mcp/Naming.ts"
import type { Prompt } from "../../domain/mcp/Prompt.ts"
import type { ServerTools } from "../../domain/mcp/ServerTools.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { type ListedServer, Mcp, type Servers } from "../../services/Mcp.ts"

/** An MCP tool: what it returns is the text of its result, or the outcome itself. */
export interface ScriptedTool {
  readonly description?: string
  /** JSON Schema of its params; by default any. */
  readonly schema?: Schema.JsonObject
  readonly run: (input: Schema.JsonObject) => string | Outcome.Outcome
}

/** `resources` are texts by their URI; the text of a prompt is made from its arguments. */
export interface ScriptedServer {
  readonly instructions?: string
  readonly tools?: Readonly<Record<string, ScriptedTool>>
  readonly resources?: Readonly<Record<string, string>>
  readonly prompts?: Readonly<
    Record<string, {
      readonly description?: string
      readonly arguments?: Prompt["arguments"]
      readonly text: (args: Readonly<Record<string, string>>) => string
    }>
  >
}

const noPrompt = (): string => ""

/** Servers by their names. */
export const layer = (servers: Readonly<Record<string, ScriptedServer>>): Layer.Layer<never> => {
  const names = Object.keys(servers).toSorted()
  const unknown = (server: string) => new McpError({ server, reason: "Unknown", message: "does not exist" })
  const find = (name: string) => Object.hasOwn(servers, name) ? Effect.succeed(servers[name]!) : unknown(name)
  const outcome = (effect: Effect.Effect<Outcome.Outcome, McpError>) =>
    Effect.catch(effect, ({ message, server }) => Effect.succeed(Outcome.failed(`The MCP server ${server} ${message}.`)))
  const offer: ServerTools = {
    servers: names.map((name) => {
      const { instructions, prompts = {}, resources = {} } = servers[name]!
      return {
        name,
        resources: Object.keys(resources).length > 0,
        prompts: Object.keys(prompts).length > 0,
        ...(instructions === undefined ? {} : { instructions })
      }
    }),
    tools: names.flatMap((server) =>
      Object.entries(servers[server]!.tools ?? {}).toSorted(([a], [b]) => a < b ? -1 : 1).map((
        [tool, { description = "", schema = { type: "object" } }]
      ) => ({
        name: Naming.toolName(server, tool),
        server,
        tool,
        description,
        schema
      }))
    )
  }
  const prompts = names.flatMap((server) =>
    Object.entries(servers[server]!.prompts ?? {}).map(([prompt, { arguments: args = [], description = "" }]): Prompt => ({
      name: Naming.toolName(server, prompt),
      server,
      prompt,
      description,
      arguments: args
    }))
  )
  const listed = (name: string): ListedServer => ({
    definition: { name, transport: { _tag: "Stdio", command: "scripted", args: [], env: {} }, disabled: false, exclude: [] },
    file: "the script",
    isUserDefined: true,
    allowed: true
  })
  const implementation: Servers = {
    refresh: (session) => Effect.succeed(JSON.stringify(session.offer) === JSON.stringify(offer) ? undefined : { offer, notes: [] }),
    call: (server, name, input) =>
      outcome(Effect.flatMap(find(server), ({ tools = {} }) => {
        if (!Object.hasOwn(tools, name)) return Effect.succeed(Outcome.failed(`The MCP server ${server} has no tool ${name}.`))
        const result = tools[name]!.run(input)
        return Effect.succeed(typeof result === "string" ? Outcome.succeeded(result) : result)
      })),
    read: (server, uri) =>
      outcome(
        Effect.map(find(server), ({ resources = {} }) =>
          Object.hasOwn(resources, uri) ? Outcome.succeeded(resources[uri]!)
            : Outcome.failed(`The MCP server ${server} has no resource ${uri}.`))
      ),
    resources: (server) =>
      outcome(Effect.map(
        server === undefined ? Effect.succeed(names) : Effect.as(find(server), [server]),
        (names) => {
          const lines = names.flatMap((name) => Object.keys(servers[name]!.resources ?? {}).map((uri) => `${name}: ${uri}`))
          return Outcome.succeeded(lines.join("\n") || "No resources are available.")
        }
      )),
    prompts: () => Effect.succeed(prompts),
    prompt: (_, __, name, args) =>
      Effect.sync(() => {
        const prompt = prompts.find((one) => one.name === name)
        if (prompt === undefined) return undefined
        const { text = noPrompt } = servers[prompt.server]!.prompts?.[prompt.prompt] ?? {}
        return text(args(prompt))
      }),
    list: () => Effect.succeed({ servers: names.map(listed), notes: [] }),
    write: (_, __, name) => new SettingsError({ where: name, message: "can't be saved here" }),
    allow: (_, server) => Effect.as(find(server), { server: listed(server), details: [] }),
    review: (_, server) => Effect.as(find(server), { details: [], start: "" }),
    test: (_, server) =>
      Effect.as(find(server), {
        server: offer.servers.find(({ name }) => name === server)!,
        tools: offer.tools.filter((tool) => tool.server === server),
        protocol: "scripted",
        version: "0"
      }),
    login: (_, server) => Effect.as(find(server), false),
    logout: (_, server) => Effect.as(find(server), false)
  }
  return Layer.succeed(Mcp, implementation)
}
