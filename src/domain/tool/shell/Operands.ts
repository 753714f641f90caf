/** The meaning of operands: one small function for each kind in the tables. */
import { assignmentHazard, isPrivateVariable } from "./Environment.ts"
import type { Hazard, Touch } from "./SimpleCommand.ts"
import { canMatchOption, literal, mayBeSeveral, type Word } from "./Syntax.ts"
import type { Operands } from "./Tool.ts"
import type { Tree } from "../../workspace/Lookup.ts"
import { findExpression } from "./FindExpression.ts"
import { argumentTouches, fullTree, type OperandEffects, pathTouches, possibleTouches, touchOf } from "./Touches.ts"

// Program texts of sed, awk, jq and yq that only print: anything else asks.

/** True when a sed script neither runs a command nor reads or writes a file of its own. */
export const isPlainSed = (script: string): boolean => {
  let rest = script
  for (;;) {
    rest = rest.replace(/^[\s;{}]+/, "")
    if (rest === "") return true
    const command = sedCommandLength(rest)
    if (command === undefined) return false
    rest = rest.slice(command)
  }
}

const address = String.raw`(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[\]]|\\[^\n]|\[\^?\]?[^\]/\\\n]*\])*\/[IM]*)`
const plainCommand = new RegExp(
  String.raw`^(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?)?\s*!*\s*(?:[pPdDnNgGhHxl=]|[qQ]\s*\d*)?(?=[\s;{}]|$)`
)
const substitution = new RegExp(String.raw`^(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?)?\s*!*\s*([sy])([^\sA-Za-z0-9\\\n;{}[\]])`)

/** The length of the first command, if it is one of those that only print. */
const sedCommandLength = (text: string): number | undefined => {
  const start = substitution.exec(text)
  if (start === null) {
    const plain = plainCommand.exec(text)
    return plain === null || plain[0] === "" ? undefined : plain[0].length
  }
  const delimiter = start[2]!
  let at = start[0].length
  for (let part = 0; part < 2; part++) {
    const end = delimiterEnd(text, at, delimiter)
    if (end === undefined) return undefined
    at = end
  }
  const flags = /^[gpiI\d]*(?=[\s;}]|$)/.exec(text.slice(at))
  return flags === null || (start[1] === "y" && flags[0] !== "") ? undefined : at + flags[0].length
}

/** After the next delimiter. Different seds read one within brackets differently, so it counts as missing. */
const delimiterEnd = (text: string, from: number, delimiter: string): number | undefined => {
  let isInBrackets = false
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === "\n") return undefined
    if (char === "\\") at++
    else if (char === delimiter) return isInBrackets ? undefined : at + 1
    else if (char === "[") isInBrackets = true
    else if (char === "]") isInBrackets = false
  }
  return undefined
}

/** True when an awk program has no pipe, no redirection, no call outside itself. */
export const isPlainAwk = (program: string): boolean =>
  (!program.includes(">") || hasOnlyComparisons(program)) &&
  !/[|@`]|\b(?:system|getline|close|fflush|ENVIRON|ARGV|PROCINFO|FUNCTAB|SYMTAB)\b/.test(program.replaceAll("||", " "))
  && !/"[^"]*\/inet/.test(program)

/**
 * In a statement that prints, `>` names a file; elsewhere it compares. Where a statement begins is uncertain beside comments and
 * continued lines, and where a slash may begin an expression: then nothing may print before it.
 */
const hasOnlyComparisons = (program: string): boolean => {
  if (/#|\\\n|>>/.test(program)) return false
  const statements = program.includes("/") ? [program] : program.replace(/"(?:[^"\\]|\\.)*"/gs, "").split(/[;{}]/)
  return statements.every((statement) => !/print[^>]*>/s.test(statement))
}

/** True when a jq program reads its input and no other file, and no variable of the environment. */
export const isPlainJq = (program: string): boolean =>
  !/(?<![.\w$])(?:env|get_search_list|import|include|input_filename|modulemeta)\b|(?<![.\w])(?:ENV\b|__prog)/.test(program)

/** True when a yq program reads its input and no other file, of either program of that name. */
export const isPlainYq = (program: string): boolean => isPlainJq(program) && !/(?<![.\w$])\w*(?:env|eval|load|system)/.test(program)

interface OperandContext {
  /** Reads this part of what is beneath its operands. */
  readonly tree: Tree | undefined
  /** What options provided in place of the first operand. */
  readonly optionOperands: ReadonlyArray<Word>
  /** The operands after `--`. */
  readonly pathOperands: ReadonlyArray<Word>
  /** An option makes all operands paths. */
  readonly isPathsOnly: boolean
}

type OperandRule = (name: string, words: ReadonlyArray<Word>, context: OperandContext) => OperandEffects

export const inspectOperands = (name: string, kind: Operands, words: ReadonlyArray<Word>, context: OperandContext): OperandEffects =>
  operandRules[kind](name, words, context)

const noEffects: OperandEffects = { touches: [], hazards: [] }

/** `V=1` and `VERBOSE=1` of make: how much it prints. */
const isVerbosity = ({ kind, text }: Word): boolean => kind === "literal" && /^(?:V|VERBOSE)=\d?$/.test(text)

const touchesOnly = (touches: ReadonlyArray<Touch>): OperandEffects => ({ touches, hazards: [] })

const refusals = (words: ReadonlyArray<Word>, reason: (word: Word) => string, opaque = false): OperandEffects => ({
  touches: [],
  hazards: words.map((word) => ({ reason: reason(word), word, opaque }))
})

/**
 * The first operand is text unless an option gave it; the rest are read, and recursive tools without operands read the
 * current folder.
 */
const pattern: OperandRule = (_, words, { optionOperands, isPathsOnly, tree }) => {
  const files = optionOperands.length > 0 || isPathsOnly ? words : words.slice(1)
  return touchesOnly(pathTouches("read", files.length === 0 && tree !== undefined ? [literal(".")] : files, { tree }))
}

/** Every program text must be plain, whether it is the first operand or came from options. */
const scriptRule = (isPlain: (script: string) => boolean): OperandRule => (name, words, { optionOperands, tree }) => {
  const [scripts, rest] = optionOperands.length > 0 ? [optionOperands, words] : [words.slice(0, 1), words.slice(1)]
  const unsafe = scripts.filter((word) => word.kind !== "literal" || mayBeSeveral(word) || !isPlain(word.text))
  return {
    touches: pathTouches("read", rest, { tree }),
    hazards: refusals(unsafe, () => `the program text of ${name} may run commands or touch files`, true).hazards
  }
}

/** The words of git that may name a file, without the revision before it and the signs of a pathspec (gitrevisions(7), gitglossary(7)). */
const objects: OperandRule = (_, words, { optionOperands, pathOperands, tree }) => {
  // For `-L 1,9:file` and `-L :function:file`; a pattern of `grep -e` names no file.
  const ranges = optionOperands.flatMap((word) => {
    const file = /^(?:[\d:/+-].*|\^:.*):([^:]+)$/s.exec(word.text)?.[1]
    return file === undefined ? [] : [touchOf("read", word, file)]
  })
  return touchesOnly([
    ...ranges,
    ...trackedPaths(pathOperands, tree),
    ...words.flatMap((word) => {
      const path = word.text.replace(/^:(?:\([^)]*\)|[/!^]+:?|[0-3]:)/, "").replace(/^[^:]*:(?!\/\/)/, "")
      const plain: Word = word.kind === "literal" && /[*?[]/.test(path) ? { ...word, kind: "glob" } : word
      return path === word.text ? possibleTouches(plain) : path === "" ? [] : [touchOf("read", plain, path)]
    })
  ])
}

/** Of two paths, one of which lies outside its repository, git compares all that is below them. */
const comparedPaths: OperandRule = (name, words, context) => {
  const effects = objects(name, words, context)
  return words.length === 2 && words.some(({ text }) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(text))
    ? { ...effects, touches: [...effects.touches, ...pathTouches("read", words, { tree: fullTree, isCertain: false })] } : effects
}

/** What git shows of the files that it tracks: those below the paths after `--`, or all. */
const trackedPaths = (pathOperands: ReadonlyArray<Word>, tree: Tree | undefined): ReadonlyArray<Touch> => {
  if (tree === undefined) return []
  const isPlain = pathOperands.length > 0 && pathOperands.every(({ kind, text }) => kind === "literal" && /^[^:*?[]/.test(text))
  return isPlain
    ? pathTouches("read", pathOperands, { tree: { ...tree, tracked: "folder" } })
    : pathTouches("read", [literal(".")], { tree: { ...tree, tracked: "repository" } })
}

/** The files that appear in the target if it is a folder: under the last names of the others. */
const targetTouches = (words: ReadonlyArray<Word>): ReadonlyArray<Touch> => {
  const target = words.at(-1)
  if (target === undefined || (target.kind !== "literal" && target.kind !== "tilde")) return []
  return words.slice(0, -1).filter(({ kind }) => kind === "literal" || kind === "tilde").map(({ text }) =>
    touchOf("write", target, `${target.text}/${text.replace(/\/+$/, "").replace(/^.*\//s, "")}`, { tree: fullTree })
  )
}

/** A repository's address, or a folder that it is in. */
const transport = /^[\w+.-]+::/

const transports = (words: ReadonlyArray<Word>): ReadonlyArray<Hazard> =>
  words.filter(({ text }) => transport.test(text)).map((word) => ({
    reason: `${word.source} names a transport that runs a program`,
    word,
    opaque: true
  }))

/** The words that may stand at a later place than the first. */
const afterFirst = (words: ReadonlyArray<Word>): ReadonlyArray<Word> =>
  words[0] !== undefined && mayBeSeveral(words[0]) ? words : words.slice(1)

const comparison = /^(?:=|==|!=|<|>|-[a-zA-Z]+|!|\(|\)|-a|-o)$/

/** The binutils, to which `@file` is a file of arguments. */
const argumentFilePrograms = new Set(["nm", "objdump", "readelf", "size", "strings"])

const operandRules: Readonly<Record<Operands, OperandRule>> = {
  // To cargo, `parser::` names tests
  any: (name, words) => ({ touches: words.flatMap(possibleTouches), hazards: name === "cargo" ? [] : transports(words) }),
  awk: (name, words, context) =>
    scriptRule(isPlainAwk)(
      name,
      words.filter(({ kind, text }, i) => i === 0 || kind !== "literal" || !/^[A-Za-z_]\w*=/.test(text)),
      context
    ),
  clone: (_, words) => ({
    touches: [...words.slice(0, 1).flatMap(possibleTouches), ...pathTouches("write", words.slice(1), { tree: fullTree })],
    hazards: transports(words)
  }),
  comparison: comparedPaths,
  copy: (_, words, { tree }) =>
    touchesOnly([
      ...pathTouches("read", words.slice(0, -1).filter(isLocal), { tree }),
      ...pathTouches("write", words.slice(-1).filter(isLocal)),
      ...targetTouches(words.filter(isLocal))
    ]),
  enter: (name, words) =>
    words.length === 1 && words[0]!.kind !== "dynamic" && words[0]!.kind !== "glob" && words[0]!.text !== "-"
      ? touchesOnly(pathTouches("enter", words))
      : { touches: [], hazards: [{ reason: `${name} names no target folder`, word: words[0], opaque: false }] },
  filter: (_, words) =>
    touchesOnly([...pathTouches("read", words.slice(0, 1)), ...pathTouches("write", afterFirst(words), { redirect: true })]),
  find: findExpression,
  format: (name, words) =>
    refusals(words.filter(({ text }) => !text.startsWith("+")), ({ source }) => `${name} ${source} may set the clock`),
  free: () => noEffects,
  jq: scriptRule(isPlainJq),
  // Where a relative target leads depends on where the link is: beside the last operand, or within it.
  link: (_, words) => {
    const place = words.at(-1)
    const parent = place?.text.includes("/") === true ? place.text.replace(/[^/]*\/*$/, "") : ""
    const targets = words.slice(0, -1).filter(({ kind, text }) => kind === "literal" && !text.startsWith("/"))
    return touchesOnly([
      ...pathTouches("write", words, { tree: fullTree }),
      ...place?.kind === "literal"
        ? targets.flatMap((word) => [parent, `${place.text}/`].map((folder) => touchOf("read", word, folder + word.text))) : []
    ])
  },
  mode: (_, words) => touchesOnly(pathTouches("write", words.slice(1), { tree: fullTree })),
  move: (_, words) => touchesOnly([...pathTouches("write", words, { tree: fullTree }), ...targetTouches(words)]),
  name: (name, words) => ({
    touches: words.flatMap(argumentTouches),
    hazards: words.filter((word) => !isVerbosity(word)).filter((word, i) => i === 0 || /^\w+[:+?]?=/.test(word.text)).map((word) => ({
      reason: `${name} runs ${word.source} as the project defines it; a rule must name it`,
      word,
      opaque: false
    }))
  }),
  new: (_, words) =>
    touchesOnly([...pathTouches("write", words.slice(0, 1), { tree: fullTree }), ...words.slice(1).flatMap(possibleTouches)]),
  none: (name, words) => refusals(words, ({ source }) => `${name} with ${source} does more than read`),
  objects,
  one: (name, words) => ({
    touches: words.flatMap(possibleTouches),
    hazards: refusals(afterFirst(words), ({ source }) => `${name} with ${source} sets what the first names`).hazards
  }),
  page: (name, words) =>
    refusals(
      words.filter((word) => word.kind !== "literal" || mayBeSeveral(word) || word.text.includes("/")),
      ({ source }) => `${source} is a file whose text ${name} runs through others`
    ),
  pairs: (_, words) =>
    touchesOnly(words.flatMap((word) => {
      const [, key, path] = /^(if|of)=(.*)$/s.exec(word.text) ?? []
      return path === undefined ? [] : [touchOf(key === "of" ? "write" : "read", word, path)]
    })),
  pattern,
  printf: (name, words) => {
    const [format, ...values] = words
    const isPlain = format?.kind === "literal" && !mayBeSeveral(format) &&
      !/%[-+ #\d.*']*[hjlLqtz]*n/.test(format.text.replaceAll("%%", ""))
    const variables = format === undefined || isPlain ? [] : mayBeSeveral(format) ? [format] : values.slice(0, 1)
    return refusals(variables, ({ source }) => `${name} may set the variable ${source}`, true)
  },
  processes: (name, words) => refusals(processHazards(words), ({ source }) => `${name} ${source} may show the variables of other programs`),
  read: (name, words, { tree }) => ({
    touches: pathTouches("read", words, { tree }),
    hazards: refusals(
      argumentFilePrograms.has(name) ? words.filter(({ text }) => text.startsWith("@")) : [],
      ({ source }) => `${name} reads more arguments from ${source}`
    ).hazards
  }),
  script: (name, words) => {
    const [script, ...rest] = words
    return script === undefined
      ? noEffects
      : {
        touches: [...pathTouches("read", [script]), ...rest.flatMap(possibleTouches)],
        hazards: script.text === "-" || script.kind === "dynamic" || script.kind === "process"
          ? [{ reason: `${name} runs a program that is known only at run time`, word: script, opaque: true }]
          : []
      }
  },
  sed: scriptRule(isPlainSed),
  sets: (_, words) => ({
    touches: [],
    hazards: words.flatMap((word): ReadonlyArray<Hazard> => {
      const at = word.text.indexOf("=")
      const reason = word.text.startsWith("-") ? `${word.source} changes what the variable means`
        : at < 0 ? undefined : assignmentHazard(word.text.slice(0, at), { ...word, text: word.text.slice(at + 1) })
      const unsafe = reason ??
        (/^\w+(?:=|$)/.test(word.text) && word.kind !== "dynamic" ? undefined : `${word.source} is known only at run time`)
      return unsafe === undefined ? [] : [{ reason: unsafe, word, opaque: true }]
    })
  }),
  setting: (name, words) => {
    const [first, ...others] = words[0]?.text === "get" ? words.slice(1) : words
    // Without a dot, git takes it for a subcommand.
    const isPublic = first?.kind === "literal" && (name === "git" ? /^[\w-]+\.[\w.-]+$/ : /^[\w.-]+$/).test(first.text) &&
      !/token|passw|secret|header|credential|key$/i.test(first.text)
    return refusals(
      isPublic ? others : [first ?? literal("no name")],
      ({ source }) => `${name} with ${source} may do more than show a setting`
    )
  },
  switch: (_, words) =>
    refusals(
      words.length === 0 ? [literal("without options")] : words.filter(({ kind, text }, i) =>
        /^[-+]\w*o$/.test(words[i - 1]?.text ?? "")
          ? !/^(?:errexit|nounset|xtrace|pipefail|noclobber|noglob)$/.test(text)
          : /^[-+]/.test(text)
          ? !/^[-+][euxCn]*o?$/.test(text)
          : kind === "dynamic" && text === ""
      ),
      ({ source }) => `set ${source} changes how later commands are read`,
      true
    ),
  test: (name, words) => ({
    touches: [],
    hazards: words.flatMap((word): ReadonlyArray<Hazard> => {
      const isEvaluated = word.text === "-v" || word.text === "-R"
      const isUnclear = word.splits || canMatchOption(word) ||
        (word.kind === "dynamic" && !words.some(({ kind, text }) => kind === "literal" && comparison.test(text)))
      return isEvaluated || isUnclear ? [{ reason: `${name} may evaluate ${word.source} as code`, word: undefined, opaque: true }] : []
    })
  }),
  text: () => noEffects,
  url: (name, words) =>
    refusals(
      words.filter(({ kind, text }) =>
        kind !== "literal" || (/^[a-z][\w+.-]*:/i.test(text) && !/^https?:\/\//i.test(text) && !/^[\w.-]+:\d+(?:\/|$)/.test(text))
      ),
      ({ source }) => `${name} may read ${source} from elsewhere than the web`
    ),
  variables: (_, words) =>
    refusals(
      words.filter(({ kind, text }) => kind !== "literal" || !isPrivateVariable(text)),
      ({ source }) => `read sets ${source}, which programs may read`,
      true
    ),
  write: (_, words) => touchesOnly(pathTouches("write", words, { tree: fullTree })),
  // The newer of two programs of this name takes a subcommand before its program text.
  yq: (name, words, context) =>
    scriptRule(isPlainYq)(name, /^(?:e|eval|ea|eval-all)$/.test(words[0]?.text ?? "") ? words.slice(1) : words, context)
}

/** The arguments with which `ps` may show variables: `e` without a dash, also in what turns out not to be a user name. */
const processHazards = (words: ReadonlyArray<Word>): ReadonlyArray<Word> => {
  let expectedValue: "columns" | "names" | undefined
  return words.filter(({ kind, text }) => {
    const isValue = expectedValue
    expectedValue = undefined
    if (kind !== "literal" || /env/i.test(text)) return true
    if (isValue !== undefined) return isValue === "columns" ? text.startsWith("-") : !/^[^e-][^e]*$/i.test(text)
    if (/^[\d,]+$|^--(?:forest|headers|no-headers|help|version)$|^--(?:sort|pid|ppid|user|format)=/.test(text)) return false
    const [, value] = /^(?:-[aAcdefFHjlLmMNTwxy]*|[acfghjlmnrsuvwxHLSTX]*)([oOpqstuUgGC]?)$/.exec(text) ?? []
    if (value === undefined) return true
    if (value !== "" && (text.startsWith("-") || /[oOpqU]/.test(value))) expectedValue = /[oOp]/.test(value) ? "columns" : "names"
    return false
  })
}

/** Not `host:path`. */
const isLocal = ({ text }: Word): boolean => !/^[^/]*:/.test(text)
