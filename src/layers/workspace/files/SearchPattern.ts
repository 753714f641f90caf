/** A regular expression of a model's, which may be wrong, or never end. */
import { createContext, Script } from "node:vm"
import { fail } from "./FileFailure.ts"

/** Which lines of each of some texts match, by their index. Fails for an expression that takes too long. */
export type Pattern = (texts: ReadonlyArray<string>) => ReadonlyArray<ReadonlyArray<number>>

/** A text as lines, without their ends. */
export const lines = (text: string): ReadonlyArray<string> => text.replace(/\r?\n$/, "").split(/\r?\n/)

/** JavaScript's dialect, with flags that may stand in front as in others (`(?i)`). Fails for what is none. */
export const compile = (path: string, source: string): Pattern => {
  const pattern = expression(path, source)
  const sieve = whole(pattern)
  const matches: Pattern = (texts) => texts.map((text) =>
    sieve?.test(text) === false ? [] : lines(text).flatMap((line, i) => pattern.test(line) ? [i] : []))
  if (!/[*+{]/.test(pattern.source)) return matches // nothing repeats: nothing can take long
  const watched = createContext({ matches, texts: [] as ReadonlyArray<string> })
  return (texts) => {
    watched["texts"] = texts
    try {
      return [...call.runInContext(watched, { timeout: longest })]
    } catch {
      throw fail(path, "BadPattern", "The expression takes too long on these files: make it simpler.")
    } finally {
      watched["texts"] = []
    }
  }
}

/** ms for the texts of one call. Only V8's watchdog can stop an expression that backtracks without end; it is a thread, so several texts share one. */
const longest = 1000

const call = new Script("matches(texts)")

/**
 * Finds whether any line of a text matches, without taking it apart; undefined for an expression of which that can't be said. What
 * could run over the end of a line would take longer on a text than on its lines, and what must not follow could be on another.
 */
const whole = ({ flags, source }: RegExp): RegExp | undefined =>
  flags.includes("s") || /\(\?(?:<?!|[a-z]*-|[a-z]*s)|\[\^|\\[sSWDPnrxucpkvf0]/.test(source) ? undefined : new RegExp(source, flags.includes("m") ? flags : `${flags}m`)

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
