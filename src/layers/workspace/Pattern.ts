/** A regular expression of a model's, which may be wrong, or never end. */
import { createContext, Script } from "node:vm"
import { fail } from "./FileFailure.ts"

/** Which lines of each of some texts match, by their index. Fails for an expression that takes too long. */
export type Pattern = (texts: ReadonlyArray<ReadonlyArray<string>>) => ReadonlyArray<ReadonlyArray<number>>

/** JavaScript's dialect, with flags that may stand in front as in others (`(?i)`). Fails for what is none. */
export const compile = (path: string, source: string): Pattern => {
  const pattern = expression(path, source)
  const context = createContext({ pattern, texts: [] as ReadonlyArray<ReadonlyArray<string>> })
  return (texts) => {
    context["texts"] = texts
    try {
      return [...matching.runInContext(context, { timeout: longest })]
    } catch {
      throw fail(path, "BadPattern", "The expression takes too long on these files: make it simpler.")
    }
  }
}

/** ms for the texts of one call. Only V8's watchdog can stop an expression that backtracks without end; it is a thread, so several texts share one. */
const longest = 1000

const matching = new Script("texts.map((lines) => lines.flatMap((line, i) => pattern.test(line) ? [i] : []))")

const expression = (path: string, source: string): RegExp => {
  const [, flags = "", body = ""] = /^(?:\(\?([ims]+)\))?([^]*)$/.exec(source)!
  try {
    return new RegExp(body, `u${flags}`)
  } catch {
    try {
      return new RegExp(body, flags)
    } catch (cause) {
      throw fail(path, "BadPattern", (cause as Error).message)
    }
  }
}
