/** Servers of the Model Context Protocol: what they offer a session, and requests to them. Without a layer there are none. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { SettingsError } from "../domain/config/SettingsError.ts"
import type { Definition } from "../domain/mcp/Definition.ts"
import { McpError } from "../domain/mcp/McpError.ts"
import type { ServerInfo, ServerTool, ServerToolsUpdate } from "../domain/mcp/ServerTools.ts"
import type { Prompt } from "../domain/mcp/Prompt.ts"
import type { Session } from "../domain/session/Session.ts"
import * as Outcome from "../domain/tool/Outcome.ts"
import type { ToolContext } from "./Tool.ts"

export interface Servers {
  /** What the servers offer now, if that differs from what the session knows. Starts those that may start and do not run yet. */
  readonly refresh: (session: Session) => Effect.Effect<ServerToolsUpdate | undefined>
  /** Calls a tool by the server's own name for it; progress is shown as output of the call. */
  readonly call: (server: string, tool: string, input: Schema.JsonObject) => Effect.Effect<Outcome.Outcome, never, ToolContext>
  readonly read: (server: string, uri: string) => Effect.Effect<Outcome.Outcome, never, ToolContext>
  /** The resources of one server, or of all. */
  readonly resources: (server: string | undefined) => Effect.Effect<Outcome.Outcome, never, ToolContext>
  /** Prompts of the servers that a session uses. */
  readonly prompts: (cwd: string, session: string) => Effect.Effect<ReadonlyArray<Prompt>>
  /** A prompt expanded with its arguments; undefined if no server of the session has it. */
  readonly prompt: (
    cwd: string,
    session: string,
    name: string,
    args: (prompt: Prompt) => Readonly<Record<string, string>>
  ) => Effect.Effect<string | undefined>
  /** The servers defined for a folder; `notes` report those that can't be used. Starts none. */
  readonly list: (
    cwd: string
  ) => Effect.Effect<{ readonly servers: ReadonlyArray<ListedServer>; readonly notes: ReadonlyArray<string> }, SettingsError>
  /** Adds a server to the user's settings or the project's file, or removes it (undefined); returns the file. */
  readonly write: (
    cwd: string,
    where: "user" | "project",
    name: string,
    entry: Schema.Json | undefined
  ) => Effect.Effect<string, SettingsError>
  /**
   * The user approves the current definition of a project's server, and the tools that it lists next; returns a
   * description, in sentences. With `start` it must be what `review` showed. Starts none.
   */
  readonly allow: (
    cwd: string,
    server: string,
    start?: string
  ) => Effect.Effect<{ readonly server: ConfiguredServer; readonly details: ReadonlyArray<string> }, McpError | SettingsError>
  /** What an approval of a server covers, in sentences, and the hash of it. Starts none. */
  readonly review: (
    cwd: string,
    server: string
  ) => Effect.Effect<{ readonly details: ReadonlyArray<string>; readonly start: string }, McpError | SettingsError>
  /** Connects to a server at the user's request, and reports what it offers. */
  readonly test: (cwd: string, server: string) => Effect.Effect<ServerTestResult, McpError | SettingsError>
  /** Logs in to a remote server; `openUrl` is called with the address for the user to open. False if it requires no login. */
  readonly login: (
    cwd: string,
    server: string,
    openUrl: (url: string) => Effect.Effect<void>
  ) => Effect.Effect<boolean, McpError | SettingsError>
  /** Deletes a login; whether there was one. */
  readonly logout: (cwd: string, server: string) => Effect.Effect<boolean, McpError | SettingsError>
}

/** A server, the file that names it, and whether that is one of the user's own files, which counts as approval. */
export interface ConfiguredServer {
  readonly definition: Definition
  readonly file: string
  readonly isUserDefined: boolean
}

/** `allowed`: it is the user's own, or they approved its current definition. */
export interface ListedServer extends ConfiguredServer {
  readonly allowed: boolean
}

/** `protocol` is the negotiated version, `version` the server's own. */
export interface ServerTestResult {
  readonly server: ServerInfo
  readonly tools: ReadonlyArray<ServerTool>
  readonly protocol: string
  readonly version: string
}

const none: Servers = {
  refresh: () => Effect.succeed(undefined),
  call: (server) => Effect.succeed(Outcome.failed(`There is no MCP server ${server} here.`)),
  read: (server) => Effect.succeed(Outcome.failed(`There is no MCP server ${server} here.`)),
  resources: () => Effect.succeed(Outcome.succeeded("No resources are available.")),
  prompts: () => Effect.succeed([]),
  prompt: () => Effect.succeed(undefined),
  list: () => Effect.succeed({ servers: [], notes: [] }),
  write: (_, __, name) => new SettingsError({ where: name, message: "can't be saved here" }),
  allow: (_, server) => new McpError({ server, reason: "Unknown", message: "does not exist" }),
  review: (_, server) => new McpError({ server, reason: "Unknown", message: "does not exist" }),
  test: (_, server) => new McpError({ server, reason: "Unknown", message: "does not exist" }),
  login: (_, server) => new McpError({ server, reason: "Unknown", message: "does not exist" }),
  logout: (_, server) => new McpError({ server, reason: "Unknown", message: "does not exist" })
}

export const Mcp = Context.Reference<Servers>("dacapo/Mcp", { defaultValue: () => none })
