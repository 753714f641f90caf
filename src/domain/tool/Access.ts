/** What a tool would touch, declared before it does. Rules, risk and people decide over these alone. */
import * as Schema from "effect/Schema"

/** `resolvedPath` is where the path really leads once symbolic links are followed; both are judged. */
const location = { path: Schema.String, resolvedPath: Schema.optionalKey(Schema.String) }

/** What is typed into a terminal. */
export const TypedInput = Schema.Struct({ text: Schema.String, keys: Schema.Array(Schema.String) }).annotate({ identifier: "TypedInput" })
export type TypedInput = typeof TypedInput.Type

export const Access = Schema.TaggedUnion({
  /** Reads, lists or searches a file or folder. */
  Read: location,
  Edit: { ...location, kind: Schema.Literals(["create", "modify", "delete"]) },
  /**
   * A bash program; `cwd` is the folder in which it starts. Looked up on the machine: `leads` is where its paths lead
   * (`workspace/Lookup`): through links, and to what patterns and trees contain that a rule may forbid; `local` are its
   * programs that come from the open folders themselves, `changes` are protected files that it would change though the
   * command does not name them, and `unclear` is why that is uncertain; `confined`: a sandbox lets it write nothing but the open
   * folders and a temporary one of its own, and reach no network. Rules judge these alone: `background` and
   * `terminal` tell people how it runs, `always` is the rule to offer if the user's own settings wrote the command. `input`: it runs
   * already, and this is typed into its terminal: a text, then keys by name.
   */
  Command: {
    command: Schema.String,
    cwd: Schema.optionalKey(Schema.String),
    leads: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.Array(Schema.String)))),
    background: Schema.optionalKey(Schema.Boolean),
    terminal: Schema.optionalKey(Schema.Boolean),
    input: Schema.optionalKey(TypedInput),
    always: Schema.optionalKey(Schema.String),
    local: Schema.optionalKey(Schema.Array(Schema.String)),
    changes: Schema.optionalKey(Schema.Array(Schema.String)),
    unclear: Schema.optionalKey(Schema.String),
    confined: Schema.optionalKey(Schema.Boolean)
  },
  Fetch: { url: Schema.String },
  Browse: { url: Schema.String },
  Mcp: { server: Schema.String, tool: Schema.String, input: Schema.Json },
  /** Anything else, under the tool's own name: Agent, Skill, finish, a plug-in's tool. */
  Other: { tool: Schema.String, input: Schema.Json }
}).annotate({ identifier: "Access" })

export type Access = typeof Access.Type

/**
 * The fields that a file system or git fills in, in the order in which they are added: the digest of an action covers
 * it. A replay takes them from the log.
 */
export const machineFacts = ["kind", "resolvedPath", "local", "changes", "unclear", "leads", "confined"] as const

/** What happens to the file. */
export type EditKind = Extract<Access, { readonly _tag: "Edit" }>["kind"]

/** A command with a terminal, and the folder in which it started. */
export type TerminalCommand = Pick<Extract<Access, { readonly _tag: "Command" }>, "command" | "cwd">

/** Reading a file or folder. */
export const read = (path: string): Access => ({ _tag: "Read", path })

/** Writing, changing or deleting a file. */
export const edit = (path: string, kind: EditKind = "modify"): Access => ({ _tag: "Edit", path, kind })

/** Running a command line, in `cwd` if it is not the session's folder. */
export const command = (command: string, cwd?: string): Access =>
  cwd === undefined ? { _tag: "Command", command } : { _tag: "Command", command, cwd }

/** Fetching a page. */
export const fetch = (url: string): Access => ({ _tag: "Fetch", url })

/** Opening a page in the browser. */
export const browse = (url: string): Access => ({ _tag: "Browse", url })

/** Calling a tool of an MCP server. */
export const mcp = (server: string, tool: string, input: Schema.Json = {}): Access => ({ _tag: "Mcp", server, tool, input })

/** Anything else: rules see the tool's name and its input. */
export const other = (tool: string, input: Schema.Json = {}): Access => ({ _tag: "Other", tool, input })
