/**
 * The frontmatter between lines of `---` at the head of a Markdown file. Values are those of YAML; where a file is not
 * valid YAML (`description: Use it when: …`), a tolerant reader of the subset that people write there takes over. That
 * reader also knows the line of each field, and the text of values that are not strings.
 */
import * as Result from "effect/Result"
import * as Yaml from "effect/encoding/Yaml"
import * as Predicate from "effect/Predicate"

/** A text, a list of texts, or nested fields. */
export type Value = string | ReadonlyArray<string> | Fields

/** `text` is the value as one text, whatever it is; `line` counts from 1, in the file. */
export interface Field {
  readonly value: Value
  readonly text: string
  readonly line: number
}

export type Fields = ReadonlyMap<string, Field>

export const isFields = (value: Value): value is Fields => value instanceof Map

/** A syntax error and its line. */
export interface Fault {
  readonly line: number
  readonly why: string
}

/**
 * `body` is what follows; the entire text if there is no frontmatter. `fault` is the first syntax error: the fields are
 * what could be read.
 */
export interface Frontmatter {
  readonly fields: Fields
  readonly body: string
  readonly fault?: Fault
}

interface Line {
  readonly text: string
  readonly indent: number
  readonly line: number
}

export const read = (text: string): Frontmatter => {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text)
  if (match === null) {
    const hasOpening = /^\uFEFF?---[ \t]*\r?\n/.test(text)
    return {
      fields: new Map(),
      body: text,
      ...(hasOpening ? { fault: { line: 1, why: "the frontmatter is not closed: a second line of --- is missing" } } : {})
    }
  }
  const source = (match[1] ?? "").replaceAll("\r\n", "\n")
  const yaml = parseYaml(source)
  const tolerant = readTolerantly(source)
  return {
    body: text.slice(match[0].length),
    ...(yaml === undefined ? tolerant
      : { fields: new Map([...withYaml(tolerant.fields, yaml), ...otherFields(source, tolerant.fields, yaml)]) })
  }
}

/** The longest frontmatter that is parsed as YAML, in characters: more than any person writes. */
const maxYamlCharacters = 20_000

/** The mapping in a valid YAML text. */
const parseYaml = (source: string): Readonly<Record<string, unknown>> | undefined => {
  if (source.length > maxYamlCharacters) return undefined
  const value = Result.getOrUndefined(Result.try(() => Yaml.parse(source)))
  return Predicate.isObject(value) ? value : undefined
}

/** Fields that only YAML reads: a name with spaces, a mapping in braces. */
const otherFields = (source: string, fields: Fields, yaml: Readonly<Record<string, unknown>>): Fields =>
  new Map(
    Object.entries(yaml).flatMap(([name, value]): ReadonlyArray<readonly [string, Field]> => {
      if (fields.has(name) || (Predicate.isObject(value) || Array.isArray(value)) && !isTexts(value)) return []
      const line = source.split("\n").findIndex((text) => text.includes(name)) + 2
      const text = value === null ? "" : isTexts(value) ? value.join(", ") : String(value)
      return [[name, { value: isTexts(value) ? value : text, text, line }]]
    })
  )

const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every((item) => typeof item === "string")

/** The fields with the strings that YAML reads in them. Follows the fields, which are a tree even if YAML's aliases are not. */
const withYaml = (fields: Fields, yaml: Readonly<Record<string, unknown>>): Fields =>
  new Map([...fields].map(([name, field]) => [name, Object.hasOwn(yaml, name) ? withYamlValue(field, yaml[name]) : field]))

const withYamlValue = (field: Field, yaml: unknown): Field => {
  if (yaml === null) return { ...field, value: "", text: "" }
  if (typeof yaml === "string") return { ...field, value: yaml.trimEnd(), text: yaml.trimEnd() }
  if (isTexts(yaml)) return { ...field, value: yaml }
  if (isFields(field.value)) return Predicate.isObject(yaml) ? { ...field, value: withYaml(field.value, yaml) } : field
  if (typeof field.value === "string" || !Array.isArray(yaml) || yaml.length !== field.value.length) return field
  return { ...field, value: field.value.map((item, i) => typeof yaml[i] === "string" ? yaml[i] : item) }
}

/** The fields of a text that need not be valid YAML. */
const readTolerantly = (source: string): Pick<Frontmatter, "fault" | "fields"> => {
  const lines = source.split("\n").flatMap((text, i): ReadonlyArray<Line> =>
    text.trim() === "" ? [] : [{ text: text.trim(), indent: text.search(/\S/), line: i + 2 }]
  )
  const fields = groups(lines, 0).map((group) => ({ field: field(group), line: group.first.line }))
  const strayLine = fields.find(({ field }) => field === undefined)
  return {
    fields: new Map(fields.flatMap(({ field }) => field === undefined ? [] : [field])),
    ...(strayLine === undefined ? {}
      : { fault: { line: strayLine.line, why: "this line is not a field (`name: value`) and does not continue one" } })
  }
}

/** A line, and those that belong to it. */
interface Group {
  readonly first: Line
  readonly rest: ReadonlyArray<Line>
}

const isItem = ({ text }: Line): boolean => /^-(?:\s|$)/.test(text)

const isClosingBracket = ({ text }: Line): boolean => /^[\]}]/.test(text)

/** Deeper lines belong to the one above them; so do list items directly under their field, and a closing bracket. */
const groups = (
  lines: ReadonlyArray<Line>,
  base = lines.reduce((minIndent, { indent }) => Math.min(minIndent, indent), Infinity)
): ReadonlyArray<Group> => {
  const groupsSoFar: Array<{ readonly first: Line; readonly rest: Array<Line> }> = []
  for (const line of lines) {
    const last = groupsSoFar.at(-1)
    if (last !== undefined && (line.indent > base || isClosingBracket(line) || (isItem(line) && !isItem(last.first)))) last.rest.push(line)
    else if (!line.text.startsWith("#")) groupsSoFar.push({ first: line, rest: [] })
  }
  return groupsSoFar
}

const fieldPattern = /^("[^"]*"|'[^']*'|[\w*.][^\s:"']*):(?:\s+(.*))?$/

/** `name: value`; a quoted name may contain anything. Undefined for any other line. */
const field = ({ first: { line, text }, rest }: Group): readonly [string, Field] | undefined => {
  const match = fieldPattern.exec(text)
  if (match === null) return undefined
  const inlineText = stripComment(match[2] ?? "")
  const firstLine = /^[>|][+-]?$/.test(inlineText) ? "" : inlineText
  const rawText = [...(firstLine === "" ? [] : [firstLine]), ...rest.map(({ text }) => text)].join(" ")
  return [unquote(match[1]!), {
    value: firstLine === inlineText ? valueOf(rawText, inlineText, rest, line) : rawText,
    text: unquote(rawText),
    line
  }]
}

/** A field inside brackets, whose value is a text whatever it looks like. */
const pair = (item: string, line: number): readonly [string, Field] | undefined => {
  const [, name, inlineText = ""] = fieldPattern.exec(item) ?? []
  return name === undefined ? undefined : [unquote(name), { value: unquote(inlineText), text: unquote(inlineText), line }]
}

const valueOf = (rawText: string, firstLine: string, rest: ReadonlyArray<Line>, line: number): Value => {
  if (firstLine === "") return block(rest)
  const flow = stripComment(rawText)
  if (/^\[.*\]$/.test(flow)) return items(flow).map(unquote)
  const pairs = /^\{.*\}$/.test(flow) ? items(flow).map((item) => pair(item, line)) : [undefined]
  return pairs.every((one) => one !== undefined) ? new Map(pairs) : unquote(rawText)
}

/** What the lines under a field contain: a list, fields, or a text. */
const block = (lines: ReadonlyArray<Line>): Value => {
  if (lines.length === 0) return ""
  const lineGroups = groups(lines)
  if (lineGroups.every(({ first }) => isItem(first)))
    return lineGroups.map(({ first, rest }) =>
      unquote(stripComment([first.text.slice(1).trim(), ...rest.map(({ text }) => text)].join(" ")))
    )
  const fieldList = lineGroups.map(field)
  return fieldList.every((one) => one !== undefined) ? new Map(fieldList) : joinLines(lines)
}

const joinLines = (lines: ReadonlyArray<Line>): string => lines.map(({ text }) => text).join(" ")

/** Items inside brackets, separated by commas outside quotes. */
const items = (text: string): ReadonlyArray<string> =>
  (text.slice(1, -1).match(/(?:"[^"]*"|'[^']*'|[^,"'])+/g) ?? []).map((item) => item.trim()).filter((item) => item !== "")

/** Without a trailing comment, unless it is quoted. */
const stripComment = (value: string): string => /^(["']).*\1$/.test(value) ? value : value.replace(/(?:^|\s)#.*$/, "").trim()

const unquote = (value: string): string => /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
