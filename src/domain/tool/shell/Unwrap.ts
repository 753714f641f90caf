/** The commands that a command runs: what stands behind `sudo`, `bash -c`, `find -exec`, `xargs`, `trap`, `eval`. */
import { assignmentHazard } from "./Environment.ts"
import { options, readOption } from "./Options.ts"
import type { Hazard } from "./SimpleCommand.ts"
import { literal, type Word } from "./Syntax.ts"
import { isShell, type Wrapper, wrappersOf } from "./Wrappers.ts"

export interface Inner {
  /** Argument lists, each run as it stands. */
  readonly commands: ReadonlyArray<ReadonlyArray<Word>>
  /** Program texts. */
  readonly scripts: ReadonlyArray<string>
  readonly hazards: ReadonlyArray<Hazard>
  readonly transparent: boolean
}

/** Undefined when the command runs no other. `here` is the text of its here-document. */
export const unwrap = (name: string, words: ReadonlyArray<Word>, here: Word | undefined): Inner | undefined => {
  if (isShell(name)) return shell(name, words, here)
  if (Object.hasOwn(special, name)) return special[name]!(words)
  for (const wrapper of wrappersOf(name)) {
    const start = wrapper.sub === undefined ? 1 : subCommand(wrapper.sub, words)
    if (start !== undefined) return wrapped(name, wrapper, words, start)
  }
  return undefined
}

const none: Inner = { commands: [], scripts: [], hazards: [], transparent: false }

const hazard = (why: string, word?: Word): Hazard => ({ why, word, opaque: true })

/** The place after a sub-command: only options, each perhaps with a value, stand before it. */
const subCommand = (subs: ReadonlyArray<string>, words: ReadonlyArray<Word>): number | undefined => {
  for (let at = 1; at < words.length; at++) {
    if (subs.includes(words[at]!.text)) return at + 1
    if (!words[at]!.text.startsWith("-") && !words[at - 1]!.text.startsWith("-")) return undefined
  }
  return undefined
}

const wrapped = (name: string, wrapper: Wrapper, words: ReadonlyArray<Word>, start: number): Inner => {
  const scripts: Array<Script> = []
  const hazards: Array<Hazard> = []
  let transparent = wrapper.transparent !== undefined
  let operands = wrapper.operands ?? 0
  let replaced: string | undefined
  let at = start
  for (; at < words.length; at++) {
    const word = words[at]!
    if (word.kind !== "literal" && operands === 0) {
      if (!word.splits) break
      hazards.push(hazard(`the options of ${name} are known only at run time`, word))
      return { ...none, commands: suffixes(words, at + 1), hazards }
    }
    if (word.text === "--") {
      at += 1 + operands
      break
    }
    if (word.text.startsWith("-") && word.text !== "" && (word.text !== "-" || wrapper.options.known.has("-"))) {
      const read = readOption(word.text, words[at + 1]?.text, wrapper.options)
      if (read === undefined) {
        hazards.push(hazard(`${name} has an option that is not known here, ${word.source}`, word))
        return { ...none, commands: suffixes(words, at + 1), scripts: texts(scripts), hazards }
      }
      for (const option of read) {
        if (wrapper.idle?.has(option.name) === true) return { ...none, transparent: true }
        if (wrapper.transparent?.has(option.name) !== true) transparent = false
        if (option.kind === "script") scripts.push(option.extra === 1 ? scriptOf(words.slice(at + 1, at + 2)) : { text: option.value ?? "", known: true })
        if (/^(?:-I|-i|-J|--replace)$/.test(option.name)) replaced = option.value ?? "{}"
        at += option.extra
      }
    } else if (wrapper.assigns === true && /^\w+=/.test(word.text)) {
      const unsafe = assignmentHazard(word.text.slice(0, word.text.indexOf("=")), { ...word, text: word.text.slice(word.text.indexOf("=") + 1) })
      if (unsafe !== undefined) hazards.push(hazard(unsafe, word))
    } else if (operands > 0) operands--
    else break
  }
  const rest = words.slice(at)
  const joined = wrapper.joins === undefined ? [] : joinedScripts(wrapper, rest)
  const all = [...scripts, ...joined]
  if (all.some(({ known }) => !known)) hazards.push(hazard(`${name} runs text that is known only at run time`))
  const argv = wrapper.joins === undefined && rest.length > 0 ? [fed(rest, wrapper, replaced)] : []
  if (!transparent && rest.length > 0) hazards.push({ why: `${name} runs ${rest[0]!.source}`, word: rest[0]!, opaque: false })
  return {
    commands: argv,
    scripts: texts(all),
    hazards,
    transparent: transparent && argv.length + all.length > 0
  }
}

/** Where the option grammar is unknown, every later word may begin the command. */
const suffixes = (words: ReadonlyArray<Word>, from: number): ReadonlyArray<ReadonlyArray<Word>> =>
  words.slice(from, from + 16).flatMap((word, i) => word.text.startsWith("-") || word.text === "" ? [] : [words.slice(from + i)])

/** The words of the inner command, with what only its input tells. */
const fed = (words: ReadonlyArray<Word>, { feeds }: Wrapper, replaced: string | undefined): ReadonlyArray<Word> =>
  replaced !== undefined ? fill(words, replaced) : feeds === true ? [...words, unknownWord] : words

const unknownWord: Word = { source: "…", kind: "dynamic", text: "", splits: true, scripts: [], hazards: [] }

/** Words in which a placeholder is replaced at run time. */
const fill = (words: ReadonlyArray<Word>, placeholder: string): ReadonlyArray<Word> =>
  words.map((word) => word.text.includes(placeholder) ? { ...word, kind: "dynamic", text: word.text.slice(0, word.text.indexOf(placeholder)) } : word)

interface Script {
  readonly text: string
  /** False when a part of it is known only at run time; that part stands as an unknown variable. */
  readonly known: boolean
}

const texts = (scripts: ReadonlyArray<Script>): ReadonlyArray<string> => scripts.map(({ text }) => text)

/** Words joined as `eval` joins them. */
const scriptOf = (words: ReadonlyArray<Word>): Script => ({
  text: words.map(({ kind, text }) => kind === "literal" || kind === "tilde" ? text : `${text}$_`).join(" "),
  known: words.every(({ kind }) => kind === "literal")
})

const joinedScripts = ({ feeds, joins }: Wrapper, words: ReadonlyArray<Word>): ReadonlyArray<Script> => {
  if (words.length === 0) return []
  if (joins === "each") return words.map((word) => scriptOf([word]))
  if (feeds !== true) return [scriptOf(words)]
  const inputs = words.findIndex(({ text }) => text.startsWith(":::"))
  const command = inputs < 0 ? words : words.slice(0, inputs)
  return command.length === 0
    ? words.slice(1).map((word) => ({ ...scriptOf([word]), known: false }))
    : [{ text: `${scriptOf(command).text} $_`, known: false }]
}

const shellOptions = options("-o= +o= -O= +O= --rcfile= --init-file=")

/** `sh [options] [-c] text`, `sh file`, or commands from its input. */
const shell = (name: string, words: ReadonlyArray<Word>, here: Word | undefined): Inner => {
  let inline = false
  let plain = true
  let at = 1
  for (; at < words.length; at++) {
    const { kind, splits, text } = words[at]!
    if (kind !== "literal" && splits) return { ...none, hazards: [hazard(`the options of ${name} are known only at run time`, words[at])] }
    if (text === "--" || text === "-") {
      at++
      break
    }
    if (!/^[-+]./.test(text)) break
    if (shellOptions.known.has(text) || /^-[a-z]*[oO]$/.test(text)) at++
    if (!/^-[ceuxo]+$/.test(text)) plain = false
    if (/^-[a-zA-Z]*c/.test(text) || text === "--command") inline = true
  }
  const operand = words[at]
  if (inline && operand !== undefined) {
    const script = scriptOf([operand])
    return {
      ...none,
      scripts: [script.text],
      hazards: script.known ? [] : [hazard(`${name} runs text that is known only at run time`, operand)],
      transparent: plain && (name === "bash" || name === "sh" || name === "dash")
    }
  }
  if (operand !== undefined) return { ...none, hazards: [hazard(`${name} runs a file whose commands are not read here`, operand)] }
  if (here?.kind === "literal") return { ...none, scripts: [here.text], transparent: plain }
  return { ...none, hazards: [hazard(`${name} runs the commands that it reads from its input`)] }
}

/** `-exec program … ;` and its kind, as often as they stand. */
const find = (words: ReadonlyArray<Word>): Inner | undefined => {
  const commands: Array<ReadonlyArray<Word>> = []
  for (let at = 1; at < words.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at]!.text)) continue
    const end = words.findIndex(({ text }, i) => i > at && (text === ";" || (text === "+" && words[i - 1]!.text === "{}")))
    commands.push(fill(words.slice(at + 1, end < 0 ? words.length : end), "{}"))
    at = end < 0 ? words.length : end
  }
  return commands.length === 0 ? undefined : { ...none, commands }
}

/** `fd -x program …`: all that follows. */
const fd = (words: ReadonlyArray<Word>): Inner | undefined => {
  const at = words.findIndex(({ text }, i) => i > 0 && /^(?:-[a-zA-Z]*[xX]|--exec|--exec-batch)/.test(text))
  if (at < 0) return undefined
  const attached = /^(?:-[a-zA-Z]*?[xX]=?|--exec(?:-batch)?=)(?=[^-=])(.+)$/.exec(words[at]!.text)?.[1]
  return { ...none, commands: [[...(attached === undefined ? [] : [literal(attached)]), ...words.slice(at + 1), unknownWord]] }
}

/** `trap 'text' signals`. */
const trap = (words: ReadonlyArray<Word>): Inner | undefined => {
  const action = words.slice(1).find(({ text }) => !/^-[lp]+$|^--$/.test(text))
  if (action === undefined || (action.kind === "literal" && /^-?$/.test(action.text))) return undefined
  const script = scriptOf([action])
  return { ...none, scripts: [script.text], hazards: script.known ? [] : [hazard("trap runs text that is known only at run time", action)] }
}

/** `alias name=text`. */
const alias = (words: ReadonlyArray<Word>): Inner => ({
  ...none,
  scripts: words.slice(1).filter(({ text }) => text.includes("=")).map(({ text }) => text.slice(text.indexOf("=") + 1)),
  hazards: [hazard("an alias changes what a name runs")]
})

/** The places where git itself runs a program text that stands among its words. */
const git = (words: ReadonlyArray<Word>): Inner | undefined => {
  const scripts: Array<Script> = []
  words.forEach(({ text }, i) => {
    const next = words.slice(i + 1, i + 2)
    if ((text === "-x" || text === "--exec" || /^--[a-z]+-filter$/.test(text)) && next.length > 0) scripts.push(scriptOf(next))
    const attached = /^--(?:exec|[a-z]+-filter|upload-pack|receive-pack)=(.*)$/s.exec(text)?.[1]
      ?? /^[\w.-]+=!(.*)$/s.exec(text)?.[1]
      ?? /^[\w.-]*(?:pager|editor|sshcommand|fsmonitor|askpass|textconv|external|driver|smudge|clean|process|program|command|cmd)=(.*)$/is.exec(text)?.[1]
    if (attached !== undefined) scripts.push({ text: attached, known: true })
    if ((text === "foreach" && words.some(({ text }) => text === "submodule")) || (text === "run" && words.some(({ text }) => text === "bisect"))) {
      scripts.push(scriptOf(words.slice(i + 1).filter(({ text }) => !/^--?(?:recursive|quiet|q)$/.test(text))))
    }
  })
  return scripts.length === 0 ? undefined : { ...none, scripts: texts(scripts) }
}

const special: Readonly<Record<string, (words: ReadonlyArray<Word>) => Inner | undefined>> = { alias, fd, fdfind: fd, find, git, trap }
