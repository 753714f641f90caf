/**
 * Tags in the shape of a call to a tool that does not exist: `<web_search><query>…</query></web_search>`; and calls in forms
 * that other models are trained on: `<Invoke name='…'>`, `<function=…>`. HTML, placeholders (`<your_name>`) and tags within a sentence
 * are not calls.
 */
import type { Tool } from "./TagGrammar.ts"

/** Such a tag as written, and the name of the tool that it would call. */
export interface UnknownCall {
  readonly name: string
  readonly tag: string
}

/**
 * The first in a text from which code was removed. A call contains a known parameter first; or its name is of several words (`new_rule`),
 * and it contains a complete element first or has its lines to itself. O(length of the text).
 */
export const find = (text: string, tools: ReadonlyArray<Tool>): UnknownCall | undefined => otherForm(text) ?? element(text, tools)

const otherForm = (text: string): UnknownCall | undefined => {
  for (const { 0: tag, 1: name = "", index } of text.matchAll(otherFormPattern)) {
    if (!quotePattern.test(lineBefore(text, index))) return { name, tag }
  }
  return undefined
}

const element = (text: string, tools: ReadonlyArray<Tool>): UnknownCall | undefined => {
  const names = new Set(tools.map(({ name }) => name.toLowerCase()))
  const params = new Set(tools.flatMap(({ params }) => params.map(({ name }) => name)))
  const lastEnds = new Map([...text.matchAll(endPattern)].map(({ 1: name, index }) => [name!, index]))
  const isClosed = (name: string, from: number): boolean => (lastEnds.get(name) ?? -1) >= from

  for (const { 0: tag, 1: name = "", 2: attributes = "", 3: slash, index } of text.matchAll(startPattern)) {
    if (names.has(name.toLowerCase()) || htmlElements.has(name.toLowerCase())) continue
    const before = lineBefore(text, index)
    if (quotePattern.test(before)) continue
    const from = index + tag.length
    const isCompound = name.includes("_")
    const isAlone = isCompound && indentPattern.test(before)
    if (slash === "/") {
      if (isAlone && attributes.includes("=") && isLineEnd(text, from)) return { name, tag }
      continue
    }
    const child = nameAt(text, from)
    const hasChild = child !== undefined && isClosed(child, from)
    if (hasChild && (isCompound || params.has(child) && isClosed(name, from))) return { name, tag }
    if (isAlone && isClosed(name, from) && isLineEnd(text, text.indexOf(">", lastEnds.get(name)) + 1)) return { name, tag }
  }
  return undefined
}

// Each pattern reads a bounded number of units from where it starts.

const startPattern = /<([a-z][\w.:-]{0,127})((?:\s[^<>]{0,500}?)?)(\/?)>/gi
const otherFormPattern = /<(?:invoke\s{1,8}name|function)\s{0,8}=\s{0,8}["']?([\w.-]{1,128})["']?\s{0,8}>/gi
const endPattern = /<\/([a-z][\w.:-]{0,127})\s{0,8}>/gi
const childPattern = /\s{0,80}<([\w.:-]{1,128})>/y
const lineEndPattern = /[^\S\n]{0,80}(?:\n|$)/y

/** In a block quote, or directly after a quotation mark. */
const quotePattern = /^\s*>|["'“‘„«]$/

/** More indentation makes it code. */
const indentPattern = /^\s{0,3}$/

/** The line before a tag, as far as it matters. */
const lineBefore = (text: string, index: number): string => {
  const line = text.slice(Math.max(0, index - 200), index)
  return line.slice(line.lastIndexOf("\n") + 1)
}

/** The name of the tag that follows. */
const nameAt = (text: string, at: number): string | undefined => {
  childPattern.lastIndex = at
  return childPattern.exec(text)?.[1]
}

const isLineEnd = (text: string, at: number): boolean => {
  lineEndPattern.lastIndex = at
  return lineEndPattern.test(text)
}

/** HTML elements that may contain one with the name of a parameter (`summary`, `title`, `code`), and the most common others. */
const htmlElements: ReadonlySet<string> = new Set(
  ("a abbr address article aside audio b blockquote body button canvas caption center cite code data datalist dd del details dialog " +
    "div dl dt em embed fieldset figcaption figure footer form g h1 h2 h3 h4 h5 h6 head header hgroup html i iframe ins kbd label " +
    "legend li link main map mark math menu meta meter nav object ol optgroup option output p pre progress q ruby s samp " +
    "script section select slot small span strong style sub summary sup svg table tbody td template textarea tfoot th thead " +
    "time title tr u ul var video").split(" ")
)
