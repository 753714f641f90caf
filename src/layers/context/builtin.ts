/** The sources of every prompt: to add one is a file and a line. */
import { environment } from "./sources/environment.ts"
import { git } from "./sources/git.ts"
import { rules } from "./sources/rules.ts"

export const builtin = [environment, git, rules] as const
