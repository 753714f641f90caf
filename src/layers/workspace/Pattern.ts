/** A regular expression of a model's, which may be wrong, or never end. */
import { createContext, Script } from "node:vm"
import { fail } from "./FileFailure.ts"

/** Which of the lines match, by their index. Fails for an expression that takes too long. */
export type Pattern = (lines: ReadonlyArray<string>) => ReadonlyArray<number>

/** JavaScript's dialect, with flags that may stand in front as in others (`(?i)`). Fails for what is none. */
export const compile = (path: string, source: string): Pattern => {
  const pattern = expression(path, source)
  const context = createContext({ pattern, lines: [] as ReadonlyArray<string> })
  return (lines) => {
    context["lines"] = lines
    try {
      return [...matching.runInContext(context, { timeout: longest })]
    } catch {
      throw fail(path, "BadPattern", "The expression takes too long on these files: make it simpler.")
    }
  }
}

/** ms for the lines of one file. Only V8's watchdog can stop an expression that backtracks without end. */
const longest = 1000

const matching = new Script("lines.flatMap((line, i) => pattern.test(line) ? [i] : [])")

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
