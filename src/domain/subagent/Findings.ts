/** A report's key points: pure text processing, deterministic. */
import type { SubagentReport } from "./Subagent.ts"

/** The maximum number of findings per subagent. */
const maxFindings = 5

/** The maximum length of a finding in characters. */
const maxCharacters = 400

/** A finding, and the words by which it is compared. */
export interface Finding {
  readonly text: string
  readonly normalizedText: string
}

/**
 * The conclusions of a report, then its bullets and numbered points; if it has none, its first sentences; then the
 * evidence of its tools. At most five, each once.
 */
export const of = ({ evidence, result }: Pick<SubagentReport, "evidence" | "result">): ReadonlyArray<Finding> => {
  const lines = result.replace(/^ {0,3}```[\s\S]*?(?:^ {0,3}```|$(?![\s\S]))/gm, "").split("\n").map((line) => line.trim())
  const conclusions = lines.flatMap((line) => match(conclusion, line))
  const listItems = lines.flatMap((line) => match(conclusion, line).length > 0 ? [] : match(point, line))
  const fallbackSentences = conclusions.length + listItems.length > 0 ? [] : sentences(result)
  const texts = [...conclusions, ...listItems, ...fallbackSentences, ...evidence].map((text) => text.slice(0, maxCharacters))
  return distinct(texts.map((text): Finding => ({ text, normalizedText: normalizeText(text) }))).slice(0, maxFindings)
}

const match = (pattern: RegExp, line: string): ReadonlyArray<string> => {
  const text = pattern.exec(line)?.[1]?.trim()
  return text === undefined || text === "" ? [] : [text]
}

/** `Conclusion: …`, `**In summary**, …`, also as a list item. */
const conclusion =
  /^(?:[-*•+]\s+|#+\s+)?(?:\*\*|__)?(?:(?:in\s+)?conclusions?|(?:in\s+)?summary|overall|therefore|result|verdict|root cause|answer)(?:\*\*|__)?\s*[:,–—-]+(?:\*\*|__)?\s*(\S.*)$/i

/** `- …`, `* …`, `• …`, `1. …`, `2) …`; without the box of a checklist. */
const point = /^(?:[-*•+–]|\(?\d{1,3}[.)])\s+(?:\[[ xX~]\]\s+)?(\S.*)$/

const sentences = (text: string): ReadonlyArray<string> =>
  (text.replace(/\s+/g, " ").trim().match(/\S.*?(?:[.!?](?=\s|$)|$)/g) ?? []).slice(0, 3)

const distinct = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  [...new Map(findings.filter(({ normalizedText }) => normalizedText !== "").reverse().map((finding) => [finding.normalizedText, finding]))
    .values()].reverse()

/** A text reduced to its words: no letter case, no marks, no punctuation. */
export const normalizeText = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replace(/[`*_~"“”'’]/g, "").match(/[\p{L}\p{N}][\p{L}\p{N}./:-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu)?.join(
    " "
  ) ?? ""

/** What a finding is about, whatever it says of it, and whether it denies it. */
export interface Stance {
  readonly topic: string
  readonly isDenial: boolean
}

export const stance = ({ normalizedText }: Finding): Stance => {
  const wordList = normalizedText.split(" ")
  const denials = wordList.filter((word) => negations.has(word) || opposites.get(word)?.denies === true).length
  const topic = wordList.flatMap((word) => negations.has(word) || fillerWords.has(word) ? [] : [opposites.get(word)?.stem ?? word])
  return { topic: topic.sort().join(" "), isDenial: denials % 2 === 1 }
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const negations = wordSet(
  "no not never none neither nor without cannot cant isnt arent wasnt werent doesnt dont didnt wont hasnt havent isn't aren't doesn't don't"
)

/** Words that don't affect the claim. */
const fillerWords = wordSet("a an the is are was were be been being do does did has have had it its that this there all any")

/** Pairs of opposite words. */
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
    return [
      ...yes.split(" ").map((word) => [word, { stem, denies: false }] as const),
      ...no.split(" ").map((word) => [word, { stem, denies: true }] as const)
    ]
  })
)
