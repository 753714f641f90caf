/** Calls that were intended but not written as calls: the note to a model whose response contained none. */
import * as Nearness from "../../tool/Nearness.ts"
import type { Tool } from "./TagGrammar.ts"
import * as UnknownCall from "./UnknownCall.ts"

/**
 * A message to the model if its text contains what looks like a call but is not: a tool's tag written as `<<read_file>>`,
 * `< read_file>`, in another case, with attributes or self-closing; or the call of an unknown tool, answered with the names
 * `offered`. For a text without a call; quoted code is not an attempt. O(length of the text).
 */
export const nearMiss = (
  text: string,
  tools: ReadonlyArray<Tool>,
  offered: ReadonlyArray<string> = tools.map(({ name }) => name)
): string | undefined => {
  if (tools.length === 0 || !text.includes("<")) return undefined
  const prose = withoutCode(text)
  return invalidTag(prose, tools) ?? unknownCall(prose, tools, offered)
}

const invalidTag = (text: string, tools: ReadonlyArray<Tool>): string | undefined => {
  const names = new Map(tools.map(({ name }) => [name.toLowerCase(), name]))
  for (const match of text.matchAll(tagPattern)) {
    const name = names.get(match[2]!.toLowerCase())
    if (name === undefined || isExact(text, match, name)) continue
    const tag = match.index > 0 && text[match.index - 1] === "<" ? `<${match[0]}` : match[0]
    return `Your response contained no tool call. "${tag}" looks like one but is invalid: ${form(name)}.`
  }
  return undefined
}

const unknownCall = (text: string, tools: ReadonlyArray<Tool>, offered: ReadonlyArray<string>): string | undefined => {
  const call = UnknownCall.find(text, tools)
  if (call === undefined) return undefined
  if (tools.some(({ name }) => name === call.name)) {
    return `Your response contained no tool call. "${call.tag}" looks like one but is invalid: ${form(call.name)}.`
  }
  const [nearest = "", ...others] = Nearness.nearestFirst(call.name, offered)
  return `Your response contained no tool call. "${call.tag}" looks like one, but there is no tool "${call.name}". ` +
    `Available tools: ${[nearest, ...others].join(", ")}. To call one, ${form(nearest)}. ` +
    "If the tag belongs to your answer, repeat the answer with the tag in a code block."
}

const form = (name: string): string => `a call starts with exactly <${name}>, with each parameter in its own tag inside`

/** The text with its code replaced. O(length of the text). */
export const withoutCode = (text: string): string => text.replace(codePattern, "`")

/** Fenced blocks and code spans, complete or up to where they are cut off. */
const codePattern = /^[ \t>]*(`{3,}|~{3,})[^]*?(?:^[ \t>]*\1|$(?![^]))|(`+)[^\n]*?(?:\2|$)/gm

/** At most 80 units of attributes are read after a name, and a name has at most 128: linear. */
const tagPattern = /<(\s{0,8})([^\s<>/]{1,128})([^<>]{0,80})>/g

const isExact = (text: string, match: RegExpExecArray, name: string): boolean =>
  match[1] === "" && match[2] === name && match[3]!.trim() === "" && text[match.index - 1] !== "<"
