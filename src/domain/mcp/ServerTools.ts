/** What MCP servers, files and plugins offer a session: stored in the log, so that a session replays without them. */
import * as Schema from "effect/Schema"
import { CustomTool } from "../extension/CustomTool.ts"

/**
 * An MCP tool: `name` is how the model calls it, `tool` the server's own name; `schema` is JSON Schema of its
 * params as the server gave it, without `$ref`.
 */
export const ServerTool = Schema.Struct({
  name: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "OfferedTool" })
export type ServerTool = typeof ServerTool.Type

/** A connected server, and whether it has resources and prompts; `instructions` are its own text on how to use it. */
export const ServerInfo = Schema.Struct({
  name: Schema.String,
  resources: Schema.Boolean,
  prompts: Schema.Boolean,
  instructions: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "OfferedServer" })
export type ServerInfo = typeof ServerInfo.Type

/** All in the order of their names; `custom` are tools of files and plugins, which no server offers. */
export const ServerTools = Schema.Struct({
  servers: Schema.Array(ServerInfo),
  tools: Schema.Array(ServerTool),
  custom: Schema.optionalKey(Schema.Array(CustomTool))
}).annotate({ identifier: "Offer" })
export type ServerTools = typeof ServerTools.Type

export const noServerTools: ServerTools = { servers: [], tools: [] }

/** An offer that differs from what the session knows; `notes` report failures to people. */
export interface ServerToolsUpdate {
  readonly offer: ServerTools
  readonly notes: ReadonlyArray<string>
}
