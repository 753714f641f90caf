/** Instructions of the user and the project for certain kinds of work: SKILL.md folders, listed by name until one is read. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface Skill {
  readonly name: string
  readonly description: string
  /** Its folder, absolute. */
  readonly folder: string
}

/** A folder that is not a valid skill, and why; `description` if it has one. */
export interface SkippedSkill extends Pick<Skill, "name" | "folder"> {
  readonly description?: string
  readonly why: string
}

export class Skills extends Context.Service<Skills, {
  /** Sorted by name; of two with the same name the nearer wins. */
  readonly list: (cwd: string) => Effect.Effect<{ readonly skills: ReadonlyArray<Skill>; readonly skipped: ReadonlyArray<SkippedSkill> }>
  /** The body and the names of the files beside it; null for an unknown name. */
  readonly read: (
    cwd: string,
    name: string
  ) => Effect.Effect<{ readonly skill: Skill; readonly body: string; readonly files: ReadonlyArray<string> } | null>
}>()("dacapo/Skills") {}
