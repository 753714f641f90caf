/** A shell that runs nothing: commands are answered from a script. */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Shell } from "../../services/Shell.ts"
import * as FunctionShell from "../workspace/shell/FunctionShell.ts"

/** Results by the command's text, or a function; a command without a result is not found (127). */
export type Script = Readonly<Record<string, FunctionShell.FunctionResult>> | Parameters<typeof FunctionShell.layer>[0]

/** A started command that its result timed out runs until it is stopped. */
export const layer = (script: Script): Layer.Layer<Shell> =>
  FunctionShell.layer(typeof script === "function" ? script : ({ command }) => Effect.succeed(script[command]))
