/** Servers of the Model Context Protocol: what they give a session, and asking them. Without a layer there are none. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { SettingsError } from "../domain/config/SettingsError.ts"
import type { Definition } from "../domain/mcp/Definition.ts"
import { McpError } from "../domain/mcp/McpError.ts"
import type { OfferedServer, OfferedTool, Renewed } from "../domain/mcp/ServerTools.ts"
import type { Prompt } from "../domain/mcp/Prompt.ts"
import type { Session } from "../domain/session/Session.ts"
import * as Outcome from "../domain/tool/Outcome.ts"
import type { ToolContext } from "./Tool.ts"

export interface Servers {
  /** What the servers give now, where that is not what the session knows. Starts those that it may and that do not run yet. */
  readonly renewed: (session: Session) => Effect.Effect<Renewed | undefined>
  /** Calls a tool by the server's own name for it; progress is shown as output of the call. */
  readonly call: (server: string, tool: string, input: Schema.JsonObject) => Effect.Effect<Outcome.Outcome, never, ToolContext>
  readonly read: (server: string, uri: string) => Effect.Effect<Outcome.Outcome, never, ToolContext>
  /** The resources of a server, or of all. */
  readonly resources: (server: string | undefined) => Effect.Effect<Outcome.Outcome, never, ToolContext>
  /** Prompts of the servers that a session uses. */
  readonly prompts: (cwd: string, session: string) => Effect.Effect<ReadonlyArray<Prompt>>
  /** A prompt written out with its arguments; undefined where no server that the session uses has it. */
  readonly prompt: (cwd: string, session: string, name: string, given: (prompt: Prompt) => Readonly<Record<string, string>>) => Effect.Effect<string | undefined>
  /** The servers that are written down for a folder; `notes` tell of those that can't be used. Starts none. */
  readonly known: (cwd: string) => Effect.Effect<{ readonly servers: ReadonlyArray<Known>; readonly notes: ReadonlyArray<string> }, SettingsError>
  /** Writes a server into the user's settings or into the project's file, or takes it out (undefined); gives the file. */
  readonly write: (cwd: string, where: "user" | "project", name: string, entry: Schema.Json | undefined) => Effect.Effect<string, SettingsError>
  /** Connects to a server because the user says so, and tells what it gives. */
  readonly test: (cwd: string, server: string) => Effect.Effect<Tested, McpError | SettingsError>
  /** Logs in to a remote server; `visit` is told the address that the user is to open. False where it asks for no login. */
  readonly login: (cwd: string, server: string, visit: (url: string) => Effect.Effect<void>) => Effect.Effect<boolean, McpError | SettingsError>
  /** Forgets a login; whether there was one. */
  readonly logout: (cwd: string, server: string) => Effect.Effect<boolean, McpError | SettingsError>
}

/** A server, the file that names it, and whether the user's own files do: then it was the user who wanted it. */
export interface Known {
  readonly definition: Definition
  readonly file: string
  readonly own: boolean
}

/** `protocol` is the version that both speak, `version` the server's own. */
export interface Tested {
  readonly server: OfferedServer
  readonly tools: ReadonlyArray<OfferedTool>
  readonly protocol: string
  readonly version: string
}

const none: Servers = {
  renewed: () => Effect.succeed(undefined),
  call: (server) => Effect.succeed(Outcome.failed(`There is no MCP server ${server} here.`)),
  read: (server) => Effect.succeed(Outcome.failed(`There is no MCP server ${server} here.`)),
  resources: () => Effect.succeed(Outcome.succeeded("There are no resources.")),
  prompts: () => Effect.succeed([]),
  prompt: () => Effect.succeed(undefined),
  known: () => Effect.succeed({ servers: [], notes: [] }),
  write: (_, __, name) => new SettingsError({ where: name, message: "can't be written down here" }),
  test: (_, server) => new McpError({ server, reason: "Unknown", message: "is not there" }),
  login: (_, server) => new McpError({ server, reason: "Unknown", message: "is not there" }),
  logout: (_, server) => new McpError({ server, reason: "Unknown", message: "is not there" })
}

export const Mcp = Context.Reference<Servers>("dacapo/Mcp", { defaultValue: () => none })
