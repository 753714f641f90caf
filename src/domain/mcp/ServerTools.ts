/** What MCP servers give a session: the log holds it, so that a session runs again without them. */
import * as Schema from "effect/Schema"

/** A tool of a server: `name` is how the model calls it, `tool` how the server does; `schema` is JSON Schema of its params as the server gave it, without `$ref`. */
export const OfferedTool = Schema.Struct({
  name: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "OfferedTool" })
export type OfferedTool = typeof OfferedTool.Type

/** A server that answers, and whether it has resources and prompts; `instructions` are its own words on how to use it. */
export const OfferedServer = Schema.Struct({
  name: Schema.String,
  resources: Schema.Boolean,
  prompts: Schema.Boolean,
  instructions: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "OfferedServer" })
export type OfferedServer = typeof OfferedServer.Type

/** Both in the order of their names. */
export const Offer = Schema.Struct({
  servers: Schema.Array(OfferedServer),
  tools: Schema.Array(OfferedTool)
}).annotate({ identifier: "Offer" })
export type Offer = typeof Offer.Type

export const nothing: Offer = { servers: [], tools: [] }

/** An offer that is not what the session knows; `notes` tell people what did not come of it. */
export interface Renewed {
  readonly offer: Offer
  readonly notes: ReadonlyArray<string>
}
