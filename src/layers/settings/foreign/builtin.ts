/** The agents that `dacapo import` knows. */
import { claude } from "./Claude.ts"
import { cline, roo } from "./Cline.ts"
import { codex } from "./Codex.ts"
import type { ForeignAgent } from "./ImportItem.ts"
import { opencode } from "./Opencode.ts"

export const builtin: ReadonlyArray<ForeignAgent> = [claude, cline, codex, opencode, roo]
