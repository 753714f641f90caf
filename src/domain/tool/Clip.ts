/** Long text cut to its head and its tail, at line ends where one is near, with a count of what is missing. */

/** At most about `keep` characters of `text`; what was cut is counted in the middle. */
export const middle = (text: string, keep: number): string => {
  if (text.length <= keep) return text
  const half = Math.floor(keep / 2)
  const head = headOf(text, half)
  const tail = tailOf(text, half)
  return `${head}\n${notice(text.length - head.length - tail.length)}\n${tail}`
}

/** The line that stands for what was cut. */
export const notice = (characters: number): string => `[… ${characters} characters cut …]`

/** One line of at most `keep` characters. */
export const line = (text: string, keep: number): string =>
  text.length <= keep ? text : `${whole(text.slice(0, keep))} [… ${text.length - keep} more characters]`

const headOf = (text: string, size: number): string => {
  const end = text.lastIndexOf("\n", size)
  return end > size / 2 ? text.slice(0, end) : whole(text.slice(0, size))
}

const tailOf = (text: string, size: number): string => {
  const start = text.indexOf("\n", text.length - size)
  const from = start !== -1 && start + 1 < text.length - size / 2 ? start + 1 : text.length - size
  return isLow(text.charCodeAt(from)) ? text.slice(from + 1) : text.slice(from)
}

/** Never half a surrogate pair at the end. */
const whole = (text: string): string => isHigh(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
