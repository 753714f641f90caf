/** The tool names that rules may use, what their specs mean, their tags, and what a near miss was meant to be. */

/** What a spec in brackets is for this tool; `none` takes none. */
export type SpecKind = "command" | "path" | "host" | "name" | "none"

export interface KnownTool {
  readonly name: string
  readonly spec: SpecKind
  readonly tags: ReadonlyArray<string>
  /** The field's word that covers this tool, for our own names. */
  readonly covered?: string
}

const field: ReadonlyArray<KnownTool> = [
  { name: "Agent", spec: "name", tags: ["agent"] },
  { name: "Bash", spec: "command", tags: ["command"] },
  { name: "Browser", spec: "host", tags: ["browser", "network"] },
  { name: "Edit", spec: "path", tags: ["edit"] },
  { name: "Read", spec: "path", tags: ["read"] },
  { name: "Skill", spec: "name", tags: ["read"] },
  { name: "WebFetch", spec: "host", tags: ["network"] }
]

const ours = (covered: string, names: string): ReadonlyArray<KnownTool> => {
  const { spec, tags } = field.find(({ name }) => name === covered)!
  return names.split(" ").map((name) => ({ name, spec, tags, covered }))
}

const plain = (tags: ReadonlyArray<string>, names: string): ReadonlyArray<KnownTool> =>
  names.split(" ").map((name) => ({ name, spec: "none" as const, tags }))

export const builtin: ReadonlyArray<KnownTool> = [
  ...field,
  ...ours("Agent", "delegate"),
  ...ours("Bash", "run_command"),
  ...ours("Browser", "browser"),
  ...ours("Edit", "apply_patch edit_file write_file"),
  ...ours("Read", "list_definitions list_files read_file search_files"),
  ...ours("Skill", "read_skill"),
  ...ours("WebFetch", "fetch_url"),
  ...plain(["command"], "command_output stop_command"),
  ...plain(["edit"], "new_rule update_memory"),
  ...plain(["mcp"], "list_prompts list_resources mcp_guide read_resource search_tools"),
  ...plain([], "ask_user finish present_plan update_todo")
]

export const builtinTags: ReadonlyArray<string> = ["agent", "browser", "command", "edit", "mcp", "network", "read"]

export const isMcp = (name: string): boolean => name.startsWith("mcp__")

const covered = new Map(builtin.map((tool) => [tool.name, tool.covered]))

/** The names by which rules may speak of a call: its own, the field's word, and our name of the tool that asks. */
export const fieldNames = (tool: string, by: string | undefined): ReadonlyArray<string> => {
  const names = [tool]
  for (const name of [tool, by]) {
    if (name === undefined) continue
    if (!names.includes(name)) names.push(name)
    const word = covered.get(name)
    if (word !== undefined && !names.includes(word)) names.push(word)
  }
  return names
}

/** Names of other agents and of older versions, and the word that covers them here. */
const elsewhere: Readonly<Record<string, string>> = {
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
  websearch: "WebFetch",
  write: "Edit",
  write_to_file: "write_file"
}

/** The name in `known` that is meant by another spelling of it, or by what other agents call it. */
export const spelled = (name: string, known: Iterable<string>): string | undefined => {
  const folded = name.toLowerCase()
  const same = [...known].find((candidate) => candidate.toLowerCase() === folded)
  return same ?? (Object.hasOwn(elsewhere, folded) ? elsewhere[folded] : undefined)
}

/** What an unknown name was probably meant to be. */
export const suggestion = (name: string, known: Iterable<string>): string | undefined => {
  const names = [...known]
  const near = names
    .map((candidate) => ({ candidate, steps: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps)[0]
  return spelled(name, names) ?? (near !== undefined && near.steps <= Math.max(1, name.length >> 2) ? near.candidate : undefined)
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
