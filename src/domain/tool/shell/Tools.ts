/** The known tools, by base name. */
import { devTools } from "./DevTools.ts"
import { git } from "./GitTool.ts"
import { fileTools, textTools } from "./TextTools.ts"
import type { Tool } from "./Tool.ts"

const tools = new Map<string, Tool>(Object.entries({ ...devTools, ...fileTools, ...textTools, git }))

const runners: ReadonlySet<Tool> = new Set(Object.values(devTools))

/** Interpreters, package managers, builders and test runners, under any of their names. */
export const isDevTool = (name: string): boolean => {
  const tool = toolOf(name)
  return tool !== undefined && runners.has(tool)
}

/** `python3.12` and `lua5.4` count as their names without a version. */
export const toolOf = (name: string): Tool | undefined =>
  tools.get(name) ?? tools.get(name.replace(/^(python|pypy|ruby|perl|php|node|lua|pip)[\d.]+$/, "$1").replace(/^pypy$/, "python"))
