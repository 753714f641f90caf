/** Whether a run begins from nothing but what it is told: nothing that people wrote down for agents is looked for (`--bare`). */
import * as Context from "effect/Context"

/** Left out are rules files (but the machine's own), memory, skills, commands, and MCP servers that the run does not name itself. */
export const Bare = Context.Reference<boolean>("dacapo/Bare", { defaultValue: () => false })
