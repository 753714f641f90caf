/** Every section that a prompt may have: to add one is a file and a line. */
import { base } from "./sections/base.ts"
import { changed } from "./sections/changed.ts"
import { environment } from "./sections/environment.ts"
import { git } from "./sections/git.ts"
import { memory } from "./sections/memory.ts"
import { mode } from "./sections/mode.ts"
import { own } from "./sections/own.ts"
import { rules } from "./sections/rules.ts"
import { servers } from "./sections/servers.ts"
import { skills } from "./sections/skills.ts"
import { todo } from "./sections/todo.ts"
import { toolFormat } from "./sections/toolFormat.ts"
import { tools } from "./sections/tools.ts"
import { tree } from "./sections/tree.ts"

export const builtin = [base, changed, environment, git, memory, mode, own, rules, servers, skills, todo, toolFormat, tools, tree] as const
