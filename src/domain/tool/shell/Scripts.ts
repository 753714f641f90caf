/** Program texts of sed and awk that only print: anything else is asked. */

/** True when a sed script neither runs a command nor reads or writes a file of its own. */
export const isPlainSed = (script: string): boolean => {
  let rest = script
  for (;;) {
    rest = rest.replace(/^[\s;{}]+/, "")
    if (rest === "") return true
    const command = oneSedCommand(rest)
    if (command === undefined) return false
    rest = rest.slice(command)
  }
}

const address = String.raw`(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[\]]|\\[^\n]|\[\^?\]?[^\]/\\\n]*\])*\/[IM]*)`
const plainCommand = new RegExp(String.raw`^(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?)?\s*!*\s*(?:[pPdDnNgGhHxl=]|[qQ]\s*\d*)?(?=[\s;{}]|$)`)
const substitution = new RegExp(String.raw`^(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?)?\s*!*\s*([sy])([^\sA-Za-z0-9\\\n;{}[\]])`)

/** The length of the first command, when it is one of those that only print. */
const oneSedCommand = (text: string): number | undefined => {
  const start = substitution.exec(text)
  if (start === null) {
    const plain = plainCommand.exec(text)
    return plain === null || plain[0] === "" ? undefined : plain[0].length
  }
  const delimiter = start[2]!
  let at = start[0].length
  for (let part = 0; part < 2; part++) {
    const end = delimiterEnd(text, at, delimiter)
    if (end === undefined) return undefined
    at = end
  }
  const flags = /^[gpiI\d]*(?=[\s;}]|$)/.exec(text.slice(at))
  return flags === null || (start[1] === "y" && flags[0] !== "") ? undefined : at + flags[0].length
}

/** After the next delimiter. One within brackets is read in two ways by two seds, so it is none. */
const delimiterEnd = (text: string, from: number, delimiter: string): number | undefined => {
  let bracket = false
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === "\n") return undefined
    if (char === "\\") at++
    else if (char === delimiter) return bracket ? undefined : at + 1
    else if (char === "[") bracket = true
    else if (char === "]") bracket = false
  }
  return undefined
}

/** True when an awk program has no pipe, no redirection, no call outside itself. */
export const isPlainAwk = (program: string): boolean =>
  !/[|>@`]|\b(?:system|getline|close|fflush|ENVIRON|ARGV|PROCINFO|FUNCTAB|SYMTAB)\b/.test(program.replaceAll("||", " "))
  && !/"[^"]*\/inet/.test(program)
