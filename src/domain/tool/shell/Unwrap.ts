/** The commands that a command runs: those after `sudo`, `bash -c`, `find -exec`, `xargs`, `trap`, `eval`. */
import { assignmentHazard } from "./Environment.ts"
import { options, readOption } from "./Options.ts"
import { findFiles } from "./FoundFiles.ts"
import type { Hazard } from "./SimpleCommand.ts"
import { literal, mayBeSeveral, type Word } from "./Syntax.ts"
import { toolOf } from "./Tools.ts"
import { isPlainTrap } from "./Trap.ts"
import { commandAfterSeparator, runHazards } from "./UnknownPrograms.ts"
import { isVersionCall } from "./VersionCall.ts"
import { isShell, isWrapper, type Wrapper, wrappersOf } from "./Wrappers.ts"

export interface Inner {
  /** Argument lists, each run as it is. */
  readonly commands: ReadonlyArray<ReadonlyArray<Word>>
  /** Program texts. */
  readonly scripts: ReadonlyArray<string>
  readonly hazards: ReadonlyArray<Hazard>
  readonly transparent: boolean
  /** No option changes what its commands do: it only gives them arguments. */
  readonly isNeutral?: boolean
}

/** Undefined if the command runs no other. `here` is the text of its here-document. */
export const unwrap = (
  name: string,
  words: ReadonlyArray<Word>,
  hereDocument: Word | undefined,
  input?: ReadonlyArray<Word>
): Inner | undefined => {
  if (isVersionCall(name, words)) return undefined
  if (isShell(name)) return shell(name, words, hereDocument)
  if (Object.hasOwn(specialCommands, name)) return specialCommands[name]!(words)
  for (const wrapper of wrappersOf(name)) {
    const start = wrapper.sub === undefined ? 1 : subCommand(wrapper.sub, words)
    if (start !== undefined) return wrappedCommand(name, wrapper, words, start, input)
  }
  return isWrapper(name) || toolOf(name) !== undefined ? undefined : unknownProgram(name, words)
}

const unknownProgram = (name: string, words: ReadonlyArray<Word>): Inner | undefined => {
  const hazards = runHazards(name, words)
  const command = commandAfterSeparator(words)
  return hazards.length === 0 && command.length === 0 ? undefined : { ...noInner, commands: command.length === 0 ? [] : [command], hazards }
}

const noInner: Inner = { commands: [], scripts: [], hazards: [], transparent: false }

const hazard = (reason: string, word?: Word): Hazard => ({ reason, word, opaque: true })

/** The position after a subcommand: only options, each possibly with a value, stand before it. */
const subCommand = (subs: ReadonlyArray<string>, words: ReadonlyArray<Word>): number | undefined => {
  for (let at = 1; at < words.length; at++) {
    if (subs.includes(words[at]!.text)) return at + 1
    if (!words[at]!.text.startsWith("-") && !words[at - 1]!.text.startsWith("-")) return undefined
  }
  return undefined
}

const wrappedCommand = (
  name: string,
  wrapper: Wrapper,
  words: ReadonlyArray<Word>,
  start: number,
  input: ReadonlyArray<Word> | undefined
): Inner => {
  const scripts: Array<Script> = []
  const hazards: Array<Hazard> = []
  let transparent = wrapper.transparent !== undefined
  let isNeutral = wrapper.neutral !== undefined
  let operands = wrapper.operands ?? 0
  let placeholder: string | undefined
  let at = start
  for (; at < words.length; at++) {
    const word = words[at]!
    if (word.splits || (operands > 0 && mayBeSeveral(word))) return unknownOptions(name, words, at, hazards)
    if (word.kind !== "literal" && operands === 0) break
    if (word.text === "--") {
      at += 1 + operands
      break
    }
    if (word.text.startsWith("-") && word.text !== "" && (word.text !== "-" || wrapper.options.kindByName.has("-"))) {
      const parsedOptions = readOption(word.text, words[at + 1]?.text, wrapper.options)
      if (parsedOptions === undefined) {
        hazards.push(hazard(`${name} has an unknown option, ${word.source}`, word))
        return { ...noInner, commands: suffixes(words, at + 1), scripts: texts(scripts), hazards }
      }
      for (const option of parsedOptions) {
        if (words.slice(at + 1, at + 1 + option.extra).some(mayBeSeveral)) return unknownOptions(name, words, at + 1, hazards)
        if (wrapper.idle?.has(option.name) === true) return { ...noInner, transparent: true }
        if (wrapper.transparent?.has(option.name) !== true) transparent = false
        // Any other delimiter than a line's end cuts names.
        if (
          wrapper.neutral?.has(option.name) !== true || option.kind === "text" && /^-d|^--delim/.test(option.name) && option.value !== "\\n"
        )
          isNeutral = false
        if (option.kind === "script")
          scripts.push(option.extra === 1 ? scriptOf(words.slice(at + 1, at + 2)) : { text: option.value ?? "", isLiteral: true })
        if (/^(?:-I|-i|-J|--replace)$/.test(option.name)) placeholder = option.value ?? "{}"
        at += option.extra
      }
    } else if (wrapper.assigns === true && /^\w+=/.test(word.text)) {
      const unsafe = assignmentHazard(word.text.slice(0, word.text.indexOf("=")), {
        ...word,
        text: word.text.slice(word.text.indexOf("=") + 1)
      })
      if (unsafe !== undefined) hazards.push(hazard(unsafe, word))
    } else if (operands > 0) operands--
    else break
  }
  const rest = words.slice(at)
  const joinedTexts = wrapper.joins === undefined ? [] : joinedScripts(wrapper, rest)
  const allScripts = [...scripts, ...joinedTexts]
  if (allScripts.some(({ isLiteral }) => !isLiteral)) hazards.push(hazard(`${name} runs text that is known only at run time`))
  const argv = wrapper.joins === undefined && rest.length > 0 ? [withInput(rest, wrapper, placeholder, input)] : []
  if (!transparent && rest.length > 0)
    hazards.push({ reason: `${name} runs ${rest[0]!.source}`, word: rest[0]!, opaque: false, inner: true })
  return {
    commands: argv,
    scripts: texts(allScripts),
    hazards,
    isNeutral,
    transparent: transparent && argv.length + allScripts.length > 0
  }
}

/** From this word on it is known only at run time which words are options, and where the command begins. */
const unknownOptions = (name: string, words: ReadonlyArray<Word>, at: number, hazards: ReadonlyArray<Hazard>): Inner => ({
  ...noInner,
  commands: suffixes(words, at + 1),
  hazards: [...hazards, hazard(`the options of ${name} are known only at run time`, words[at])]
})

/** Where the option grammar is unknown, every later word may begin the command. */
const suffixes = (words: ReadonlyArray<Word>, from: number): ReadonlyArray<ReadonlyArray<Word>> =>
  words.slice(from, from + 16).flatMap((word, i) => word.text.startsWith("-") || word.text === "" ? [] : [words.slice(from + i)])

/** The words of the inner command, including those that only its input determines: the files of `input` if it is a list. */
const withInput = (
  words: ReadonlyArray<Word>,
  { feeds }: Wrapper,
  placeholder: string | undefined,
  input: ReadonlyArray<Word> | undefined
): ReadonlyArray<Word> =>
  placeholder !== undefined ? fillPlaceholders(words, placeholder, input)
    : feeds === true ? [...words, unknownWord(input)] : words

const unknownWord = (files?: ReadonlyArray<Word>): Word => ({
  source: "…",
  kind: "dynamic",
  text: "",
  splits: true,
  scripts: [],
  hazards: [],
  ...(files === undefined ? {} : { files })
})

/** Words in which a placeholder is replaced at run time. */
const fillPlaceholders = (
  words: ReadonlyArray<Word>,
  placeholder: string,
  files: ReadonlyArray<Word> | undefined
): ReadonlyArray<Word> =>
  words.map((word) =>
    word.text === placeholder && files !== undefined ? { ...word, kind: "dynamic", text: "", files }
      : word.text.includes(placeholder) ? { ...word, kind: "dynamic", text: word.text.slice(0, word.text.indexOf(placeholder)) } : word
  )

interface Script {
  readonly text: string
  /** False if a part of it is known only at run time; that part stands as an unknown variable. */
  readonly isLiteral: boolean
}

const texts = (scripts: ReadonlyArray<Script>): ReadonlyArray<string> => scripts.map(({ text }) => text)

/** Words joined as `eval` joins them. */
const scriptOf = (words: ReadonlyArray<Word>): Script => ({
  text: words.map(({ kind, text }) => kind === "literal" || kind === "tilde" ? text : `${text}$_`).join(" "),
  isLiteral: words.every(({ kind }) => kind === "literal")
})

const joinedScripts = ({ feeds, joins }: Wrapper, words: ReadonlyArray<Word>): ReadonlyArray<Script> => {
  if (words.length === 0) return []
  if (joins === "each") return words.map((word) => scriptOf([word]))
  if (feeds !== true) return [scriptOf(words)]
  const inputs = words.findIndex(({ text }) => text.startsWith(":::"))
  const command = inputs < 0 ? words : words.slice(0, inputs)
  return command.length === 0
    ? words.slice(1).map((word) => ({ ...scriptOf([word]), isLiteral: false }))
    : [{ text: `${scriptOf(command).text} $_`, isLiteral: false }]
}

const shellOptions = options("-o= +o= -O= +O= --rcfile= --init-file=")

/** `sh [options] [-c] text`, `sh file`, or commands from its input. */
const shell = (name: string, words: ReadonlyArray<Word>, hereDocument: Word | undefined): Inner => {
  let isInline = false
  let isPlain = true
  let at = 1
  for (; at < words.length; at++) {
    const { text } = words[at]!
    if (mayBeSeveral(words[at]!))
      return { ...noInner, hazards: [hazard(`the options of ${name} are known only at run time`, words[at])] }
    if (text === "--" || text === "-") {
      at++
      break
    }
    if (!/^[-+]./.test(text)) break
    if (shellOptions.kindByName.has(text) || /^-[a-z]*[oO]$/.test(text)) {
      if (words[at + 1] !== undefined && words[at + 1]!.kind !== "literal")
        return { ...noInner, hazards: [hazard(`the options of ${name} are known only at run time`, words[at + 1])] }
      at++
    }
    if (!/^-[ceuxo]+$/.test(text)) isPlain = false
    if (/^-[a-zA-Z]*c/.test(text) || text === "--command") isInline = true
  }
  const operand = words[at]
  if (isInline && operand !== undefined) {
    const script = scriptOf([operand])
    return {
      ...noInner,
      scripts: [script.text],
      hazards: script.isLiteral ? [] : [hazard(`${name} runs text that is known only at run time`, operand)],
      transparent: isPlain && (name === "bash" || name === "sh" || name === "dash")
    }
  }
  if (operand !== undefined) return { ...noInner, hazards: [hazard(`${name} runs a script file that was not analysed`, operand)] }
  if (hereDocument?.kind === "literal") return { ...noInner, scripts: [hereDocument.text], transparent: isPlain }
  return { ...noInner, hazards: [hazard(`${name} runs commands from standard input`)] }
}

/** `-exec program … ;` and similar ones, as often as they occur. */
const find = (words: ReadonlyArray<Word>): Inner | undefined => {
  const commands: Array<ReadonlyArray<Word>> = []
  for (let at = 1; at < words.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at]!.text)) continue
    const end = words.findIndex(({ text }, i) => i > at && (text === ";" || (text === "+" && words[i - 1]!.text === "{}")))
    const files = words[at]!.text === "-exec" ? findFiles(words) : undefined
    commands.push(fillPlaceholders(words.slice(at + 1, end < 0 ? words.length : end), "{}", files))
    at = end < 0 ? words.length : end
  }
  return commands.length === 0 ? undefined : { ...noInner, commands, isNeutral: true }
}

/** `fd -x program …`: all that follows. */
const fd = (words: ReadonlyArray<Word>): Inner | undefined => {
  const at = words.findIndex(({ text }, i) => i > 0 && /^(?:-[a-zA-Z]*[xX]|--exec|--exec-batch)/.test(text))
  if (at < 0) return undefined
  const attachedText = /^(?:-[a-zA-Z]*?[xX]=?|--exec(?:-batch)?=)(?=[^-=])(.+)$/.exec(words[at]!.text)?.[1]
  return { ...noInner, commands: [[...(attachedText === undefined ? [] : [literal(attachedText)]), ...words.slice(at + 1), unknownWord()]] }
}

/** `trap 'text' signals`. */
const trap = (words: ReadonlyArray<Word>): Inner | undefined => {
  const at = words.findIndex(({ text }, i) => i > 0 && !/^-[lp]+$|^--$/.test(text))
  const action = words[at]
  if (action === undefined || (action.kind === "literal" && /^-?$/.test(action.text))) return undefined
  const script = scriptOf([action])
  if (script.isLiteral && isPlainTrap(script.text, words.slice(at + 1))) return { ...noInner, scripts: [script.text], transparent: true }
  const reason = script.isLiteral ? `trap runs ${action.source} later` : "trap runs text that is known only at run time"
  return { ...noInner, scripts: [script.text], hazards: [{ reason, word: action, opaque: !script.isLiteral }] }
}

/** `alias name=text`. */
const alias = (words: ReadonlyArray<Word>): Inner => ({
  ...noInner,
  scripts: words.slice(1).filter(({ text }) => text.includes("=")).map(({ text }) => text.slice(text.indexOf("=") + 1)),
  hazards: [hazard("an alias changes which command a name runs")]
})

/** Those of `git filter-branch`; `--diff-filter` selects changes by a letter. */
const programFilter = "(?!diff-)[a-z-]+-filter"
const takesProgram = new RegExp(`^(?:-x|--exec|--extcmd|--${programFilter})$`)
const attachedProgram = new RegExp(`^--(?:exec|extcmd|${programFilter}|upload-pack|receive-pack)=(.*)$`, "s")

/** Where git itself runs a program text given among its words. */
const git = (words: ReadonlyArray<Word>): Inner | undefined => {
  const scripts: Array<Script> = []
  words.forEach(({ text }, i) => {
    const next = words.slice(i + 1, i + 2)
    if (takesProgram.test(text) && next.length > 0) scripts.push(scriptOf(next))
    const attachedText = attachedProgram.exec(text)?.[1]
      ?? /^[\w.-]+=!(.*)$/s.exec(text)?.[1]
      ?? /^[\w.-]*(?:pager|editor|sshcommand|fsmonitor|askpass|textconv|external|driver|smudge|clean|process|program|command|cmd)=(.*)$/is
        .exec(text)?.[1]
    if (attachedText !== undefined) scripts.push({ text: attachedText, isLiteral: true })
    if (
      (text === "foreach" && words.some(({ text }) => text === "submodule")) ||
      (text === "run" && words.some(({ text }) => text === "bisect"))
    ) {
      scripts.push(scriptOf(words.slice(i + 1).filter(({ text }) => !/^--?(?:recursive|quiet|q)$/.test(text))))
    }
  })
  return scripts.length === 0 ? undefined : { ...noInner, scripts: texts(scripts) }
}

/** `nix run package`, `nix develop -c program …`, `guix shell package -- program …`. */
const packageShell = (words: ReadonlyArray<Word>): Inner | undefined => {
  const [program, sub, ...rest] = words
  if (!/^(?:run|shell|develop|environment)$/.test(sub?.text ?? "")) return undefined
  const at = words.findIndex(({ text }) => text === "--" || text === "-c" || text === "--command")
  const reason = `${program!.text} ${sub!.text} runs code from a package`
  return { ...noInner, commands: at < 0 || at === words.length - 1 ? [] : [words.slice(at + 1)], hazards: [hazard(reason, rest[0])] }
}

/** `capsh … -- words of a shell`. */
const capsh = (words: ReadonlyArray<Word>): Inner | undefined => {
  const at = words.findIndex(({ text }) => text === "--" || text === "==")
  return at < 0 ? undefined : shell("bash", words.slice(at), undefined)
}

const specialCommands: Readonly<Record<string, (words: ReadonlyArray<Word>) => Inner | undefined>> = {
  alias,
  capsh,
  fd,
  fdfind: fd,
  find,
  git,
  guix: packageShell,
  nix: packageShell,
  trap
}
