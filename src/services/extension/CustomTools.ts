/** Tools from files of the user, the project and plugins. Without a layer there are none. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CustomTool } from "../../domain/extension/CustomTool.ts"

export interface CustomToolList {
  /** By name; of two with the same name the nearer wins. */
  readonly tools: ReadonlyArray<CustomTool>
  /** Files that define no tool, and why. */
  readonly notes: ReadonlyArray<string>
}

/** The tools of a folder, as they are now. */
export const CustomTools = Context.Reference<{ readonly list: (cwd: string) => Effect.Effect<CustomToolList> }>(
  "dacapo/CustomTools",
  { defaultValue: () => ({ list: () => Effect.succeed({ tools: [], notes: [] }) }) }
)
