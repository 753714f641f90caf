/** What a word becomes: quotes removed, braces expanded, and everything that is known only at run time marked as such. */
import { parse as unbash } from "unbash"
import type * as Unbash from "unbash"
import { optional } from "../../Optional.ts"
import type { Arithmetic, Example, Expansion, Form, Node, Word, WordKind } from "./Syntax.ts"

/** Reads the parts of a word other than text. */
export interface Reader {
  readonly script: (script: Unbash.ParsedScript | undefined) => Node
  readonly word: (word: Unbash.Word) => Word
  readonly arithmetic: (expression: Unbash.ArithmeticExpression | undefined) => Arithmetic
  readonly form: (expansion: Expansion) => Form | undefined
}

/** If the braces of one word make more words than this, or the word is too long, they stay unknown. */
const maxExpansion = 64
const maxBraces = 1024

/** One word, or as many as its braces make. */
export const wordsOf = (word: Unbash.Word, reader: Reader): ReadonlyArray<Word> => {
  const { parts } = word
  if (parts === undefined)
    return [oddBraces(word.text) ? { ...plain(word.text, ""), kind: "dynamic", splits: true } : plain(word.text, word.value)]
  if (!parts.some(({ type }) => type === "BraceExpansion")) {
    const hasOddBraces = oddBraces(parts.map(({ text, type }) => type === "Literal" ? text : "_").join(""))
    return [
      hasOddBraces ? { ...assemble(word.text, parts, reader), kind: "dynamic", text: "", splits: true } : assemble(word.text, parts, reader)
    ]
  }
  return bracesOf(word.text, reader) ?? [{ ...assemble(word.text, parts, reader), kind: "dynamic", splits: true }]
}

const plain = (source: string, value: string): Word => ({
  source,
  kind: hasTilde(source) ? "tilde" : "literal",
  text: value,
  splits: false,
  scripts: [],
  hazards: []
})

/** A leading `~`, or one after `name=` or `:` in a word that reads as an assignment. */
const hasTilde = (source: string): boolean => source.startsWith("~") || /^\w+\+?=(?:~|.*:~)/.test(source)

/** Braces that bash expands in its own way, as in `{a},b}`, though no pair of them reads as an expansion. */
const oddBraces = (unquoted: string): boolean => {
  const open = unquoted.indexOf("{")
  const inside = open < 0 ? "" : unquoted.slice(open, unquoted.lastIndexOf("}") + 1)
  return inside.includes(",") || inside.includes("..")
}

/** Braces are expanded in the text before anything else, so each result is parsed again as a word of its own. */
const bracesOf = (source: string, reader: Reader): ReadonlyArray<Word> | undefined => {
  if (source.length > maxBraces || /[$`<>]/.test(source) || !regularBraces(source)) return undefined
  const words: Array<Word> = []
  for (const text of alternatives(source)) {
    const { commands, errors } = unbash(`_ ${text}`)
    const command = commands[0]?.command
    if (errors?.length || commands.length !== 1 || command?.type !== "Command" || command.suffix.length !== 1) return undefined
    const [argument] = command.args
    // Remaining braces are read differently by us and the parser.
    if (argument?.type !== "Word" || argument.parts?.some(({ type }) => type === "BraceExpansion") === true) return undefined
    if (words.push(...wordsOf(argument, reader)) > maxExpansion) return undefined
  }
  return words
}

/** `a{b,c}{d,e}` to `abd abe acd ace`, `{1..3}` to `1 2 3`; the text itself if there is nothing to expand. */
const alternatives = function*(text: string): Generator<string> {
  const group = braceGroup(text)
  if (group === undefined) return yield text
  const prefix = text.slice(0, group.start)
  const tails = text.slice(group.end)
  for (const choice of group.choices) {
    for (const inner of group.sequence ? [choice] : alternatives(choice)) {
      for (const tail of alternatives(tails)) yield prefix + inner + tail
    }
  }
}

interface BraceGroup {
  readonly start: number
  readonly end: number
  readonly choices: ReadonlyArray<string>
  readonly sequence: boolean
}

/** The first pair of braces with a comma or a range between them, quotes and backslashes respected. */
const braceGroup = (text: string): BraceGroup | undefined => {
  const open: Array<{ start: number; commas: Array<number> }> = []
  let group: BraceGroup | undefined
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === "\\") at++
    else if (char === "'" || char === "\"") at = quoteEnd(text, at)
    else if (char === "{") open.push({ start: at, commas: [] })
    else if (char === ",") open.at(-1)?.commas.push(at)
    else if (char === "}" && open.length > 0) {
      const { commas, start } = open.pop()!
      const inside = text.slice(start + 1, at)
      const choices = commas.length > 0
        ? [start, ...commas].map((from, i) => text.slice(from + 1, commas[i] ?? at))
        : sequence(inside)
      if (choices !== undefined && (group === undefined || start < group.start)) {
        group = { start, end: at + 1, choices, sequence: commas.length === 0 }
      }
    }
  }
  return group
}

/** True when every pair of braces is an expansion and none is left over. */
const regularBraces = (text: string): boolean => {
  const open: Array<{ start: number; commas: number }> = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === "\\") at++
    else if (char === "'" || char === "\"") at = quoteEnd(text, at)
    else if (char === "{") open.push({ start: at, commas: 0 })
    else if (char === "," && open.length > 0) open.at(-1)!.commas++
    else if (char === "}") {
      const pair = open.pop()
      if (pair === undefined || (pair.commas === 0 && sequence(text.slice(pair.start + 1, at)) === undefined)) return false
    }
  }
  return open.length === 0
}

const quoteEnd = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && text[at] !== text[from]) at += text[at] === "\\" && text[from] === "\"" ? 2 : 1
  return at
}

const sequence = (inside: string): ReadonlyArray<string> | undefined => {
  const [, from, to, , step] = /^(-?\d+|[a-z])\.\.(-?\d+|[a-z])(\.\.(-?\d+))?$/i.exec(inside) ?? []
  if (from === undefined || to === undefined) return undefined
  const isLetters = !/\d/.test(from) && !/\d/.test(to)
  if (!isLetters && !(/\d/.test(from) && /\d/.test(to))) return undefined
  const [start, end] = isLetters ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)]
  const width = Math.abs(Number(step ?? 1)) || 1
  const count = Math.min(Math.floor(Math.abs(end - start) / width) + 1, maxExpansion + 1)
  const isPadded = /^-?0\d/.test(from) || /^-?0\d/.test(to)
  if (isPadded) return undefined
  return Array.from({ length: count }, (_, i) => {
    const value = start + i * width * Math.sign(end - start)
    return isLetters ? String.fromCharCode(value) : String(value)
  })
}

/** Collects the parts of one word. */
class Builder {
  text = ""
  kind: WordKind = "literal"
  splits = false
  readonly scripts: Array<Node> = []
  readonly hazards: Array<string> = []
  private readonly pieces: Array<{ readonly text: string; readonly pattern: boolean }> = []
  /** What each part is, if it is an expansion that can be named. */
  private readonly parts: Array<Expansion | undefined> = []
  /** Texts and the forms of expansions in order, as long as all of them are known. */
  private shape: Array<string | Value> | undefined = []

  add(text: string): void {
    this.pieces.push({ text, pattern: false })
    this.shape?.push(text)
    if (text !== "") this.parts.push(undefined)
    if (this.kind !== "dynamic") this.text += text
  }

  addPattern(text: string): void {
    this.shape = undefined
    this.parts.push(undefined)
    this.pieces.push({ text, pattern: true })
    if (this.kind === "literal" || this.kind === "tilde") this.kind = "glob"
  }

  /** A leading `$HOME` equals `~`. */
  addHome(isQuoted: boolean): void {
    if (this.kind !== "literal" || this.text !== "") return this.addUnknown(isQuoted)
    this.add("~")
    this.kind = "tilde"
  }

  addUnknown(isQuoted: boolean, expansion?: Expansion, form?: Form): void {
    this.parts.push(expansion)
    if (form === undefined) this.shape = undefined
    else this.shape?.push({ form, canBeEmpty: expansion?._tag !== "Arithmetic" })
    if (this.kind === "glob")
      this.text = this.pieces.slice(0, this.pieces.findIndex(({ pattern }) => pattern)).map(({ text }) => text).join("")
    this.kind = "dynamic"
    if (!isQuoted) this.splits = true
  }

  finish(source: string): Word {
    const { hazards, scripts, splits } = this
    const examples = this.kind === "dynamic" ? this.shape : undefined
    const isMixed = (this.kind === "process" && this.pieces.length > 0) || (this.kind === "tilde" && !/^~(?:\/|$)/.test(this.text))
    if (isMixed) return { source, kind: "dynamic", text: "", splits: true, scripts, hazards }
    const { kind } = this
    const text = kind === "glob"
      ? this.pieces.map(({ pattern, text }) => pattern ? text : text.replace(/[*?[\]\\{}()!+@|]/g, "\\$&")).join("") : this.text
    const [expansion] = this.parts.length === 1 ? this.parts : []
    return {
      source,
      kind: kind === "literal" && hasTilde(source) ? "tilde" : kind,
      text,
      splits,
      scripts,
      hazards,
      ...optional({ expansion, examples: examples && examplesOf(examples) })
    }
  }
}

/** A value of a known form. */
interface Value {
  readonly form: Form
  readonly canBeEmpty: boolean
}

/** A word of each kind that it may become; none if these are too many. */
const examplesOf = (shape: ReadonlyArray<string | Value>): ReadonlyArray<Example> | undefined => {
  const isObject = shape.some((piece) => typeof piece !== "string" && piece.form === "object")
  let texts: ReadonlyArray<string> = [""]
  for (const piece of shape) {
    const next = typeof piece === "string" ? [piece] : [...plainValues[piece.form], ...piece.canBeEmpty ? [""] : []]
    texts = texts.flatMap((text) => next.map((value) => text + value))
    if (texts.length > maxExamples) return undefined
  }
  return texts.map((text) => ({ form: isObject ? "object" : "number", text }))
}

const plainValues: Readonly<Record<Form, ReadonlyArray<string>>> = { count: ["7"], number: ["7", "-7"], object: ["0a1b2c3"] }

const maxExamples = 16

/** One word of these parts, as within double quotes if `isQuoted`. */
export const assemble = (source: string, parts: ReadonlyArray<Unbash.WordPart>, reader: Reader, isQuoted = false): Word => {
  const word = new Builder()
  for (const part of parts) addPart(word, part, isQuoted, reader)
  const result = word.finish(source)
  const [part] = parts
  return parts.length === 1 && part?.type === "CommandExpansion" && !isQuoted && source === part.text && source.startsWith("$(")
    ? { ...result, isSubstitution: true } : result
}

const addPart = (word: Builder, part: Unbash.WordPart, isQuoted: boolean, reader: Reader): void => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return word.add(part.value)
    case "DoubleQuoted":
    case "LocaleString":
      word.add("")
      return part.parts.forEach((child) => addPart(word, child, true, reader))
    case "Glob":
    case "ExtendedGlob":
      return isConstant(part) ? word.addPattern(part.text) : addAlternatives(word, part.parts, reader)
    case "BraceExpansion":
      return addAlternatives(word, part.parts, reader)
    case "SimpleExpansion":
      return part.text === "$HOME" ? word.addHome(isQuoted)
        : addExpansion(word, variableExpansion(part), isQuoted && part.text !== "$@", reader)
    case "ParameterExpansion":
      if (part.text === "${HOME}") return word.addHome(isQuoted)
      addParameter(word, part, reader)
      return addExpansion(word, variableExpansion(part), isQuoted && !part.text.includes("@"), reader)
    case "CommandExpansion": {
      // Which backslashes backquotes remove depends on the quotes around them; the shell and its parsers differ.
      if (part.text.startsWith("`") && part.text.includes("\\"))
        word.hazards.push("backquotes that hold backslashes can be read in two ways")
      const node = reader.script(part.script)
      word.scripts.push(node)
      return addExpansion(word, { _tag: "Output", node }, isQuoted, reader)
    }
    case "ProcessSubstitution":
      word.scripts.push(reader.script(part.script))
      if (word.kind === "literal" && word.text === "") word.kind = "process"
      else word.addUnknown(false)
      return
    case "ArithmeticExpansion": {
      const { expansion, hazard, scripts, sets } = reader.arithmetic(part.expression)
      word.scripts.push(...scripts)
      if (hazard !== undefined) word.hazards.push(hazard)
      if (sets.length > 0) word.hazards.push("arithmetic sets a variable")
      return addExpansion(word, expansion, true, reader)
    }
  }
}

/** A value that is known only at run time, and its form. */
const addExpansion = (word: Builder, expansion: Expansion | undefined, isQuoted: boolean, reader: Reader): void =>
  word.addUnknown(isQuoted, expansion, expansion === undefined ? undefined : reader.form(expansion))

const variableExpansion = ({ text }: Unbash.SimpleExpansionPart | Unbash.ParameterExpansionPart): Expansion | undefined => {
  const [, plainName, bracedName] = /^\$(?:([a-z_]\w*|[?#])|\{([a-z_]\w*)\})$/i.exec(text) ?? []
  const name = plainName ?? bracedName
  return name === undefined ? undefined : { _tag: "Variable", name }
}

/** A pattern of plain characters: `[a-z]`, `@(a|b)`. Bash expands anything else within its brackets. */
const isConstant = (part: Unbash.WordPart): boolean =>
  part.type === "Literal" || ((part.type === "Glob" || part.type === "ExtendedGlob") && (part.parts ?? []).every(isConstant))

/** Parts whose contribution to the word is known only at run time; the commands they run still count. */
const addAlternatives = (word: Builder, parts: ReadonlyArray<Unbash.WordPart> | undefined, reader: Reader): void => {
  word.addUnknown(false)
  parts?.forEach((part) => addPart(word, part, false, reader))
}

const addParameter = (word: Builder, part: Unbash.ParameterExpansionPart, reader: Reader): void => {
  const addWord = (inner: Unbash.Word | undefined): void => {
    if (inner === undefined) return
    const { hazards, scripts } = reader.word(inner)
    word.scripts.push(...scripts)
    word.hazards.push(...hazards)
  }
  const addSubscript = (inner: Unbash.Word | undefined): void => {
    addWord(inner)
    if (inner !== undefined && !/^\s*(?:-?\d+|[@*])\s*$/.test(inner.text)) word.hazards.push("a subscript is evaluated as code")
  }
  addSubscript(part.index)
  if (part.prefix === "!" && part.operation?.type !== "Names") word.hazards.push("${!…} names its variable at run time")
  const { operation } = part
  switch (operation?.type) {
    case undefined:
    case "Names":
      return
    case "Default":
      if (operation.operator.endsWith("=")) word.hazards.push("${…=…} sets a variable")
      return addWord(operation.operand)
    case "Remove":
    case "CaseModification":
      return addWord(operation.operand)
    case "Replace":
      addWord(operation.pattern)
      return addWord(operation.replacement)
    case "Slice":
      addSubscript(operation.offset)
      return addSubscript(operation.length)
    case "Transform":
      if (!/^[QUuL]$/.test(operation.operand.text)) word.hazards.push("${…@…} evaluates the value as code")
      return addWord(operation.operand)
    case "Unknown":
      word.hazards.push("it holds an expansion that cannot be read")
  }
}
