/** Calls that were intended but not written as calls: the note to a model whose response contained none. */
import type { Tool } from "./TagGrammar.ts"

/**
 * A message to the model if its text contains what looks like a tool's tag but is not: `<<read_file>>`, `< read_file>`, another
 * case, attributes, a self-closing form. For a text without a call; quoted code is not an attempt. O(length of the text).
 */
export const nearMiss = (text: string, tools: ReadonlyArray<Tool>): string | undefined => {
  if (tools.length === 0) return undefined
  const names = new Map(tools.map(({ name }) => [name.toLowerCase(), name]))
  for (const match of text.replace(codePattern, "`").matchAll(tagPattern)) {
    const name = names.get(match[2]!.toLowerCase())
    if (name === undefined || isExact(text, match, name)) continue
    const tag = match.index > 0 && text[match.index - 1] === "<" ? `<${match[0]}` : match[0]
    return `Your response contained no tool call. "${tag}" looks like one but is invalid: ` +
      `a call starts with exactly <${name}>, with each parameter in its own tag inside.`
  }
  return undefined
}

/** Fenced blocks and code spans, complete or up to where they are cut off. */
const codePattern = /^[ \t>]*(`{3,}|~{3,})[^]*?(?:^[ \t>]*\1|$(?![^]))|(`+)[^\n]*?(?:\2|$)/gm

/** At most 80 units of attributes are read after a name, and a name has at most 128: linear. */
const tagPattern = /<(\s{0,8})([^\s<>/]{1,128})([^<>]{0,80})>/g

const isExact = (text: string, match: RegExpExecArray, name: string): boolean =>
  match[1] === "" && match[2] === name && match[3]!.trim() === "" && text[match.index - 1] !== "<"
