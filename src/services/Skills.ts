/** What the user and the project have written down for certain kinds of work: SKILL.md folders, told by name until one is asked for. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface Skill {
  readonly name: string
  readonly description: string
  /** The folder that holds it, absolute. */
  readonly folder: string
}

export class Skills extends Context.Service<Skills, {
  /** In the order of their names; of two with one name the nearer counts. `problems`: folders that are no skills, and why. */
  readonly list: (cwd: string) => Effect.Effect<{ readonly skills: ReadonlyArray<Skill>; readonly problems: ReadonlyArray<string> }>
  /** The body and the names of the files beside it; null for a name that nobody has. */
  readonly read: (cwd: string, name: string) => Effect.Effect<{ readonly skill: Skill; readonly body: string; readonly files: ReadonlyArray<string> } | null>
}>()("efferent/Skills") {}
