/** What one command does with its arguments: the files it names, and what makes it more than its name suggests. */
import { readOption, type ValueKind } from "./Options.ts"
import { isPrivateVariable } from "./Environment.ts"
import * as GitChange from "./GitChange.ts"
import { inspectOperands } from "./Operands.ts"
import type { Hazard, Touch } from "./SimpleCommand.ts"
import { canMatchOption, mayBeSeveral, type Word } from "./Syntax.ts"
import type { Tool } from "./Tool.ts"
import { toolOf } from "./Tools.ts"
import { argumentTouches, pathTouches, touchOf, possibleTouches } from "./Touches.ts"
import { treeOf } from "./TreeOptions.ts"
import { isVersionCall } from "./VersionCall.ts"
import { isWrapper } from "./Wrappers.ts"

export interface Inspection {
  readonly core: ReadonlyArray<Word>
  readonly touches: ReadonlyArray<Touch>
  readonly hazards: ReadonlyArray<Hazard>
  readonly readOnly: boolean
  readonly editsFiles: boolean
}

export const inspect = (name: string | undefined, words: ReadonlyArray<Word>): Inspection => {
  const tool = name === undefined ? undefined : toolOf(name)
  if (name !== undefined && isVersionCall(name, words)) return { core: words, touches: [], hazards: [], readOnly: true, editsFiles: true }
  if (tool === undefined)
    return {
      core: words,
      touches: words.slice(1).flatMap(name !== undefined && isWrapper(name) ? possibleTouches : argumentTouches),
      hazards: [],
      readOnly: false,
      editsFiles: false
    }
  const argumentReader = new ArgumentReader(name!)
  const core = argumentReader.tool(tool, words, 1, words.slice(0, 1))
  const { touches } = argumentReader
  const readOnly = argumentReader.readOnly && argumentReader.hazards.every(({ inner }) => inner === true) &&
    touches.every(({ access }) => access !== "write")
  const unclear = GitChange.of({ name, core, readOnly })?.unclear
  const hazards = unclear === undefined ? argumentReader.hazards
    : [...argumentReader.hazards, { reason: unclear, word: core[1], opaque: false }]
  return {
    core,
    touches: argumentReader.readOnly ? [...touches, ...globTouches(words, touches)] : touches,
    hazards,
    readOnly,
    editsFiles: argumentReader.editsFiles && hazards.length === 0
  }
}

/** Expanding a pattern lists a folder, even if the program does nothing with the names. */
const globTouches = (words: ReadonlyArray<Word>, touches: ReadonlyArray<Touch>): ReadonlyArray<Touch> =>
  words.filter((word) => word.kind === "glob" && !touches.some((touch) => touch.word === word)).map((word) =>
    touchOf("enter", word, word.text, { isCertain: false })
  )

/** Tools whose names imply that they write; an output file of any other tool needs an Edit rule, as a redirection does. */
const writers: ReadonlySet<Tool["operands"]> = new Set(["copy", "link", "mode", "move", "pairs", "write"])

/** Reads one command against the table. */
class ArgumentReader {
  readonly touches: Array<Touch> = []
  readonly hazards: Array<Hazard> = []
  readOnly = true
  editsFiles = true
  private readonly name: string

  constructor(name: string) {
    this.name = name
  }

  hazard(reason: string, word: Word | undefined, opaque = false): void {
    this.hazards.push({ reason, word, opaque })
  }

  /** Returns the words without the options before a sub-command. */
  tool(tool: Tool, words: ReadonlyArray<Word>, from: number, prefix: ReadonlyArray<Word>): ReadonlyArray<Word> {
    const form = tool.readingForms.map((form) => this.readingForm(form, words, from, prefix)).find((form) => form !== undefined)
    if (form !== undefined) {
      this.touches.push(...form.touches)
      return form.core
    }
    // Where no prefix is safe, only a rule that spells out the complete command allows it.
    if (tool.refusal !== undefined) this.hazard(tool.refusal, words.length > 1 ? words.at(-1) : undefined, true)
    if (!tool.readOnly) this.readOnly = false
    if (!tool.readOnly && !tool.editsFiles) this.editsFiles = false
    const parsed = tool.operands === "free" ? undefined : this.options(tool, words, from)
    if (tool.subs !== undefined) {
      const sub = parsed!.operands[0]
      if (sub === undefined) {
        if (tool.readOnly && tool.operands === "name") this.hazard(`${this.name} without a subcommand does more than read`, undefined)
        return words
      }
      const at = words.indexOf(sub)
      const core = [...prefix, ...words.slice(at)]
      const next = sub.kind === "literal" ? tool.subs.get(sub.text) : undefined
      if (next !== undefined) return this.tool(next, words, at + 1, [...prefix, sub])
      this.readOnly = false
      this.editsFiles = false
      this.hazard(
        sub.kind === "literal" ? `${sub.text} is not a known subcommand of ${this.name}`
          : `the subcommand of ${this.name} is known only at run time`,
        sub,
        sub.kind !== "literal"
      )
      core.slice(prefix.length + 1).forEach((word) => this.touches.push(...argumentTouches(word)))
      return core
    }
    if (parsed !== undefined) this.operands(tool, parsed)
    return prefix.length > 1 ? [...prefix, ...words.slice(from)] : words
  }

  /** Undefined if it does not describe the arguments. */
  private readingForm(form: Tool, words: ReadonlyArray<Word>, from: number, prefix: ReadonlyArray<Word>) {
    const argumentReader = new ArgumentReader(this.name)
    const core = argumentReader.tool(form, words, from, prefix)
    const { hazards, readOnly, touches } = argumentReader
    return readOnly && hazards.length === 0 ? { core, touches } : undefined
  }

  private options(tool: Tool, words: ReadonlyArray<Word>, from: number): ParsedArguments {
    const operands: Array<Word> = []
    const optionValues = new Map<string, ReadonlyArray<Word>>()
    const optionOperands: Array<Word> = []
    let hasSeparator = false
    let separatorIndex = 0
    const stops = tool.stops || tool.subs !== undefined
    for (let at = from; at < words.length; at++) {
      const word = words[at]!
      const isFirst = at === from
      if (
        hasSeparator || (operands.length > 0 && stops) || (tool.operands === "find" && operands.length === 0 && !word.text.startsWith("-"))
      ) {
        operands.push(word)
      } else if (word.kind === "literal" && word.text === "--") {
        hasSeparator = true
        separatorIndex = operands.length
      } else if (canBeOption(word) && !isTextOption(word, tool) && tool.operands !== "test") {
        if (!tool.harmless && !(tool.harmlessNames && hasExtension(word)))
          this.hazard(`${word.source} may be an option of ${this.name}`, word)
        operands.push(word)
      } else if (
        (word.text.startsWith("-") && word.text !== "-" && tool.operands !== "test") ||
        (isFirst && this.name.endsWith("tar") && /^[a-zA-Z]+$/.test(word.text))
      ) {
        const text = word.text.startsWith("-") ? word.text : `-${word.text}`
        const matches = word.kind === "literal" || word.text.includes("=") ? readOption(text, words[at + 1]?.text, tool.options) : undefined
        if (matches === undefined) {
          if (readsOptions.has(tool.operands)) operands.push(word)
          else {
            this.hazard(`${word.source} is not a known option of ${this.name}`, word)
            this.touches.push(...possibleTouches(word))
          }
          continue
        }
        for (const option of matches) {
          const value = option.extra === 0 ? option.value === undefined ? undefined : { ...word, text: option.value } : words[at + 1]
          optionValues.set(option.name, [...optionValues.get(option.name) ?? [], ...value === undefined ? [] : [value]])
          if (option.kind === "operand" && value !== undefined) optionOperands.push(value)
          this.option(tool, option.kind, option.name, option.extra === 0 && value !== undefined ? word : value, value?.text, word)
          if (option.extra > 0) words.slice(at + 1, at + 1 + option.extra).forEach((value) => this.value(option.kind, value))
          if (option.extra === 2) this.second(tool, option.kind, words[at + 2])
          else if (value !== undefined && !option.name.startsWith("--")) this.value(option.kind, value)
          at += option.extra
        }
        // What follows a program's text or module belongs to it.
        if (tool.stops && matches.some(({ kind }) => kind === "runs"))
          return this.module(words, at, { operands: [], optionValues, optionOperands, pathOperands: [] })
      } else operands.push(word)
    }
    return { operands, optionValues, optionOperands, pathOperands: hasSeparator ? operands.slice(separatorIndex) : [] }
  }

  /** The second value of an option that takes two. */
  private second(tool: Tool, kind: ValueKind, word: Word | undefined): void {
    if (word !== undefined && (word.splits || isSeveral(tool, word))) this.hazard(`${word.source} may expand to several words`, word)
    if (kind === "pairRead" && word !== undefined) this.touches.push(touchOf("read", word, word.text))
  }

  /** By the table its value is not a path: but programs of the same name differ, and one may take no value there and read it. */
  private value(kind: ValueKind, word: Word): void {
    if ((kind !== "text" && kind !== "pair") || (word.kind === "literal" && word.text.length < 2)) return
    this.touches.push(...possibleTouches(word))
  }

  /** `python -m pytest …` is pytest with these words. */
  private module(words: ReadonlyArray<Word>, at: number, read: ParsedArguments): ParsedArguments {
    const module = words[at]
    const inner = module !== undefined && words[at - 1]?.text === "-m" ? inspect(module.text, words.slice(at)) : undefined
    this.touches.push(...(inner?.touches ?? words.slice(at + 1).flatMap(possibleTouches)))
    this.hazards.push(...(inner?.hazards ?? []))
    return read
  }

  private option(tool: Tool, kind: ValueKind, name: string, value: Word | undefined, text: string | undefined, word: Word): void {
    const isSeparate = value !== word
    if (value !== undefined && (value.splits || isSeparate && isSeveral(tool, value)) && !(kind === "text" && isOptionPattern(value)))
      this.hazard(`${value.source} may expand to several words`, value)
    switch (kind) {
      case "plugin":
        if (value?.kind === "literal" && /^no:[\w.-]+$/.test(text ?? "")) return
        return this.option(tool, "runs", name, value, text, word)
      case "runs":
      case "runsBare":
      case "script":
        this.hazard(`${this.name} ${name} may run other programs`, value === undefined ? word : value, true)
        return
      case "archive":
        if (text?.includes(":") === true) this.hazard(`${text} is an archive on another machine`, value, true)
        return this.option(tool, "read", name, value, text, word)
      case "list":
        this.hazard(`${this.name} reads the names of its inputs from ${text ?? "a file"}`, value)
        return this.option(tool, "read", name, value, text, word)
      case "read":
      case "write":
      case "enter":
        if (kind === "enter" && value !== undefined && value.kind !== "literal" && value.kind !== "tilde")
          this.hazard(`the folder of ${this.name} ${name} is known only at run time`, value)
        if (value !== undefined && text !== undefined && text !== "-")
          this.touches.push(touchOf(kind, value, text, { redirect: kind === "write" && !writers.has(tool.operands) }))
        if (kind === "write") this.readOnly = false
        if (kind === "write" && writers.has(tool.operands)) this.editsFiles = false
        return
      case "variable":
        if (value?.kind !== "literal" || !isPrivateVariable(text ?? ""))
          this.hazard(`${this.name} ${name} sets ${text ?? "a variable"}, which programs may read`, value ?? word, true)
        return
      case "data":
        if (text !== undefined && /^@|=@|=</.test(text) && value !== undefined)
          this.touches.push(touchOf("read", value, text.replace(/^[^@<]*[@<]/, "")))
        else if (value?.kind === "dynamic" && value.text === "") this.hazard(`${value.source} may refer to a file`, value)
        return
      default:
        return
    }
  }

  /** What was there before an edit in place stays under another name. */
  private backups(files: ReadonlyArray<Word>, suffix: Word): void {
    if (plainSuffix.test(suffix.text)) return
    const isKnown = !/[/*]/.test(suffix.text) && files.every(({ kind }) => kind === "literal" || kind === "tilde")
    if (!isKnown) this.hazard(`${this.name} stores its backup as ${suffix.text}`, suffix)
    else this.touches.push(...files.map((word) => touchOf("write", word, word.text + suffix.text, { redirect: true })))
  }

  private operands(tool: Tool, { optionOperands, pathOperands, operands, optionValues }: ParsedArguments): void {
    const has = (options: ReadonlySet<string>) => [...options].some((option) => optionValues.has(option))
    const tree = treeOf(tool, optionValues)
    if (has(tool.inPlaceOptions)) {
      const files = optionOperands.length > 0 ? operands : operands.slice(1)
      this.touches.push(...pathTouches("write", files, { redirect: true }))
      for (const suffix of [...tool.inPlaceOptions].flatMap((option) => optionValues.get(option) ?? [])) this.backups(files, suffix)
    }
    const result = inspectOperands(this.name, tool.operands, operands, {
      tree,
      optionOperands,
      pathOperands,
      isPathsOnly: has(tool.pathsOnlyOptions)
    })
    this.touches.push(...result.touches)
    this.hazards.push(...result.hazards)
    if (bringsOtherNames(tool, operands, optionValues)) this.editsFiles = false
    if (tool.requiredOptions.size > 0 && !has(tool.requiredOptions))
      this.hazard(`${this.name} is not read-only without ${[...tool.requiredOptions].join(", ")}`, undefined)
    if (tool.idleOptions !== undefined && operands.length === 0 && !has(tool.idleOptions) && !this.hazards.some(({ opaque }) => opaque)) {
      this.hazard(`${this.name} runs code from standard input`, undefined, true)
    }
  }
}

/** With one of these at its end, no name is that of a settings file. */
const plainSuffix = /^(?:~|\.(?:bak|backup|old|orig|tmp))?$/

interface ParsedArguments {
  readonly operands: ReadonlyArray<Word>
  /** Options with their values. */
  readonly optionValues: ReadonlyMap<string, ReadonlyArray<Word>>
  /** What options provided in place of the first operand. */
  readonly optionOperands: ReadonlyArray<Word>
  /** The operands after `--`. */
  readonly pathOperands: ReadonlyArray<Word>
}

/** A pattern, or the contents of a folder, brings files to the target whose names the words do not show. */
const bringsOtherNames = ({ operands: kind }: Tool, words: ReadonlyArray<Word>, options: ParsedArguments["optionValues"]): boolean =>
  (kind === "copy" || kind === "move") &&
  !([...options.keys()].every((option) => plainCopyOptions.has(option)) &&
    words.slice(0, -1).every(({ kind, text }) => (kind === "literal" || kind === "tilde") && !/(?:^|\/)\.{0,2}$/.test(text)))

/** They leave the names as they are. */
const plainCopyOptions = new Set(
  "-a -d -f -i -L -n -P -p -R -r -T -u -v --archive --force --no-clobber --preserve --recursive --update --verbose".split(" ")
)

/** What reads unlisted options from its operands. */
const readsOptions: ReadonlySet<Tool["operands"]> = new Set(["find", "processes", "sets", "switch"])

/** Known only at run time, with nothing before it that prevents it from being an option. */
const canBeOption = (word: Word): boolean =>
  word.kind === "dynamic" ? word.text === "" || word.text.startsWith("-") : canMatchOption(word) && !longOption.test(word.text)

/** The text is unknown, but not which option it is for, and any text is harmless there: `--since="$day"`. */
const isTextOption = (word: Word, { excludeFolderOptions, excludeOptions, includeOptions, options }: Tool): boolean => {
  const [option] = /^--[\w-]+(?==)/.exec(word.text) ?? []
  return option !== undefined && !word.splits && options.kindByName.get(option) === "text" &&
    ![excludeFolderOptions, excludeOptions, includeOptions].some((options) => options.has(option))
}

/** A pattern such as `*.ts` or `*.test.ts`. */
const hasExtension = ({ kind, text }: Word): boolean => kind === "glob" && /^\*(?:\.[A-Za-z]\w*)+$/.test(text)

/** What a pattern matches beyond its first file takes the places after it, where only a program without harmful words may have it. */
const isSeveral = ({ harmless }: Tool, word: Word): boolean => mayBeSeveral(word) && !harmless

/** Whatever a pattern matches begins as it does. */
const longOption = /^--[\w-]+=/

const isOptionPattern = ({ kind, text }: Word): boolean => kind === "glob" && longOption.test(text)
