/**
 * Slips in a response whose meaning is certain: another case, attributes instead of children, the children of one form in the other, the
 * `<function=name>` that some models are trained on, a closing tag that is missing at the end of a response that was not cut off. What is
 * not certain is left for the model to correct.
 */
import type { ToolCallPart } from "../../message/Part.ts"
import { define } from "../OwnProperty.ts"
import { withoutCode } from "./NearMiss.ts"
import type { Tool } from "./TagGrammar.ts"

type Param = Tool["params"][number]

/** A call, and what was repaired about it. */
interface Reading {
  readonly params: Readonly<Record<string, string>>
  readonly slips: ReadonlyArray<string>
}

const note = (slips: ReadonlyArray<string>): string => `Repaired: ${[...new Set(slips)].join("; ")}`

/**
 * - `calls`: the parser's calls at the end of the response.
 * - `text`: the text of a response without a call, "" for others.
 * - `received`: everything that the model wrote, if the response ended by itself; undefined if it may have been cut off.
 */
export interface Written {
  readonly calls: ReadonlyArray<ToolCallPart>
  readonly text: string
  readonly tools: ReadonlyArray<Tool>
  readonly received: string | undefined
}

/** The calls that differ when repaired, under their ids, and those that were taken for text. O(length of the response). */
export const repairs = ({ calls, received, text, tools }: Written): ReadonlyArray<ToolCallPart> => [
  ...calls.flatMap((call) => repairedCall(call, tools, received) ?? []),
  ...(text === "" || !text.includes("<") ? [] : callsInText(withoutCode(text), tools, received !== undefined))
]

/** A call repaired: children that the parser took for text between parameters, or a missing closing tag at the end. */
const repairedCall = (call: ToolCallPart, tools: ReadonlyArray<Tool>, text: string | undefined): ToolCallPart | undefined => {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined || call.malformed !== undefined) return undefined
  const completed = withChildren(call, tool)
  if (!call.partial) return completed
  return text === undefined ? undefined : withEnd(completed ?? call, tool, text)
}

const between = "Text between parameters: "

/** The call with the parameters that were written in another form; undefined if there are none, or other text as well. */
const withChildren = (call: ToolCallPart, tool: Tool): ToolCallPart | undefined => {
  const texts = call.warnings.filter((warning) => warning.startsWith(between))
  if (texts.length === 0) return undefined
  let params = call.params as Readonly<Record<string, string>>
  let slips: ReadonlyArray<string> = []
  for (const text of texts) {
    const reading = childParams(text.slice(between.length), tool, new Set(Object.keys(params)))
    if (reading === undefined) return undefined
    params = { ...params, ...reading.params }
    slips = [...slips, ...reading.slips]
  }
  const warnings = call.warnings.filter((warning) => !warning.startsWith(between))
  return {
    ...call,
    params,
    warnings: [...warnings, note(slips.length > 0 ? slips : ["its parameters were in the form of a tool's own tags"])]
  }
}

/** The call as complete, if its last parameter was closed, and only closing tags are missing. */
const withEnd = (call: ToolCallPart, tool: Tool, text: string): ToolCallPart | undefined => {
  const params = call.params as Readonly<Record<string, string>>
  const last = Object.keys(params).at(-1)
  if (last === undefined || !hasRequired(tool, params)) return undefined
  const end = text.trimEnd().toLowerCase()
  const slip = `the closing tag of ${tool.name} was missing at the end`
  // An open parameter of another form may end with this tag as data.
  const isParameterClosed = end.endsWith("</parameter>") && !params[last]!.trimEnd().toLowerCase().endsWith("</parameter>")
  if (end.endsWith(`</${last.toLowerCase()}>`) || isParameterClosed) {
    return { ...call, partial: false, warnings: [...call.warnings, note([slip])] }
  }
  const close = `</${tool.name}>`
  const value = params[last]!.trimEnd()
  const isRaw = tool.params.some(({ name, raw }) => name === last && raw === true)
  if (isRaw || !value.endsWith(close) || value.indexOf(close) !== value.length - close.length) return undefined
  const repaired = { ...params, [last]: value.slice(0, -close.length).trim() }
  return { ...call, partial: false, params: repaired, warnings: [...call.warnings, note([`the closing tag of ${last} was missing`])] }
}

// Calls that the parser took for text.

/** The calls in a text from which code was removed. None if any tag of a tool at the start of a line can't be read for certain. */
const callsInText = (text: string, tools: ReadonlyArray<Tool>, isWhole: boolean): ReadonlyArray<ToolCallPart> => {
  const calls: Array<ToolCallPart> = []
  let from = 0
  for (;;) {
    startPattern.lastIndex = from
    const match = startPattern.exec(text)
    if (match === null) return calls
    from = match.index + match[0].length
    const tag = startTag(match)
    const named = tag && byName(tools, tag.name)
    if (tag === undefined || named === undefined) continue
    const reading = named === "several" ? undefined : callAt(text, tag, named, isWhole)
    if (reading === undefined) return []
    const { end, params, slips } = reading
    calls.push({
      _tag: "ToolCall",
      id: `repaired_${calls.length}`,
      name: (named as Tool).name,
      params,
      partial: false,
      warnings: [note(slips)]
    })
    from = end
  }
}

/** The start of a tag at the start of a line, outside of block quotes; at most 2,000 units of attributes are read. */
const startPattern = /^[ \t]{0,3}<([a-z_][\w.-]{0,127})((?:[\s=][^<>]{0,2000}?)?)(\/?)>/gim

/** `name` is that of the tool, `written` that of the tag, `to` the index after it. */
interface StartTag {
  readonly name: string
  readonly written: string
  readonly attributes: string
  readonly isEmpty: boolean
  readonly to: number
  readonly slips: ReadonlyArray<string>
}

const startTag = ({ 0: tag, 1: written = "", 2: attributes = "", 3: slash, index }: RegExpExecArray): StartTag | undefined => {
  const rest = { written, isEmpty: slash === "/", to: index + tag.length }
  const name = /^(?:invoke\s+name\s*=\s*(["'])([\w.-]+)\1|function=()([\w.-]+))\s*$/i.exec(written + attributes)
  if (name !== null) return { ...rest, name: name[2] ?? name[4]!, attributes: "", slips: [`${tag.trim()} is an invoke`] }
  return attributes.startsWith("=") ? undefined : { ...rest, name: written, attributes, slips: [] }
}

const byName = <A extends { readonly name: string }>(all: ReadonlyArray<A>, name: string): A | "several" | undefined => {
  const matches = all.filter((one) => one.name.toLowerCase() === name.toLowerCase())
  return matches.length > 1 ? matches.find((one) => one.name === name) ?? "several" : matches[0]
}

const callAt = (text: string, tag: StartTag, tool: Tool, isWhole: boolean): Reading & { readonly end: number } | undefined => {
  const bodyFrom = tag.to
  const close = tag.isEmpty ? undefined : closeOf(text, bodyFrom, tag.written)
  const isUnclosed = !tag.isEmpty && close === undefined
  if (isUnclosed && !isWhole) return undefined
  const end = close?.to ?? (isUnclosed ? text.length : bodyFrom)
  if (!/^[ \t]*(?:\n|\r|$)/.test(text.slice(end, end + 200))) return undefined
  const attributeReading = attributes(tag.attributes, tool)
  const inside = attributeReading &&
    childParams(text.slice(bodyFrom, close?.from ?? (isUnclosed ? end : bodyFrom)), tool, new Set(Object.keys(attributeReading.params)))
  if (attributeReading === undefined || inside === undefined) return undefined
  const params = { ...attributeReading.params, ...inside.params }
  const slips = [
    ...tag.slips,
    ...(tag.name === tool.name ? [] : [`<${tag.name}> is ${tool.name}`]),
    ...attributeReading.slips,
    ...(tag.slips.length > 0 ? [] : inside.slips),
    ...(isUnclosed ? [`the closing tag of ${tool.name} was missing at the end`] : [])
  ]
  return hasRequired(tool, params) && Object.keys(params).length > 0 && slips.length > 0 ? { params, slips, end } : undefined
}

/** The only closing tag of this name in the rest of the text, up to where the same tag opens again. */
const closeOf = (text: string, from: number, name: string): { readonly from: number; readonly to: number } | undefined => {
  const pattern = new RegExp(`<(/?)${name.replace(/[.]/g, "\\.")}\\s{0,8}>`, "gi")
  pattern.lastIndex = from
  const match = pattern.exec(text)
  return match === null || match[1] === "" ? undefined : { from: match.index, to: match.index + match[0].length }
}

/** Attributes as parameters; undefined for text that may need decoding, or that belongs into a raw parameter. */
const attributes = (text: string, tool: Tool): Reading | undefined => {
  const params: Record<string, string> = {}
  const slips: Array<string> = []
  let at = 0
  for (const match of text.matchAll(/\s+([\w.-]{1,128})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/g)) {
    const param = byName(tool.params, match[1]!)
    const value = match[2] ?? match[3]!
    if (match.index !== at || param === undefined || param === "several" || param.raw === true) return undefined
    if (value.includes("&") || Object.hasOwn(params, param.name)) return undefined
    at += match[0].length
    define(params, param.name, value.trim())
    slips.push(`${param.name} was an attribute`)
  }
  return text.slice(at).trim() === "" ? { params, slips } : undefined
}

/** Elements as parameters, in either form; undefined if anything else is there. */
const childParams = (text: string, tool: Tool, presentNames: ReadonlySet<string>): Reading | undefined => {
  const params: Record<string, string> = {}
  const slips: Array<string> = []
  let at = 0
  for (;;) {
    const open = childPattern.exec(text.slice(at))
    if (open === null) return text.slice(at).trim() === "" ? { params, slips } : undefined
    const written = open[1] ?? open[3]!
    const param = byName(tool.params, written)
    if (param === undefined || param === "several" || presentNames.has(param.name) || Object.hasOwn(params, param.name)) return undefined
    const from = at + open[0].length
    const close = closeOf(text, from, open[1] === undefined ? "parameter" : written)
    if (close === undefined) return undefined
    // A raw parameter may contain its own close: then nothing is certain.
    if (param.raw === true && closeOf(text, close.to, written) !== undefined) return undefined
    define(params, param.name, valueOf(text.slice(from, close.from), param))
    if (open[1] === undefined) slips.push(`${param.name} was in the form of an invoke`)
    else if (written !== param.name) slips.push(`<${written}> is ${param.name}`)
    at = close.to
  }
}

const childPattern = /^\s*<(?:([\w.-]{1,128})\s{0,8}|parameter(?:\s{1,8}name\s{0,8}=\s{0,8}|=)(["']?)([\w.-]{1,128})\2\s{0,8})>/i

const valueOf = (text: string, { raw }: Param): string => raw === true ? text.replace(/^\r?\n/, "").replace(/\r?\n$/, "") : text.trim()

const hasRequired = (tool: Tool, params: Readonly<Record<string, string>>): boolean =>
  tool.params.every(({ name, required }) => required !== true || Object.hasOwn(params, name))
