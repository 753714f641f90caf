/**
 * Combines several reports into one, without a model: what was found, by whom, where they agree and where not, and with
 * what confidence.
 */
import type { SubagentReport, SubagentTask } from "./Subagent.ts"
import * as Findings from "./Findings.ts"

/** A report with its assessment; `number` is its task's, from 1. `confidence` is from 1 to 5. */
export interface WeighedReport {
  readonly number: number
  readonly report: SubagentReport
  readonly findings: ReadonlyArray<Findings.Finding>
  readonly confidence: number
  /** How much of its task's vocabulary its result covers, from 0 to 1. */
  readonly coverage: number
}

/** A finding, and the tasks that reported it. */
export interface SharedFinding {
  readonly text: string
  readonly by: ReadonlyArray<number>
}

export interface CombinedReports {
  readonly total: number
  readonly finished: ReadonlyArray<WeighedReport>
  readonly unfinished: ReadonlyArray<{ readonly number: number; readonly report: SubagentReport }>
  readonly agreements: ReadonlyArray<SharedFinding>
  readonly conflicts: ReadonlyArray<readonly [SharedFinding, SharedFinding]>
  readonly unique: ReadonlyArray<SharedFinding>
  /** Over all tasks, including unfinished ones. */
  readonly coverage: number
  readonly confidence: number
}

/** Reports in the order of their tasks. */
export const of = (tasks: ReadonlyArray<SubagentTask>, reports: ReadonlyArray<SubagentReport>): CombinedReports => {
  const numberedReports = reports.map((report, i) => ({ number: i + 1, report }))
  const finished = numberedReports.filter(({ report }) => report.status === "finished").map(({ number, report }): WeighedReport => ({
    number,
    report,
    findings: Findings.of(report),
    confidence: confidence(report),
    coverage: taskCoverage(tasks[number - 1]?.prompt ?? "", report)
  }))
  const shared = sharedFindings(finished)
  return {
    total: reports.length,
    finished,
    unfinished: numberedReports.filter(({ report }) => report.status !== "finished"),
    agreements: shared.filter(({ by }) => by.length > 1),
    conflicts: findConflicts(finished),
    unique: shared.filter(({ by }) => by.length === 1),
    coverage: reports.length === 0 ? 0 : finished.reduce((sum, { coverage }) => sum + coverage, 0) / reports.length,
    confidence: finished.length === 0 ? 1 : Math.round(finished.reduce((sum, { confidence }) => sum + confidence, 0) / finished.length)
  }
}

/**
 * By evidence: 3, one more above three and above five tool calls, one less for errors and for hedging, one more if
 * something was confirmed.
 */
export const confidence = ({ calls, errors, result }: Pick<SubagentReport, "calls" | "errors" | "result">): number => {
  const sum = 3 + (calls > 3 ? 1 : 0) + (calls > 5 ? 1 : 0) - (errors > 0 ? 1 : 0) - (hedgePattern.test(result) ? 1 : 0) +
    (confirmedPattern.test(result) ? 1 : 0)
  return Math.min(5, Math.max(1, sum))
}

const hedgePattern =
  /\b(?:could(?: not|n[o'’]t) (?:find|determine|verify|confirm|tell)|unable to|not (?:sure|certain|clear)|unsure|uncertain|unclear|can(?:not|['’]t) (?:tell|say|determine|verify|confirm)|no evidence|might be|may be|perhaps|possibly|probably|appears? to|seems? to|i (?:think|believe|assume|guess))\b/i
const confirmedPattern = /(?<!\b(?:be|never|not) )\bconfirmed\b/i

/** Findings by their words, each with all tasks that reported it. */
const sharedFindings = (reports: ReadonlyArray<WeighedReport>): ReadonlyArray<SharedFinding> => {
  const by = new Map<string, { readonly text: string; readonly by: Array<number> }>()
  for (const { findings, number } of reports) {
    for (const { text, normalizedText } of findings) {
      const existing = by.get(normalizedText)
      if (existing === undefined) by.set(normalizedText, { text, by: [number] })
      else existing.by.push(number)
    }
  }
  return [...by.values()]
}

/** One subagent claims what another denies. */
const findConflicts = (reports: ReadonlyArray<WeighedReport>): ReadonlyArray<readonly [SharedFinding, SharedFinding]> => {
  const claims = reports.flatMap(({ findings, number }) =>
    findings.map((finding) => ({ number, text: finding.text, ...Findings.stance(finding) }))
  )
  return claims.flatMap((claim, i) =>
    claims.slice(i + 1).flatMap((otherClaim) =>
      otherClaim.number !== claim.number && otherClaim.topic !== "" && otherClaim.topic === claim.topic &&
        otherClaim.isDenial !== claim.isDenial
        ? [[{ text: claim.text, by: [claim.number] }, { text: otherClaim.text, by: [otherClaim.number] }] as const]
        : []
    )
  )
}

/** The share of a task's own words that occur in its result. */
const taskCoverage = (prompt: string, { evidence, result }: SubagentReport): number => {
  const taskWords = new Set(Findings.normalizeText(prompt).split(" ").filter((word) => word.length > 3 && !commonWords.has(word)))
  if (taskWords.size === 0) return 1
  const resultWords = new Set(Findings.normalizeText([result, ...evidence].join("\n")).split(" "))
  return [...taskWords].filter((word) => resultWords.has(word)).length / taskWords.size
}

const commonWords = new Set(
  "about after also been before could does each every find from have here into just look make more most only over read should some such tell than that their them then there these they this those what when where which will with would your"
    .split(" ")
)

/** The text that represents all of them if no model writes one. */
export const renderReports = (combined: CombinedReports): string => {
  const { agreements, confidence, conflicts, coverage, finished, total, unique } = combined
  return [
    `${finished.length} of ${total} tasks finished. Confidence ${confidence} of 5, coverage ${percent(coverage)}.`,
    ...finished.map(({ confidence, coverage, findings, number, report }) =>
      [
        `## ${number}. ${report.name} (confidence ${confidence} of 5, coverage ${percent(coverage)}, ${report.calls} calls)`,
        ...findings.map(({ text }) => `- ${text}`)
      ].join("\n")
    ),
    section("Agreement", agreements.map(line)),
    section("Conflict", conflicts.map(([a, b]) => `- ${taskNumbers(a)}: ${a.text} — ${taskNumbers(b)}: ${b.text}`)),
    finished.length < 2 ? "" : section("Found by one only", unique.map(line)),
    unfinishedText(combined)
  ].filter((part) => part !== "").join("\n\n")
}

/** What did not finish, and why, and what was changed; empty if there is nothing to report. */
export const unfinishedText = ({ finished, unfinished: unfinishedText }: CombinedReports): string =>
  [
    section(
      "Not finished",
      unfinishedText.map(({ number, report }) =>
        `- ${number}. ${report.name}: ${report.status}. ${report.result.split("\n", 1)[0]!.slice(0, 400)}`.trimEnd()
      )
    ),
    section(
      "Changed files",
      [...finished, ...unfinishedText].sort((a, b) => a.number - b.number).flatMap(({ number, report }) =>
        report.changed.map((path) => `- ${path} (${number})`)
      )
    )
  ].filter((part) => part !== "").join("\n\n")

const section = (title: string, lines: ReadonlyArray<string>): string => lines.length === 0 ? "" : [`## ${title}`, ...lines].join("\n")

const line = (shared: SharedFinding): string => `- ${shared.text} (${taskNumbers(shared)})`

const taskNumbers = ({ by }: SharedFinding): string => by.join(", ")

const percent = (share: number): string => `${Math.round(share * 100)}%`
