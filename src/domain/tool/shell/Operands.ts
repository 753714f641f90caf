/** What operands mean: one small function for each kind of the tables. */
import { assignmentHazard, isOwnVariable } from "./Environment.ts"
import { findExpression } from "./Find.ts"
import type { Hazard, Touch } from "./SimpleCommand.ts"
import { isPlainAwk, isPlainSed } from "./Scripts.ts"
import type { Word } from "./Syntax.ts"
import type { Operands } from "./Tool.ts"
import { touchOf, unsureTouches } from "./Touches.ts"

export interface Found {
  readonly touches: ReadonlyArray<Touch>
  readonly hazards: ReadonlyArray<Hazard>
}

interface Manner {
  /** Reads all beneath its operands. */
  readonly tree: boolean
  /** What options gave instead of the first operand. */
  readonly given: ReadonlyArray<Word>
}

type Meaning = (name: string, words: ReadonlyArray<Word>, manner: Manner) => Found

export const inspectOperands = (name: string, kind: Operands, words: ReadonlyArray<Word>, manner: Manner): Found => meanings[kind](name, words, manner)

const nothing: Found = { touches: [], hazards: [] }

const touching = (touches: ReadonlyArray<Touch>): Found => ({ touches, hazards: [] })

const refusing = (words: ReadonlyArray<Word>, why: (word: Word) => string, opaque = false): Found => ({
  touches: [],
  hazards: words.map((word) => ({ why: why(word), word, opaque }))
})

const paths = (access: "read" | "write" | "enter", words: ReadonlyArray<Word>, tree: boolean): ReadonlyArray<Touch> =>
  words.filter(({ kind, text }) => text !== "-" && kind !== "process").map((word) => touchOf(access, word, word.text, { tree }))

/** The first operand is text unless an option gave it; the rest are read. */
const pattern: Meaning = (_, words, { given, tree }) => touching(paths("read", given.length > 0 ? words : words.slice(1), tree))

/** Every program text must be plain, whether it is the first operand or options gave it. */
const checked = (isPlain: (script: string) => boolean): Meaning => (name, words, { given, tree }) => {
  const [scripts, rest] = given.length > 0 ? [given, words] : [words.slice(0, 1), words.slice(1)]
  const bad = scripts.filter(({ kind, text }) => kind !== "literal" || !isPlain(text))
  return { touches: paths("read", rest, tree), hazards: refusing(bad, () => `the program text of ${name} may run commands or touch files`, true).hazards }
}

const comparison = /^(?:=|==|!=|<|>|-[a-zA-Z]+|!|\(|\)|-a|-o)$/

const meanings: Readonly<Record<Operands, Meaning>> = {
  any: (_, words) => ({
    touches: words.flatMap(unsureTouches),
    hazards: words.filter(({ text }) => /^[\w+.-]+::/.test(text)).map((word) => ({ why: `${word.source} names a transport that runs a program`, word, opaque: true }))
  }),
  awk: (name, words, manner) => checked(isPlainAwk)(name, words.filter(({ text }, i) => i === 0 || !/^\w+=/.test(text)), manner),
  copy: (_, words, { tree }) => touching([...paths("read", words.slice(0, -1).filter(isLocal), tree), ...paths("write", words.slice(-1).filter(isLocal), false)]),
  enter: (name, words) =>
    words.length === 1 && words[0]!.kind !== "dynamic" && words[0]!.kind !== "glob" && words[0]!.text !== "-"
      ? touching(paths("enter", words, false))
      : { touches: [], hazards: [{ why: `the folder that ${name} changes to is not named`, word: words[0], opaque: false }] },
  filter: (_, words) => touching([...paths("read", words.slice(0, 1), false), ...paths("write", words.slice(1), false).map((touch) => ({ ...touch, redirect: true }))]),
  find: findExpression,
  format: (name, words) => refusing(words.filter(({ text }) => !text.startsWith("+")), ({ source }) => `${name} ${source} may set the clock`),
  free: () => nothing,
  mode: (_, words) => touching(paths("write", words.slice(1), true)),
  name: (name, words) => ({
    touches: words.slice(1).flatMap(unsureTouches),
    hazards: words.filter((word, i) => i === 0 || /^\w+[:+?]?=/.test(word.text)).map((word) => ({ why: `${name} runs what the project defines as ${word.source}: a rule must name it`, word, opaque: false }))
  }),
  none: (name, words) => refusing(words, ({ source }) => `${name} with ${source} is more than looking`),
  pairs: (_, words) =>
    touching(words.flatMap((word) => {
      const [, key, path] = /^(if|of)=(.*)$/s.exec(word.text) ?? []
      return path === undefined ? [] : [touchOf(key === "of" ? "write" : "read", word, path)]
    })),
  pattern,
  read: (_, words, { tree }) => touching(paths("read", words, tree)),
  script: (name, words) => {
    const [script, ...rest] = words
    return script === undefined
      ? nothing
      : {
        touches: [...paths("read", [script], false), ...rest.flatMap(unsureTouches)],
        hazards: script.text === "-" || script.kind === "dynamic" || script.kind === "process"
          ? [{ why: `${name} runs a program that is known only at run time`, word: script, opaque: true }]
          : []
      }
  },
  sed: checked(isPlainSed),
  sets: (_, words) => ({
    touches: [],
    hazards: words.flatMap((word): ReadonlyArray<Hazard> => {
      const at = word.text.indexOf("=")
      const why = word.text.startsWith("-") ? `${word.source} changes what the variable means` : at < 0 ? undefined : assignmentHazard(word.text.slice(0, at), { ...word, text: word.text.slice(at + 1) })
      const bad = why ?? (/^\w+(?:=|$)/.test(word.text) && word.kind !== "dynamic" ? undefined : `${word.source} is known only at run time`)
      return bad === undefined ? [] : [{ why: bad, word, opaque: true }]
    })
  }),
  switch: (_, words) =>
    refusing(
      words.filter(({ kind, text }, i) =>
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
      const evaluates = word.text === "-v" || word.text === "-R"
      const unclear = word.splits || (word.kind === "dynamic" && !words.some(({ kind, text }) => kind === "literal" && comparison.test(text)))
      return evaluates || unclear ? [{ why: `${name} may evaluate ${word.source} as code`, word: undefined, opaque: true }] : []
    })
  }),
  text: () => nothing,
  tree: (_, words) => touching(paths("read", words, true)),
  url: (name, words) =>
    refusing(words.filter(({ kind, text }) => kind !== "literal" || (/^[a-z][\w+.-]*:/i.test(text) && !/^https?:\/\//i.test(text) && !/^[\w.-]+:\d+(?:\/|$)/.test(text))), ({ source }) => `${name} may read ${source} from elsewhere than the web`),
  variables: (_, words) => refusing(words.filter(({ kind, text }) => kind !== "literal" || !isOwnVariable(text)), ({ source }) => `read sets ${source}, which programs may read`, true),
  write: (_, words) => touching(paths("write", words, true))
}

/** Not `host:path`. */
const isLocal = ({ text }: Word): boolean => !/^[^/]*:/.test(text)
