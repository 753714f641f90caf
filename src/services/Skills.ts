/** What the user and the project have written down for certain kinds of work: SKILL.md folders, told by name until one is asked for. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface Skill {
  readonly name: string
  readonly description: string
  /** The folder that holds it, absolute. */
  readonly folder: string
}

/** A folder that is no skill here, and why; `description` where it has one. */
export interface Left extends Pick<Skill, "name" | "folder"> {
  readonly description?: string
  readonly why: string
}

export class Skills extends Context.Service<Skills, {
  /** In the order of their names; of two with one name the nearer counts. */
  readonly list: (cwd: string) => Effect.Effect<{ readonly skills: ReadonlyArray<Skill>; readonly left: ReadonlyArray<Left> }>
  /** The body and the names of the files beside it; null for a name that nobody has. */
  readonly read: (cwd: string, name: string) => Effect.Effect<{ readonly skill: Skill; readonly body: string; readonly files: ReadonlyArray<string> } | null>
}>()("dacapo/Skills") {}
