/**
 * What stands between lines of `---` at the head of a Markdown file: the part of YAML that people write there (fields, text over
 * several lines, lists and maps in blocks or in brackets, quotes, comments).
 */

/** A text, a list of texts, or fields of its own. */
export type Value = string | ReadonlyArray<string> | Fields

/** `text` is the value as one text, whatever it is; `line` counts from 1, in the file. */
export interface Field {
  readonly value: Value
  readonly text: string
  readonly line: number
}

export type Fields = ReadonlyMap<string, Field>

export const isFields = (value: Value): value is Fields => value instanceof Map

/** What can't be read, and where. */
export interface Fault {
  readonly line: number
  readonly why: string
}

/** `body` is what follows; all of a text that has no frontmatter. `fault` is the first thing that can't be read: the fields are what is left. */
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
    const opens = /^\uFEFF?---[ \t]*\r?\n/.test(text)
    return { fields: new Map(), body: text, ...(opens ? { fault: { line: 1, why: "its frontmatter has no end: a second line of --- is missing" } } : {}) }
  }
  const lines = (match[1] ?? "").split(/\r?\n/).flatMap((text, i): ReadonlyArray<Line> =>
    text.trim() === "" ? [] : [{ text: text.trim(), indent: text.search(/\S/), line: i + 2 }])
  const found = groups(lines, 0).map((group) => ({ field: field(group), line: group.first.line }))
  const stray = found.find(({ field }) => field === undefined)
  return {
    fields: new Map(found.flatMap(({ field }) => field === undefined ? [] : [field])),
    body: text.slice(match[0].length),
    ...(stray === undefined ? {} : { fault: { line: stray.line, why: "this line is no field (`name: value`) and belongs to none" } })
  }
}

/** A line, and those that belong to it. */
interface Group {
  readonly first: Line
  readonly rest: ReadonlyArray<Line>
}

const isItem = ({ text }: Line): boolean => /^-(?:\s|$)/.test(text)

const isClosing = ({ text }: Line): boolean => /^[\]}]/.test(text)

/** Deeper lines belong to the one above them; so do the items of a list that stand right under their field, and a closing bracket. */
const groups = (lines: ReadonlyArray<Line>, base = lines.reduce((least, { indent }) => Math.min(least, indent), Infinity)): ReadonlyArray<Group> => {
  const found: Array<{ readonly first: Line; readonly rest: Array<Line> }> = []
  for (const line of lines) {
    const last = found.at(-1)
    if (last !== undefined && (line.indent > base || isClosing(line) || (isItem(line) && !isItem(last.first)))) last.rest.push(line)
    else if (!line.text.startsWith("#")) found.push({ first: line, rest: [] })
  }
  return found
}

const named = /^("[^"]*"|'[^']*'|[\w*.][^\s:"']*):(?:\s+(.*))?$/

/** `name: value`; a name in quotes may hold anything. Undefined for any other line. */
const field = ({ first: { line, text }, rest }: Group): readonly [string, Field] | undefined => {
  const match = named.exec(text)
  if (match === null) return undefined
  const said = plain(match[2] ?? "")
  const above = /^[>|][+-]?$/.test(said) ? "" : said
  const whole = [...(above === "" ? [] : [above]), ...rest.map(({ text }) => text)].join(" ")
  return [unquoted(match[1]!), { value: above === said ? valueOf(whole, said, rest, line) : whole, text: unquoted(whole), line }]
}

/** A field between brackets, whose value is a text whatever it looks like. */
const pair = (item: string, line: number): readonly [string, Field] | undefined => {
  const [, name, said = ""] = named.exec(item) ?? []
  return name === undefined ? undefined : [unquoted(name), { value: unquoted(said), text: unquoted(said), line }]
}

const valueOf = (whole: string, above: string, rest: ReadonlyArray<Line>, line: number): Value => {
  if (above === "") return block(rest)
  const flow = plain(whole)
  if (/^\[.*\]$/.test(flow)) return items(flow).map(unquoted)
  const pairs = /^\{.*\}$/.test(flow) ? items(flow).map((item) => pair(item, line)) : [undefined]
  return pairs.every((one) => one !== undefined) ? new Map(pairs) : unquoted(whole)
}

/** What the lines under a field say: a list, fields, or a text. */
const block = (lines: ReadonlyArray<Line>): Value => {
  if (lines.length === 0) return ""
  const all = groups(lines)
  if (all.every(({ first }) => isItem(first))) return all.map(({ first, rest }) => unquoted(plain([first.text.slice(1).trim(), ...rest.map(({ text }) => text)].join(" "))))
  const found = all.map(field)
  return found.every((one) => one !== undefined) ? new Map(found) : joined(lines)
}

const joined = (lines: ReadonlyArray<Line>): string => lines.map(({ text }) => text).join(" ")

/** What stands between brackets, parted by commas outside quotes. */
const items = (text: string): ReadonlyArray<string> =>
  (text.slice(1, -1).match(/(?:"[^"]*"|'[^']*'|[^,"'])+/g) ?? []).map((item) => item.trim()).filter((item) => item !== "")

/** Without a comment at its end, unless it stands in quotes. */
const plain = (value: string): string => /^(["']).*\1$/.test(value) ? value : value.replace(/(?:^|\s)#.*$/, "").trim()

const unquoted = (value: string): string => /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
