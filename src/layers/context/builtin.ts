/** The sources of every prompt: adding one takes a file and a line here. */
import { changed } from "./sources/changed.ts"
import { ended } from "./sources/ended.ts"
import { agents, day, environment, memory, plugins, skills, tree } from "./sources/basics.ts"
import { git } from "./sources/git.ts"
import { repository } from "./sources/repository.ts"
import { rules } from "./sources/rules.ts"

export const builtin = [agents, changed, day, ended, environment, git, memory, plugins, repository, rules, skills, tree] as const
