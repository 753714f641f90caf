/** The sources of every prompt: to add one is a file and a line. */
import { agents } from "./sources/agents.ts"
import { changed } from "./sources/changed.ts"
import { day } from "./sources/day.ts"
import { environment } from "./sources/basics.ts"
import { git } from "./sources/git.ts"
import { memory } from "./sources/memory.ts"
import { rules } from "./sources/rules.ts"
import { skills } from "./sources/skills.ts"
import { tree } from "./sources/tree.ts"

export const builtin = [agents, changed, day, environment, git, memory, rules, skills, tree] as const
