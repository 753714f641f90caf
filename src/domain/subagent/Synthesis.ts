/** Several reports combined into one text: the request to a model, and how its response is used. */
import * as Outcome from "../tool/Outcome.ts"
import * as ShortenResults from "../context/compaction/ShortenResults.ts"
import type { Model } from "../provider/Model.ts"
import type { ModelRequest } from "../provider/ModelRequest.ts"
import * as CombineReports from "./CombineReports.ts"
import * as Findings from "./Findings.ts"

/** Limits: tokens of the response, and characters of all reports together. */
const limits = { answer: 1_500, reports: 48_000 }

/** Low: it should report what was found, not investigate. */
const temperature = 0.2

const task =
  `Several subagents worked on parts of one task. Combine their reports into one answer for the agent that delegated the task. Start with what is certain and who agrees. Name each conflict, with the evidence for either side. Keep every finding that only one of them had, and say what was not covered. Keep paths, line numbers, names and numbers exact. Invent nothing, and leave out how they worked. Write short Markdown, without a preamble.`

/** Whether there is anything to combine: a single report needs no synthesis. */
export const isDue = ({ finished }: CombineReports.CombinedReports): boolean => finished.length > 1

export const request = (
  combined: CombineReports.CombinedReports,
  { maxOutput }: Model,
  cacheKey: string
): ModelRequest & { readonly purpose: "synthesis" } => {
  const maxReportCharacters = Math.floor(limits.reports / Math.max(1, combined.finished.length))
  const reports = combined.finished.map(({ number, report }) =>
    `<report number="${number}" name=${JSON.stringify(report.name)}>\n${ShortenResults.clip(report.result, maxReportCharacters)}\n</report>`
  )
  return {
    system: task,
    messages: [{
      role: "user",
      content: [{ _tag: "Text", text: `${reports.join("\n\n")}\n\n<overview>\n${CombineReports.renderReports(combined)}\n</overview>` }]
    }],
    tools: [],
    maxTokens: Math.min(limits.answer, maxOutput),
    temperature,
    cacheKey: `${cacheKey}-synthesis`,
    purpose: "synthesis"
  }
}

/**
 * The call's outcome. `synthesis` is the model's response, without which the plain combination is used; `work` says what
 * became of files.
 */
export const outcome = (combined: CombineReports.CombinedReports, synthesis?: string, work = ""): Outcome.Outcome => {
  const [singleReport, ...others] = combined.finished
  if (singleReport === undefined)
    return Outcome.failed(joinParts("None of the tasks finished.", CombineReports.unfinishedText(combined), work))
  if (others.length === 0) return Outcome.succeeded(joinParts(singleReport.report.result, CombineReports.unfinishedText(combined), work))
  const text = synthesis === undefined ? CombineReports.renderReports(combined)
    : joinParts(synthesis, lostFindings(combined, synthesis), CombineReports.unfinishedText(combined))
  return Outcome.succeeded(joinParts(text, work))
}

/** What only one of them reported, and the model left out. */
const lostFindings = ({ unique }: CombineReports.CombinedReports, synthesis: string): string => {
  const synthesisWords = new Set(Findings.normalizeText(synthesis).split(" "))
  const missingFindings = unique.filter(({ text }) => {
    const words = Findings.normalizeText(text).split(" ")
    return words.filter((word) => synthesisWords.has(word)).length < words.length * minOverlap
  })
  return missingFindings.length === 0 ? ""
    : ["## Also found", ...missingFindings.map(({ by, text }) => `- ${text} (${by.join(", ")})`)].join("\n")
}

/** The share of a finding's words that shows that a text mentions it. */
const minOverlap = 0.5

const joinParts = (...parts: ReadonlyArray<string>): string => parts.map((part) => part.trim()).filter((part) => part !== "").join("\n\n")
