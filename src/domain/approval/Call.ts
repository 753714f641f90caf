/** The question that rules answer: one tool, one resource, and the facts that conditions compare. */
import type * as Schema from "effect/Schema"
import { Access } from "../tool/Access.ts"
import type { Leads } from "../workspace/Lookup.ts"

export type Facts = Readonly<Record<string, string | number | boolean>>

/** What a call carries besides its subject. */
export interface Context {
  readonly facts?: Facts
  /** The folder that relative paths and commands start from; the rules' root when absent. */
  readonly cwd?: string
  /** The folders the user opened; the rules' root when absent. */
  readonly roots?: ReadonlyArray<string>
  /** Our own name of the calling tool (`search_files`), for rules that use it instead of the standard name. */
  readonly by?: string
}

/** What the workspace reported about a command's paths; without it they are judged as written. */
export interface CommandContext extends Context {
  readonly leads?: Leads
}

export interface CommandCall extends CommandContext {
  readonly tool: "Bash"
  readonly command: string
  /** As in a command's access. */
  readonly changes?: ReadonlyArray<string>
  readonly unclear?: string
}

export interface PathCall extends Context {
  readonly tool: "Read" | "Edit"
  readonly path: string
  /** Where the path leads once links are followed: a deny on either applies, an allow needs both. */
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

/** Any call. Narrow it with the guards below: the tool's name is open-ended, so the fields tell the kinds apart. */
export type Call = CommandCall | PathCall | UrlCall | ToolCall

/** The call that rules see for an access. */
export const fromAccess = (access: Access, context: Context = {}): Call =>
  Access.match(access, {
    Read: ({ path, resolvedPath }) => pathCall("Read", path, resolvedPath, context),
    Edit: ({ path, resolvedPath }) => pathCall("Edit", path, resolvedPath, context),
    Command: ({ changes, command, cwd, leads, unclear }) => ({
      ...context,
      ...(cwd === undefined ? {} : { cwd }),
      ...(leads === undefined ? {} : { leads }),
      ...(changes === undefined ? {} : { changes }),
      ...(unclear === undefined ? {} : { unclear }),
      tool: "Bash" as const,
      command
    }),
    Fetch: ({ url }) => ({ ...context, tool: "WebFetch" as const, url }),
    Browse: ({ url }) => ({ ...context, tool: "Browser" as const, url }),
    Mcp: ({ input, server, tool }) => ({ ...context, tool: `mcp__${server}__${tool}`, input }),
    Other: ({ input, tool }) => ({ ...context, tool, input })
  })

const pathCall = (tool: "Read" | "Edit", path: string, resolvedPath: string | undefined, context: Context): PathCall => ({
  ...context,
  tool,
  // Tools name files relative to the session's folder, and do not expand `~`.
  path: path.startsWith("~") ? `./${path}` : path,
  ...(resolvedPath === undefined ? {} : { resolvedPath })
})
