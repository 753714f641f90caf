/** What a tool would touch, said before it touches it. Rules, risk and people decide over these alone. */
import * as Schema from "effect/Schema"

/** `resolvedPath` is where the path really leads once symbolic links are followed; both are judged. */
const location = { path: Schema.String, resolvedPath: Schema.optionalKey(Schema.String) }

export const Access = Schema.TaggedUnion({
  /** Reads, lists or searches a file or folder. */
  Read: location,
  Edit: { ...location, kind: Schema.Literals(["create", "modify", "delete"]) },
  /**
   * A bash program; `cwd` is the folder it starts in. Rules judge these alone: `background` and `terminal` tell people how
   * it runs, `always` is the rule to offer where the user's own settings wrote the command.
   */
  Command: {
    command: Schema.String,
    cwd: Schema.optionalKey(Schema.String),
    background: Schema.optionalKey(Schema.Boolean),
    terminal: Schema.optionalKey(Schema.Boolean),
    always: Schema.optionalKey(Schema.String)
  },
  Fetch: { url: Schema.String },
  Browse: { url: Schema.String },
  Mcp: { server: Schema.String, tool: Schema.String, input: Schema.Json },
  /** Anything else, under the tool's own name: Agent, Skill, finish, a plug-in's tool. */
  Other: { tool: Schema.String, input: Schema.Json }
}).annotate({ identifier: "Access" })

export type Access = typeof Access.Type
/** What becomes of the file. */
export type EditKind = Extract<Access, { readonly _tag: "Edit" }>["kind"]

/** Reading a file or folder. */
export const read = (path: string): Access => ({ _tag: "Read", path })

/** Writing, changing or deleting a file. */
export const edit = (path: string, kind: EditKind = "modify"): Access => ({ _tag: "Edit", path, kind })

/** Running a command line, in `cwd` where it is not the session's folder. */
export const command = (command: string, cwd?: string): Access =>
  cwd === undefined ? { _tag: "Command", command } : { _tag: "Command", command, cwd }

/** Getting a page. */
export const fetch = (url: string): Access => ({ _tag: "Fetch", url })

/** Opening a page in the browser. */
export const browse = (url: string): Access => ({ _tag: "Browse", url })

/** Calling a tool of an MCP server. */
export const mcp = (server: string, tool: string, input: Schema.Json = {}): Access => ({ _tag: "Mcp", server, tool, input })

/** Anything else: rules see the tool's name and what it was given. */
export const other = (tool: string, input: Schema.Json = {}): Access => ({ _tag: "Other", tool, input })
