/** The question that rules answer: one tool, one thing touched, and the facts that conditions compare. */
import type * as Schema from "effect/Schema"
import { Access } from "../tool/Access.ts"

export type Facts = Readonly<Record<string, string | number | boolean>>

/** What a call carries besides its subject. */
export interface Context {
  readonly facts?: Facts
  /** The folder that relative paths and commands start from; the rules' root when absent. */
  readonly cwd?: string
  /** The folders the user opened; the rules' root when absent. */
  readonly roots?: ReadonlyArray<string>
  /** Our own name of the tool that asks (`search_files`), for rules that name it rather than its field's word. */
  readonly by?: string
}

export interface CommandCall extends Context {
  readonly tool: "Bash"
  readonly command: string
}

export interface PathCall extends Context {
  readonly tool: "Read" | "Edit"
  readonly path: string
  /** Where the path leads once links are followed: a deny on either holds, an allow needs both. */
  readonly resolvedPath?: string
}

export interface UrlCall extends Context {
  readonly tool: "WebFetch" | "Browser"
  readonly url: string
}

export interface ToolCall extends Context {
  readonly tool: string
  readonly input?: Schema.Json
}

/** Any call. Narrow it with the guards below: the tool's name is open, so the fields tell the kinds apart. */
export type Call = CommandCall | PathCall | UrlCall | ToolCall

/** The call that rules see for an access. */
export const fromAccess = (access: Access, context: Context = {}): Call =>
  Access.match(access, {
    Read: ({ path, resolvedPath }) => located("Read", path, resolvedPath, context),
    Edit: ({ path, resolvedPath }) => located("Edit", path, resolvedPath, context),
    Command: ({ command, cwd }) => ({ ...context, ...(cwd === undefined ? {} : { cwd }), tool: "Bash" as const, command }),
    Fetch: ({ url }) => ({ ...context, tool: "WebFetch" as const, url }),
    Browse: ({ url }) => ({ ...context, tool: "Browser" as const, url }),
    Mcp: ({ input, server, tool }) => ({ ...context, tool: `mcp__${server}__${tool}`, input }),
    Other: ({ input, tool }) => ({ ...context, tool, input })
  })

const located = (tool: "Read" | "Edit", path: string, resolvedPath: string | undefined, context: Context): PathCall => ({
  ...context,
  tool,
  path,
  ...(resolvedPath === undefined ? {} : { resolvedPath })
})
