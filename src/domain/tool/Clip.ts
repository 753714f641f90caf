/** Text that is too long for its place, cut with a count of what is missing. */
import * as Excerpt from "./Truncate.ts"

/** At most about `keep` characters of `text`: its head and its tail, at line ends where one is near. */
export const middle = (text: string, keep: number): string =>
  text.length <= keep ? text : Excerpt.result(Excerpt.push(Excerpt.initial(keep), text)).text

/** One line of at most `keep` characters; never half a surrogate pair. */
export const line = (text: string, keep: number): string => {
  if (text.length <= keep) return text
  const end = isHigh(text.charCodeAt(keep - 1)) ? keep - 1 : keep
  return `${text.slice(0, end)} [… ${text.length - end} more characters]`
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
