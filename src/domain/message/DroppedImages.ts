/** Pictures that were dropped on a terminal: it types their paths, quoted in the way of its own. */

const picture = /\.(?:png|jpe?g|gif|webp)$/i

/** A path between quotes, one with backslashes, or an address of a file. */
const word = /"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s"'\\])+)/gy

/** The paths, where a text is nothing else; `~` and what is behind it is left to whoever knows the home folder. */
export const pictures = (text: string): ReadonlyArray<string> => {
  const trimmed = text.trim()
  const found = words(trimmed)
  const all = found !== undefined && found.every(isPicture) ? found : [trimmed] // a path with bare blanks, as some paste it
  return all.length > 0 && all.every(isPicture) ? all : []
}

const isPicture = (path: string): boolean => /^~?\//.test(path) && !path.includes("\n") && picture.test(path)

/** Undefined where something stands there that is no word. */
const words = (text: string): ReadonlyArray<string> | undefined => {
  const found: Array<string> = []
  word.lastIndex = 0
  while (word.lastIndex < text.length) {
    const match = word.exec(text)
    if (match === null) return undefined
    const [, double, single, plain = ""] = match
    found.push(addressed(double ?? single ?? plain.replace(/\\(.)/g, "$1")))
    word.lastIndex += /^\s*/.exec(text.slice(word.lastIndex))![0].length
  }
  return found
}

/** `file:///a%20b.png` as a path. */
const addressed = (word: string): string => {
  if (!word.startsWith("file://")) return word
  try {
    return decodeURIComponent(word.replace(/^file:\/\/(?:localhost)?/, ""))
  } catch {
    return word
  }
}
