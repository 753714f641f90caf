/** Every section that a prompt may have: to add one is a file and a line. */
import * as Family from "./ModelFamily.ts"
import type { About, Section } from "./Section.ts"
import { agents } from "./sections/agents.ts"
import { base } from "./sections/base.ts"
import { changed } from "./sections/changed.ts"
import { day } from "./sections/day.ts"
import { environment } from "./sections/environment.ts"
import { errors } from "./sections/errors.ts"
import { family } from "./sections/family.ts"
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

export const builtin = [agents, base, changed, day, environment, errors, family, git, memory, mode, own, rules, servers, skills, todo, toolFormat, tools, tree] as const

/** Those of a place that a model's family gets. */
export const of = (about: About, place: Section["place"]): ReadonlyArray<Section> => {
  const { without } = Family.of(about)
  return builtin.filter((section: Section) => section.place === place && !without.includes(section.name))
}
