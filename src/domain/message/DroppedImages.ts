/** Images dropped on a terminal: it types their paths, with its own kind of quoting. */

const imageExtension = /\.(?:png|jpe?g|gif|webp)$/i

/** A path in quotes, one with backslashes, or a file URL. */
const argumentPattern = /"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s"'\\])+)/gy

/** The paths, if a text contains nothing else; resolving `~` is left to whoever knows the home folder. */
export const imagePaths = (text: string): ReadonlyArray<string> => {
  const trimmed = text.trim()
  const args = splitArguments(trimmed)
  const paths = args !== undefined && args.every(isImage) ? args : [trimmed] // A path with unescaped spaces, as some terminals paste it
  return paths.length > 0 && paths.every(isImage) ? paths : []
}

const isImage = (path: string): boolean => /^~?\//.test(path) && !path.includes("\n") && imageExtension.test(path)

/** Undefined if part of it is not a word. */
const splitArguments = (text: string): ReadonlyArray<string> | undefined => {
  const args: Array<string> = []
  argumentPattern.lastIndex = 0
  while (argumentPattern.lastIndex < text.length) {
    const match = argumentPattern.exec(text)
    if (match === null) return undefined
    const [, doubleQuoted, singleQuoted, unquoted = ""] = match
    args.push(pathOf(doubleQuoted ?? singleQuoted ?? unquoted.replace(/\\(.)/g, "$1")))
    argumentPattern.lastIndex += /^\s*/.exec(text.slice(argumentPattern.lastIndex))![0].length
  }
  return args
}

/** `file:///a%20b.png` as a path. */
const pathOf = (argument: string): string => {
  if (!argument.startsWith("file://")) return argument
  try {
    return decodeURIComponent(argument.replace(/^file:\/\/(?:localhost)?/, ""))
  } catch {
    return argument
  }
}
