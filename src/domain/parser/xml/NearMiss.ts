/** Calls that were meant but not written as calls: what to tell a model whose response held none. */
import type { Tool } from "./TagGrammar.ts"

/**
 * A message to the model if its text holds what looks like a tool's tag and is none: `<<read_file>>`, `< read_file>`,
 * another case, attributes, a self-closing form. For a text without a call; what it quotes as code is no try at one.
 * O(length of the text).
 */
export const nearMiss = (text: string, tools: ReadonlyArray<Tool>): string | undefined => {
  if (tools.length === 0) return undefined
  const names = new Map(tools.map(({ name }) => [name.toLowerCase(), name]))
  for (const match of text.replace(quoted, "`").matchAll(looksLikeTag)) {
    const name = names.get(match[2]!.toLowerCase())
    if (name === undefined || isExact(text, match, name)) continue
    const shown = match.index > 0 && text[match.index - 1] === "<" ? `<${match[0]}` : match[0]
    return `Your response held no tool call. "${shown}" looks like one, but is not: ` +
      `a call begins with exactly <${name}>, and each parameter stands in its own tags inside.`
  }
  return undefined
}

/** Fenced blocks and code spans, whole or to where they are cut off. */
const quoted = /^[ \t>]*(`{3,}|~{3,})[^]*?(?:^[ \t>]*\1|$(?![^]))|(`+)[^\n]*?(?:\2|$)/gm

/** At most 80 units of attributes are looked at behind a name, and a name has at most 128: linear. */
const looksLikeTag = /<(\s{0,8})([^\s<>/]{1,128})([^<>]{0,80})>/g

const isExact = (text: string, match: RegExpExecArray, name: string): boolean =>
  match[1] === "" && match[2] === name && match[3]!.trim() === "" && text[match.index - 1] !== "<"
