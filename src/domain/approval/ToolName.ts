/** The tool names that rules may use, what their specs mean, their tags, and corrections for near misses. */

/** What a spec in brackets means for this tool; `none` takes none. */
export type SpecKind = "command" | "path" | "host" | "name" | "none"

export interface ToolInfo {
  readonly name: string
  readonly spec: SpecKind
  readonly tags: ReadonlyArray<string>
  /** The standard name that covers this tool, for our own names. */
  readonly standardName?: string
}

const standardTools: ReadonlyArray<ToolInfo> = [
  { name: "Agent", spec: "name", tags: ["agent"] },
  { name: "Bash", spec: "command", tags: ["command"] },
  { name: "Browser", spec: "host", tags: ["browser", "network"] },
  { name: "Edit", spec: "path", tags: ["edit"] },
  { name: "Read", spec: "path", tags: ["read"] },
  { name: "Skill", spec: "name", tags: ["read"] },
  { name: "WebFetch", spec: "host", tags: ["network"] },
  { name: "WebSearch", spec: "none", tags: ["network"] }
]

const toolsLike = (standardName: string, names: string): ReadonlyArray<ToolInfo> => {
  const { spec, tags } = standardTools.find(({ name }) => name === standardName)!
  return names.split(" ").map((name) => ({ name, spec, tags, standardName }))
}

const toolsWithoutSpec = (tags: ReadonlyArray<string>, names: string): ReadonlyArray<ToolInfo> =>
  names.split(" ").map((name) => ({ name, spec: "none" as const, tags }))

export const builtinTools: ReadonlyArray<ToolInfo> = [
  ...standardTools,
  ...toolsLike("Agent", "delegate"),
  ...toolsLike("Bash", "run_command"),
  ...toolsLike("Browser", "browser"),
  ...toolsLike("Edit", "apply_patch edit_file write_file"),
  ...toolsLike("Read", "list_definitions list_files read_file search_code search_files"),
  ...toolsLike("Skill", "read_skill"),
  ...toolsLike("WebFetch", "fetch_url"),
  ...toolsLike("WebSearch", "web_search"),
  ...toolsWithoutSpec(["command"], "command_output stop_command"),
  ...toolsWithoutSpec(["edit"], "new_rule update_memory"),
  ...toolsWithoutSpec(["mcp"], "list_prompts list_resources mcp_guide read_resource search_tools"),
  ...toolsWithoutSpec([], "ask_user finish present_plan update_todo")
]

export const builtinTags: ReadonlyArray<string> = ["agent", "browser", "command", "edit", "mcp", "network", "read"]

export const isMcp = (name: string): boolean => name.startsWith("mcp__")

/** Tools that rules may name without knowing them: those of MCP servers, and of plugins' code. */
export const isExternal = (name: string): boolean => isMcp(name) || name.startsWith("plugin__")

const standardNameByTool = new Map(builtinTools.map((tool) => [tool.name, tool.standardName]))

/** The names by which rules may refer to a call: its own, the standard one, and our name of the calling tool. */
export const standardNames = (tool: string, by: string | undefined): ReadonlyArray<string> => {
  const names = [tool]
  for (const name of [tool, by]) {
    if (name === undefined) continue
    if (!names.includes(name)) names.push(name)
    const standardName = standardNameByTool.get(name)
    if (standardName !== undefined && !names.includes(standardName)) names.push(standardName)
  }
  return names
}

/** Names used by other agents and older versions, and the name that covers them here. */
const foreignNames: Readonly<Record<string, string>> = {
  command: "Bash",
  create: "Edit",
  execute_command: "run_command",
  exec: "Bash",
  fetch: "WebFetch",
  glob: "Read",
  grep: "Read",
  list_code_definition_names: "list_definitions",
  ls: "Read",
  multiedit: "Edit",
  notebookedit: "Edit",
  replace_in_file: "edit_file",
  search: "Read",
  shell: "Bash",
  task: "Agent",
  use_subagents: "delegate",
  web_fetch: "fetch_url",
  websearch: "WebSearch",
  write: "Edit",
  write_to_file: "write_file"
}

/** The name in `candidates` that another spelling, or another agent's name, refers to. */
export const resolveSpelling = (name: string, candidates: Iterable<string>): string | undefined => {
  const folded = name.toLowerCase()
  const match = [...candidates].find((candidate) => candidate.toLowerCase() === folded)
  return match ?? (Object.hasOwn(foreignNames, folded) ? foreignNames[folded] : undefined)
}

/** What an unknown name probably means. */
export const suggestion = (name: string, candidates: Iterable<string>): string | undefined => {
  const names = [...candidates]
  const nearest = names
    .map((candidate) => ({ candidate, steps: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps)[0]
  return resolveSpelling(name, names) ??
    (nearest !== undefined && nearest.steps <= Math.max(1, name.length >> 2) ? nearest.candidate : undefined)
}

/** Edits between two short words (Levenshtein). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
