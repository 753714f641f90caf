/** What a report says, as its key points: pure text work, the same every time. */
import type { Report } from "./Subagent.ts"

/** Findings of one child that count. */
const most = 5

/** Characters of one finding. */
const longest = 400

/** A finding, and the words by which it is compared. */
export interface Finding {
  readonly text: string
  readonly words: string
}

/**
 * The conclusions of a report, then its bullets and numbered points; where it has none, its first sentences; then what its
 * tools show. At most five, each once.
 */
export const of = ({ evidence, result }: Pick<Report, "evidence" | "result">): ReadonlyArray<Finding> => {
  const lines = result.replace(/^ {0,3}```[\s\S]*?(?:^ {0,3}```|$(?![\s\S]))/gm, "").split("\n").map((line) => line.trim())
  const concluded = lines.flatMap((line) => match(conclusion, line))
  const listed = lines.flatMap((line) => match(conclusion, line).length > 0 ? [] : match(point, line))
  const said = concluded.length + listed.length > 0 ? [] : sentences(result)
  const texts = [...concluded, ...listed, ...said, ...evidence].map((text) => text.slice(0, longest))
  return distinct(texts.map((text): Finding => ({ text, words: normal(text) }))).slice(0, most)
}

const match = (pattern: RegExp, line: string): ReadonlyArray<string> => {
  const text = pattern.exec(line)?.[1]?.trim()
  return text === undefined || text === "" ? [] : [text]
}

/** `Conclusion: …`, `**In summary**, …`, also as a point of a list. */
const conclusion = /^(?:[-*•+]\s+|#+\s+)?(?:\*\*|__)?(?:(?:in\s+)?conclusions?|(?:in\s+)?summary|overall|therefore|result|verdict|root cause|answer)(?:\*\*|__)?\s*[:,–—-]+(?:\*\*|__)?\s*(\S.*)$/i

/** `- …`, `* …`, `• …`, `1. …`, `2) …`; a box of a checklist is no part of it. */
const point = /^(?:[-*•+–]|\(?\d{1,3}[.)])\s+(?:\[[ xX~]\]\s+)?(\S.*)$/

const sentences = (text: string): ReadonlyArray<string> =>
  (text.replace(/\s+/g, " ").trim().match(/\S.*?(?:[.!?](?=\s|$)|$)/g) ?? []).slice(0, 3)

const distinct = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  [...new Map(findings.filter(({ words }) => words !== "").reverse().map((finding) => [finding.words, finding])).values()].reverse()

/** A text as its words alone: no letter case, no marks, no punctuation between words. */
export const normal = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replace(/[`*_~"“”'’]/g, "").match(/[\p{L}\p{N}][\p{L}\p{N}./:-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu)?.join(" ") ?? ""

/** What a finding speaks of, whatever it says of it, and whether it denies it. */
export interface Stance {
  readonly topic: string
  readonly denies: boolean
}

export const stance = ({ words }: Finding): Stance => {
  const all = words.split(" ")
  const denials = all.filter((word) => negations.has(word) || opposites.get(word)?.denies === true).length
  const topic = all.flatMap((word) => negations.has(word) || idle.has(word) ? [] : [opposites.get(word)?.stem ?? word])
  return { topic: topic.sort().join(" "), denies: denials % 2 === 1 }
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const negations = set("no not never none neither nor without cannot cant isnt arent wasnt werent doesnt dont didnt wont hasnt havent isn't aren't doesn't don't")

/** Words that change nothing in what is claimed. */
const idle = set("a an the is are was were be been being do does did has have had it its that this there all any")

/** Words of which one denies the other. */
const opposites: ReadonlyMap<string, { readonly stem: string; readonly denies: boolean }> = new Map(
  [
    ["passes pass passed passing", "fails fail failed failing"],
    ["works work worked working", "broken breaks break"],
    ["exists exist existing present", "missing absent"],
    ["safe", "unsafe"],
    ["used", "unused"],
    ["enabled", "disabled"],
    ["valid", "invalid"],
    ["true", "false"],
    ["correct right", "incorrect wrong"],
    ["possible", "impossible"],
    ["supported", "unsupported"]
  ].flatMap(([yes = "", no = ""]): ReadonlyArray<readonly [string, { readonly stem: string; readonly denies: boolean }]> => {
    const stem = yes.split(" ", 1)[0]!
    return [...yes.split(" ").map((word) => [word, { stem, denies: false }] as const), ...no.split(" ").map((word) => [word, { stem, denies: true }] as const)]
  })
)
