/** Which tool of ours is meant by a name: our own, or the one that other agents have for it. */
import { builtin } from "./builtin.ts"

/** `Bash`, `bash` and `BASH` are one name, and so are `TodoWrite` and `todo_write`. */
const plain = (name: string): string => name.replace(/[_-]/g, "").toLowerCase()

const own: ReadonlyMap<string, string> = new Map(
  builtin.flatMap(({ aliases, name }) => [name, ...aliases ?? []].map((one) => [plain(one), name] as const))
)

/** Names that other agents give tools in their files and that no model calls ours by: as a tag in a text they would be too common. */
const elsewhere: Readonly<Record<string, string>> = {
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

/** Every name that a tool of ours has. */
export const names: ReadonlyArray<string> = builtin.map(({ name }) => name)

/** Our tool's name; an MCP tool, or all of a server, goes by its own. Undefined for a name that no tool here has. */
export const tool = (name: string): string | undefined => name.startsWith("mcp__") ? name : own.get(plain(name)) ?? elsewhere[plain(name)]
