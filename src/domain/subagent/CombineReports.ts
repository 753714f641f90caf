/** Several reports as one, without a model: what was found, by whom, where they agree and where not, and how sure it is. */
import type { Report, Task } from "./Subagent.ts"
import * as Findings from "./Findings.ts"

/** A report with what it comes to; `number` is its task's, from 1. `confidence` is from 1 to 5. */
export interface Weighed {
  readonly number: number
  readonly report: Report
  readonly findings: ReadonlyArray<Findings.Finding>
  readonly confidence: number
  /** How much of what its task names its result speaks of, from 0 to 1. */
  readonly coverage: number
}

/** A finding, and the tasks that came to it. */
export interface Shared {
  readonly text: string
  readonly by: ReadonlyArray<number>
}

export interface Combined {
  readonly of: number
  readonly finished: ReadonlyArray<Weighed>
  readonly unfinished: ReadonlyArray<{ readonly number: number; readonly report: Report }>
  readonly agreed: ReadonlyArray<Shared>
  readonly conflicts: ReadonlyArray<readonly [Shared, Shared]>
  readonly unique: ReadonlyArray<Shared>
  /** Over all tasks, those that did not finish too. */
  readonly coverage: number
  readonly confidence: number
}

/** Reports in the order of their tasks. */
export const of = (tasks: ReadonlyArray<Task>, reports: ReadonlyArray<Report>): Combined => {
  const numbered = reports.map((report, i) => ({ number: i + 1, report }))
  const finished = numbered.filter(({ report }) => report.status === "finished").map(({ number, report }): Weighed => ({
    number,
    report,
    findings: Findings.of(report),
    confidence: confidence(report),
    coverage: covered(tasks[number - 1]?.prompt ?? "", report)
  }))
  const shared = together(finished)
  return {
    of: reports.length,
    finished,
    unfinished: numbered.filter(({ report }) => report.status !== "finished"),
    agreed: shared.filter(({ by }) => by.length > 1),
    conflicts: conflicting(finished),
    unique: shared.filter(({ by }) => by.length === 1),
    coverage: reports.length === 0 ? 0 : finished.reduce((sum, { coverage }) => sum + coverage, 0) / reports.length,
    confidence: finished.length === 0 ? 1 : Math.round(finished.reduce((sum, { confidence }) => sum + confidence, 0) / finished.length)
  }
}

/** By evidence: 3, one more above three and above five tool calls, one less for errors and for hedging, one more where something was confirmed. */
export const confidence = ({ calls, errors, result }: Pick<Report, "calls" | "errors" | "result">): number => {
  const sum = 3 + (calls > 3 ? 1 : 0) + (calls > 5 ? 1 : 0) - (errors > 0 ? 1 : 0) - (hedging.test(result) ? 1 : 0) + (confirmed.test(result) ? 1 : 0)
  return Math.min(5, Math.max(1, sum))
}

const hedging = /\b(?:could(?: not|n[o'’]t) (?:find|determine|verify|confirm|tell)|unable to|not (?:sure|certain|clear)|unsure|uncertain|unclear|can(?:not|['’]t) (?:tell|say|determine|verify|confirm)|no evidence|might be|may be|perhaps|possibly|probably|appears? to|seems? to|i (?:think|believe|assume|guess))\b/i
const confirmed = /(?<!\b(?:be|never|not) )\bconfirmed\b/i

/** Findings by their words, each with all who came to it. */
const together = (all: ReadonlyArray<Weighed>): ReadonlyArray<Shared> => {
  const by = new Map<string, { readonly text: string; readonly by: Array<number> }>()
  for (const { findings, number } of all) {
    for (const { text, words } of findings) {
      const known = by.get(words)
      if (known === undefined) by.set(words, { text, by: [number] })
      else known.by.push(number)
    }
  }
  return [...by.values()]
}

/** Of two children one claims what the other denies. */
const conflicting = (all: ReadonlyArray<Weighed>): ReadonlyArray<readonly [Shared, Shared]> => {
  const claims = all.flatMap(({ findings, number }) => findings.map((finding) => ({ number, text: finding.text, ...Findings.stance(finding) })))
  return claims.flatMap((claim, i) =>
    claims.slice(i + 1).flatMap((other) =>
      other.number !== claim.number && other.topic !== "" && other.topic === claim.topic && other.denies !== claim.denies
        ? [[{ text: claim.text, by: [claim.number] }, { text: other.text, by: [other.number] }] as const]
        : []
    )
  )
}

/** The share of a task's own words that its result has. */
const covered = (prompt: string, { evidence, result }: Report): number => {
  const wanted = new Set(Findings.normal(prompt).split(" ").filter((word) => word.length > 3 && !common.has(word)))
  if (wanted.size === 0) return 1
  const said = new Set(Findings.normal([result, ...evidence].join("\n")).split(" "))
  return [...wanted].filter((word) => said.has(word)).length / wanted.size
}

const common = new Set("about after also been before could does each every find from have here into just look make more most only over read should some such tell than that their them then there these they this those what when where which will with would your".split(" "))

/** The text that stands for all of them where no model writes one. */
export const render = (combined: Combined): string => {
  const { agreed, confidence, conflicts, coverage, finished, of, unique } = combined
  return [
    `${finished.length} of ${of} tasks finished. Confidence ${confidence} of 5, coverage ${percent(coverage)}.`,
    ...finished.map(({ confidence, coverage, findings, number, report }) =>
      [`## ${number}. ${report.name} (confidence ${confidence} of 5, coverage ${percent(coverage)}, ${report.calls} calls)`, ...findings.map(({ text }) => `- ${text}`)].join("\n")),
    section("Agreement", agreed.map(line)),
    section("Conflict", conflicts.map(([a, b]) => `- ${whose(a)}: ${a.text} — ${whose(b)}: ${b.text}`)),
    finished.length < 2 ? "" : section("Found by one alone", unique.map(line)),
    unfinished(combined)
  ].filter((part) => part !== "").join("\n\n")
}

/** What did not finish, and why, and what was changed; empty where there is nothing to say. */
export const unfinished = ({ finished, unfinished }: Combined): string =>
  [
    section("Not finished", unfinished.map(({ number, report }) => `- ${number}. ${report.name}: ${report.status}. ${report.result.split("\n", 1)[0]!.slice(0, 400)}`.trimEnd())),
    section("Files that were changed", [...finished, ...unfinished].sort((a, b) => a.number - b.number).flatMap(({ number, report }) => report.changed.map((path) => `- ${path} (${number})`)))
  ].filter((part) => part !== "").join("\n\n")

const section = (title: string, lines: ReadonlyArray<string>): string => lines.length === 0 ? "" : [`## ${title}`, ...lines].join("\n")

const line = (shared: Shared): string => `- ${shared.text} (${whose(shared)})`

const whose = ({ by }: Shared): string => by.join(", ")

const percent = (share: number): string => `${Math.round(share * 100)}%`
