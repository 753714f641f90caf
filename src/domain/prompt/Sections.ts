/** Every section that a prompt may have: to add one is a file and a line. */
import { base } from "./sections/base.ts"
import { environment } from "./sections/environment.ts"
import { git } from "./sections/git.ts"
import { mode } from "./sections/mode.ts"
import { rules } from "./sections/rules.ts"
import { todo } from "./sections/todo.ts"
import { toolFormat } from "./sections/toolFormat.ts"
import { tools } from "./sections/tools.ts"

export const builtin = [base, environment, git, mode, rules, todo, toolFormat, tools] as const
