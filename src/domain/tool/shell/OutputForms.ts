/**
 * The form of what a program prints, where its words decide it: one number without a sign, or the name of one Git object; or nothing,
 * where it fails. Such a value is no option, no path and no code, whatever the files hold that the program read.
 */
import type { Form, Node, Word } from "./Syntax.ts"

export const outputForm = (node: Node): Form | undefined => {
  const printed = (stagesOf(node) ?? []).reduce<Printed | undefined>(afterStage, undefined)
  return printed?.isOneLine !== true || printed.lines === "numbered" || printed.lines === "sized" ? undefined : printed.lines
}

/** The numbers that `seq` prints, one a line. */
export const isSequence = (node: Node): boolean => {
  const stages = stagesOf(node) ?? []
  return stages.length === 1 && /^seq(?: \d+){1,3}$/.test(stages[0]!)
}

/** What has been printed so far: lines that begin with a number and a colon, or with a number and a space; or the form of each line. */
interface Printed {
  readonly lines: Form | "numbered" | "sized"
  readonly isOneLine: boolean
}

/** The words of each command of a pipeline, one space between them; a space within a word is `blank`. */
const stagesOf = (node: Node): ReadonlyArray<string> | undefined => {
  switch (node._tag) {
    case "List":
      return node.nodes.length === 1 ? stagesOf(node.nodes[0]!) : undefined
    case "Pipeline": {
      const stages = node.nodes.map(stagesOf)
      return stages.every((stage) => stage !== undefined) ? stages.flat() : undefined
    }
    case "Simple": {
      const { assignments, redirects, words } = node
      const onlyReads = redirects.every(({ _tag, ...redirect }) =>
        _tag === "Read" || _tag === "Write" && "source" in redirect && redirect.source === "2>/dev/null"
      )
      return assignments.length === 0 && onlyReads ? [words.map(textOf).join(" ")] : undefined
    }
    default:
      return undefined
  }
}

const blank = "\u0001"
const unclear = "\u0000"

const textOf = ({ kind, text }: Word): string =>
  kind !== "literal" || text === "" || text.includes(blank) || text.includes(unclear) ? unclear : text.replace(/\s/g, blank)

/** A pattern of words: `WORD` is any that is known and begins with no dash. */
const stage = (pattern: string): RegExp => new RegExp(`^(?:${pattern.replaceAll("WORD", "(?![-\\u0000])\\S+")})$`)

const grep = (letter: string): string => `[ef]?grep (?:-[EFivwx]+ )*-[EFivwx]*${letter}[EFivwx]*`

/** Programs that print one value, whatever they read. */
const values: ReadonlyArray<readonly [RegExp, Form]> = [
  [stage("wc -[lwcm]"), "count"],
  [stage(`${grep("c")} WORD(?: WORD)?`), "count"],
  [stage("date \\+%[sYmdHMSNjuw]|nproc|id -[ug]|stat -c ?%s WORD|git rev-list --count WORD"), "count"],
  [stage("git rev-parse (?:--short(?:=\\d+)? |--verify )?HEAD(?:[~^]\\d*)*|git merge-base WORD WORD"), "object"],
  [stage("git log (?:-1|-n ?1) --(?:format=|pretty=(?:format:)?)%[hH](?: -- .*)?"), "object"],
  [stage("git log --(?:format=|pretty=(?:format:)?)%[hH] (?:-1|-n ?1)(?: -- .*)?"), "object"]
]

const numberedLines = stage(`${grep("n")}(?: -m ?1)? WORD WORD`)
const sizedLine = stage("wc -[lwcm] WORD")
const oneLine = stage("(?:head|tail) -(?:n ?)?1")
const someLines = stage("(?:head|tail) -(?:n ?)?\\d+|sort(?: -[nru]+)?")
const beforeColon = stage("cut -d ?: -f ?1|awk -F ?: \\{\u0001?print\u0001\\$1\u0001?\\}")
const beforeSpace = stage("cut -d\u0001 -f ?1|awk \\{\u0001?print\u0001\\$1\u0001?\\}")
const withoutSpaces = stage("tr -d \u0001")

const afterStage = (input: Printed | undefined, text: string, i: number): Printed | undefined => {
  const [, form] = values.find(([pattern]) => pattern.test(text)) ?? []
  if (form !== undefined) return { lines: form, isOneLine: true }
  if (i === 0) {
    return numberedLines.test(text) ? { lines: "numbered", isOneLine: / -m ?1 /.test(text) }
      : sizedLine.test(text) ? { lines: "sized", isOneLine: true }
      : undefined
  }
  return input === undefined ? undefined
    : oneLine.test(text) ? { ...input, isOneLine: true }
    : someLines.test(text) || input.lines === "count" && withoutSpaces.test(text) ? input
    : input.lines === "numbered" && beforeColon.test(text) || input.lines === "sized" && beforeSpace.test(text)
    ? { ...input, lines: "count" } : undefined
}
