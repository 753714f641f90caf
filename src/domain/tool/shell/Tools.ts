/** The tools that are known, by base name. */
import { devTools } from "./DevTools.ts"
import { fileTools } from "./FileTools.ts"
import { git } from "./GitTool.ts"
import { textTools } from "./TextTools.ts"
import type { Tool } from "./Tool.ts"

const tools = new Map<string, Tool>(Object.entries({ ...devTools, ...fileTools, ...textTools, git }))

/** `python3.12` and `lua5.4` are what their names without a version are. */
export const toolOf = (name: string): Tool | undefined =>
  tools.get(name) ?? tools.get(name.replace(/^(python|pypy|ruby|perl|php|node|lua|pip)[\d.]+$/, "$1").replace(/^pypy$/, "python"))
