/** Which of our tools a name refers to: our own name, or another agent's. */
import * as Table from "../../domain/Table.ts"
import { builtin } from "./builtin.ts"

/** `Bash`, `bash` and `BASH` are one name, and so are `TodoWrite` and `todo_write`. */
const normalize = (name: string): string => name.replace(/[_-]/g, "").toLowerCase()

const builtinNames: ReadonlyMap<string, string> = new Map(
  builtin.flatMap(({ aliases, name }) => [name, ...aliases ?? []].map((one) => [normalize(one), name] as const))
)

/** Names that other agents give tools in their files but that no model calls ours by: as a tag in a text they would be too common. */
const foreignNames: Readonly<Record<string, string>> = {
  agent: "delegate",
  glob: "list_files",
  list: "list_files",
  multiedit: "edit_file",
  notebookedit: "edit_file",
  readmanyfiles: "read_file",
  replace: "edit_file",
  searchfilecontent: "search_files",
  todoread: "update_todo"
}

/** Every name of one of our tools. */
export const names: ReadonlyArray<string> = builtin.map(({ name }) => name)

/** Our tool's name; an MCP tool, or all of a server's, keeps its own. Undefined for an unknown name. */
export const tool = (name: string): string | undefined =>
  name.startsWith("mcp__") ? name : builtinNames.get(normalize(name)) ?? Table.entry(foreignNames, normalize(name))
