/** The user's settings, in files that people edit too. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Config from "../domain/config/Settings.ts"
import type { SettingsError } from "../domain/config/SettingsError.ts"

/** A setting for one invocation (`--config name=value`): its path and value. It takes precedence over the user's files. */
export interface Override {
  readonly path: ReadonlyArray<string>
  readonly value: unknown
}

export const Overrides = Context.Reference<ReadonlyArray<Override>>("dacapo/Settings/Overrides", { defaultValue: () => [] })

/** The settings of the session's folder as they were when the runtime started: its parts and the session are built from the same ones. */
export class SettingsSnapshot extends Context.Service<SettingsSnapshot, Config.Settings>()("dacapo/Settings/Snapshot") {}

export class Settings extends Context.Service<Settings, {
  /** All scopes for a folder, read now. */
  readonly load: (cwd: string) => Effect.Effect<Config.Settings, SettingsError>
  /** The settings of each file, in ascending precedence. */
  readonly scopes: (cwd: string) => Effect.Effect<ReadonlyArray<Config.Scope>, SettingsError>
  /**
   * Sets one value in the user's own file, or removes it (undefined), if the result is valid; returns the file. On disk
   * when it returns.
   */
  readonly set: (cwd: string, path: ReadonlyArray<string>, value: unknown) => Effect.Effect<string, SettingsError>
  /** Adds an allow rule for this folder, where only the user writes. */
  readonly allow: (cwd: string, rule: string) => Effect.Effect<void, SettingsError>
}>()("dacapo/Settings") {}

// Whether a run ignores everything that was written for agents (`--bare`).

/**
 * Excluded are rules files (except the machine's own), memory, skills, commands, and MCP servers that the run does not name itself.
 */
export const Bare = Context.Reference<boolean>("dacapo/Bare", { defaultValue: () => false })

/** Whether a run uses only the MCP servers that it names itself (`--strict-mcp-config`). */
export const StrictMcp = Context.Reference<boolean>("dacapo/StrictMcp", { defaultValue: () => false })
