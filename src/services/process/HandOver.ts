/**
 * Whether the sessions of this process continue in another one. What is stopped then stays open in the log, as after a crash, and
 * nothing says that the user interrupted it: the next owner resumes it. By default they don't.
 */
import * as Context from "effect/Context"

export interface HandOverState {
  readonly isDue: () => boolean
}

export const HandOver = Context.Reference<HandOverState>("dacapo/HandOver", { defaultValue: () => ({ isDue: () => false }) })
