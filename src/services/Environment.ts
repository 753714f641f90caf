/** The process's environment, read once at the edge: variables, folders, platform. */
import * as Context from "effect/Context"

export class Environment extends Context.Service<Environment, {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Absolute folders (CONVENTIONS: XDG, or all under DACAPO_HOME). */
  readonly folders: {
    readonly home: string
    readonly config: string
    readonly data: string
    readonly state: string
    readonly cache: string
  }
  readonly platform: string
  readonly version: string
}>()("dacapo/Environment") {}
