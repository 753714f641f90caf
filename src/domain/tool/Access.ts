/** What a tool call would touch, told before it touches it. */
import * as Schema from "effect/Schema"

export const Access = Schema.TaggedUnion({
  Read: { path: Schema.String },
  Edit: { path: Schema.String, kind: Schema.Literals(["create", "modify", "delete"]) },
  Command: { command: Schema.String, cwd: Schema.String },
  Fetch: { url: Schema.String },
  Mcp: { server: Schema.String, tool: Schema.String, input: Schema.Json },
  Other: { tool: Schema.String, input: Schema.Json }
}).annotate({ identifier: "Access" })
export type Access = typeof Access.Type
