/**
 * Every place of a folder that dacapo reads by itself, each with its effect: the readers take their paths from here, `trust`
 * and `doctor` list what is here, and docs/security.md is compared with it. What needs trust is inactive until the user confirms
 * its content.
 */
import * as MemoryBank from "../context/MemoryBank.ts"
import * as RulesPlaces from "../context/RulesPlaces.ts"
import type { Syntax } from "../message/CommandSyntax.ts"
import * as Ignore from "../workspace/Ignore.ts"
import * as TrustedContent from "./TrustedContent.ts"

/** What reads a place. */
export type Reader = "agents" | "commands" | "ignore" | "memory" | "rules" | "servers" | "settings" | "skills" | "tools"

/** `path` is a file, or a folder of files, relative to the project; `effect` completes a sentence: ".mcp.json starts MCP servers". */
export interface ProjectFile {
  readonly path: string
  readonly reader: Reader
  readonly effect: string
  readonly needsTrust: boolean
  /** Of command files. */
  readonly syntax?: Syntax
}

const commands = (path: string, syntax: Syntax = "markdown"): ProjectFile => ({
  path,
  reader: "commands",
  effect: "adds commands",
  needsTrust: true,
  syntax
})

const rows = (reader: Reader, effect: string, needsTrust: boolean, paths: ReadonlyArray<string>): ReadonlyArray<ProjectFile> =>
  paths.map((path) => ({ path, reader, effect, needsTrust }))

/** Of two places of the same reader, the first takes precedence. */
export const list: ReadonlyArray<ProjectFile> = [
  ...rows("settings", "changes settings", true, TrustedContent.settingsFiles),
  ...rows("servers", "starts MCP servers, and allows the tools that it approves", true, [".mcp.json", ".roo/mcp.json"]),
  commands(".dacapo/commands"),
  commands(".claude/commands"),
  commands(".opencode/command"),
  commands(".opencode/commands"),
  commands(".gemini/commands", "gemini"),
  ...rows("tools", "adds tools", true, [".dacapo/tools"]),
  ...rows("agents", "adds agents", true, [".dacapo/agents", ".claude/agents", ".opencode/agents", ".opencode/agent", ".gemini/agents"]),
  ...rows("rules", "adds rules for the model", false, RulesPlaces.paths),
  ...rows("skills", "adds skills", false, [".dacapo/skills", ".agents/skills", ".claude/skills"]),
  ...rows("memory", "adds knowledge about the project", false, [MemoryBank.folder]),
  ...rows("ignore", "closes files to tools", false, Ignore.accessFiles)
]

/** The places of a reader, in the order of their precedence. */
export const of = (reader: Reader): ReadonlyArray<ProjectFile> => list.filter((row) => row.reader === reader)

/** The paths of a reader. */
export const paths = (reader: Reader): ReadonlyArray<string> => of(reader).map(({ path }) => path)
