/** What one command does with its arguments: the files it names, and what makes it more than its name. */
import { readOption, type ValueKind } from "./Options.ts"
import { inspectOperands } from "./Operands.ts"
import type { Hazard, Touch } from "./SimpleCommand.ts"
import type { Word } from "./Syntax.ts"
import type { Tool } from "./Tool.ts"
import { toolOf } from "./Tools.ts"

export interface Inspection {
  readonly core: ReadonlyArray<Word>
  readonly touches: ReadonlyArray<Touch>
  readonly hazards: ReadonlyArray<Hazard>
  readonly readOnly: boolean
}

export const inspect = (name: string | undefined, words: ReadonlyArray<Word>): Inspection => {
  const tool = name === undefined ? undefined : toolOf(name)
  if (tool === undefined) return { core: words, touches: words.slice(1).flatMap(unsureTouches), hazards: [], readOnly: false }
  const reading = new Reading(name!)
  const core = reading.tool(tool, words, 1, words.slice(0, 1))
  return { core, touches: reading.touches, hazards: reading.hazards, readOnly: reading.readOnly && reading.hazards.length === 0 }
}

/** A path that a word may hold, by its looks: the whole, or what follows an option or a name and `=`. */
export const unsureTouches = (word: Word): ReadonlyArray<Touch> => {
  if (word.kind === "process" || (word.kind === "dynamic" && word.text === "")) return []
  const path = word.text.replace(/^(?:--?[\w-]+|\w+)=/, "").replace(/^-[a-zA-Z](?=[/~.])/, "").replace(/^@/, "")
  return path === "" || path.startsWith("-") || path.includes("://") ? [] : [touchOf("read", word, path, { sure: false })]
}

export const touchOf = (access: Touch["access"], word: Word, path: string, more: { readonly tree?: boolean; readonly sure?: boolean; readonly redirect?: boolean } = {}): Touch => ({
  access,
  word,
  path,
  tree: more.tree ?? false,
  redirect: more.redirect ?? false,
  sure: more.sure ?? true
})

/** Tools whose names say that they write; another's output file needs an Edit rule, as a redirection does. */
const writers: ReadonlySet<Tool["operands"]> = new Set(["copy", "mode", "pairs", "write"])

/** Reads one command against the table. */
class Reading {
  readonly touches: Array<Touch> = []
  readonly hazards: Array<Hazard> = []
  readOnly = true
  private readonly name: string

  constructor(name: string) {
    this.name = name
  }

  hazard(why: string, word: Word | undefined, opaque = false): void {
    this.hazards.push({ why, word, opaque })
  }

  /** Returns the words without the options before a sub-command. */
  tool(tool: Tool, words: ReadonlyArray<Word>, from: number, before: ReadonlyArray<Word>): ReadonlyArray<Word> {
    // Only a rule that spells all of it accepts what no prefix makes safe.
    if (tool.refuses !== undefined) this.hazard(tool.refuses, words.length > 1 ? words.at(-1) : undefined, true)
    if (!tool.readOnly) this.readOnly = false
    const read = tool.operands === "free" ? undefined : this.options(tool, words, from)
    if (tool.subs !== undefined) {
      const sub = read!.operands[0]
      if (sub === undefined) return words
      const at = words.indexOf(sub)
      const core = [...before, ...words.slice(at)]
      const next = sub.kind === "literal" ? tool.subs.get(sub.text) : undefined
      if (next !== undefined) return this.tool(next, words, at + 1, [...before, sub])
      this.readOnly = false
      this.hazard(sub.kind === "literal" ? `${this.name} ${sub.text} is not on the list of known sub-commands` : `the sub-command of ${this.name} is known only at run time`, sub, sub.kind !== "literal")
      core.slice(before.length + 1).forEach((word) => this.touches.push(...unsureTouches(word)))
      return core
    }
    if (read !== undefined) this.operands(tool, read)
    return before.length > 1 ? [...before, ...words.slice(from)] : words
  }

  private options(tool: Tool, words: ReadonlyArray<Word>, from: number): Read {
    const operands: Array<Word> = []
    const seen = new Set<string>()
    const given: Array<Word> = []
    let ended = false
    const stops = tool.stops || tool.subs !== undefined
    for (let at = from; at < words.length; at++) {
      const word = words[at]!
      const isFirst = at === from
      if (ended || (operands.length > 0 && stops) || (tool.operands === "find" && operands.length === 0 && !word.text.startsWith("-"))) {
        operands.push(word)
      } else if (word.kind === "literal" && word.text === "--") {
        ended = true
      } else if (mayBeOption(word) && tool.operands !== "test") {
        if (!tool.harmless) this.hazard(`${word.source} may turn out to be an option of ${this.name}`, word)
        operands.push(word)
      } else if ((word.text.startsWith("-") && word.text !== "-" && tool.operands !== "test") || (isFirst && this.name.endsWith("tar") && /^[a-zA-Z]+$/.test(word.text))) {
        const text = word.text.startsWith("-") ? word.text : `-${word.text}`
        const read = word.kind === "literal" || word.text.includes("=") ? readOption(text, words[at + 1]?.text, tool.options) : undefined
        if (read === undefined) {
          if (tool.operands === "find" || tool.operands === "switch" || tool.operands === "sets") operands.push(word)
          else this.hazard(`${word.source} is not on the list of options of ${this.name}`, word)
          continue
        }
        for (const option of read) {
          seen.add(option.name)
          const value = option.extra === 1 ? words[at + 1] : option.value === undefined ? undefined : word
          if (option.kind === "operand" && value !== undefined) {
            given.push({ ...value, text: option.value ?? "" })
          }
          this.option(tool, option.kind, option.name, value, option.extra === 1 ? value?.text : option.value, word)
          at += option.extra
        }
        // What follows a program's text or module belongs to it.
        if (tool.stops && read.some(({ kind }) => kind === "runs")) return this.module(words, at, { operands: [], seen, given })
      } else operands.push(word)
    }
    return { operands, seen, given }
  }

  /** `python -m pytest …` is pytest with these words. */
  private module(words: ReadonlyArray<Word>, at: number, read: Read): Read {
    const module = words[at]
    const inner = module !== undefined && words[at - 1]?.text === "-m" ? inspect(module.text, words.slice(at)) : undefined
    this.touches.push(...(inner?.touches ?? words.slice(at + 1).flatMap(unsureTouches)))
    this.hazards.push(...(inner?.hazards ?? []))
    return read
  }

  private option(tool: Tool, kind: ValueKind, name: string, value: Word | undefined, text: string | undefined, word: Word): void {
    if (value?.splits === true) this.hazard(`${value.source} may become several words`, value)
    switch (kind) {
      case "runs":
      case "runsBare":
      case "script":
        this.hazard(`${this.name} ${name} may run other programs`, value === undefined ? word : value, true)
        return
      case "read":
      case "write":
      case "enter":
        if (value !== undefined && text !== undefined && text !== "-") this.touches.push(touchOf(kind, value, text, { redirect: kind === "write" && !writers.has(tool.operands) }))
        if (kind === "write") this.readOnly = false
        return
      case "data":
        if (text !== undefined && /^@|=@|=</.test(text) && value !== undefined) this.touches.push(touchOf("read", value, text.replace(/^[^@<]*[@<]/, "")))
        else if (value?.kind === "dynamic" && value.text === "") this.hazard(`${value.source} may name a file`, value)
        return
      default:
        return
    }
  }

  private operands(tool: Tool, { given, operands, seen }: Read): void {
    const tree = [...tool.recursive].some((option) => seen.has(option))
    const result = inspectOperands(this.name, tool.operands, operands, { tree, given })
    this.touches.push(...result.touches)
    this.hazards.push(...result.hazards)
    if (tool.idle !== undefined && operands.length === 0 && ![...tool.idle].some((option) => seen.has(option)) && !this.hazards.some(({ opaque }) => opaque)) {
      this.hazard(`${this.name} runs what it reads from its input`, undefined, true)
    }
  }
}

interface Read {
  readonly operands: ReadonlyArray<Word>
  readonly seen: ReadonlySet<string>
  /** What options gave instead of the first operand. */
  readonly given: ReadonlyArray<Word>
}

/** Known only at run time, with nothing before that keeps it from being an option. */
const mayBeOption = ({ kind, text }: Word): boolean =>
  kind === "dynamic" ? text === "" || text.startsWith("-") : kind === "glob" && /^[-*?[(@!+\\]/.test(text)
