/** One text of several reports: what is asked of a model, and what is made of its answer. */
import * as Outcome from "../tool/Outcome.ts"
import * as Shorten from "../context/compaction/ShortenResults.ts"
import type { Model } from "../provider/Model.ts"
import type { ModelRequest } from "../provider/ModelRequest.ts"
import * as Combined from "./CombineReports.ts"
import * as Findings from "./Findings.ts"

/** Tokens of the answer, and characters of all reports together. */
const most = { answer: 1_500, reports: 48_000 }

/** Low: it is to tell what was found, not to find. */
const temperature = 0.2

const task = `Several agents worked on parts of one task. Write one answer of their reports, for the agent that gave them the task. Say first what is certain and who agrees; name each conflict and what speaks for either side; keep every insight that only one of them had; say what was not covered. Keep paths, line numbers, names and figures exact. Invent nothing, and leave out how they worked. Short Markdown, no preamble.`

/** Whether there is anything to combine: of one report that is there, nothing has to be made. */
export const isDue = ({ finished }: Combined.Combined): boolean => finished.length > 1

export const request = (combined: Combined.Combined, { maxOutput }: Model, cacheKey: string): ModelRequest => {
  const each = Math.floor(most.reports / Math.max(1, combined.finished.length))
  const reports = combined.finished.map(({ number, report }) => `<report number="${number}" name=${JSON.stringify(report.name)}>\n${Shorten.clip(report.result, each)}\n</report>`)
  return {
    system: task,
    messages: [{ role: "user", content: [{ _tag: "Text", text: `${reports.join("\n\n")}\n\n<overview>\n${Combined.render(combined)}\n</overview>\n\nWrite the answer now.` }] }],
    tools: [],
    maxTokens: Math.min(most.answer, maxOutput),
    temperature,
    cacheKey: `${cacheKey}-synthesis`,
    purpose: "synthesis"
  }
}

/** The call's outcome. `written` is the model's answer, without which the combination stands for it; `work` says what became of files. */
export const outcome = (combined: Combined.Combined, written?: string, work = ""): Outcome.Outcome => {
  const [only, ...others] = combined.finished
  if (only === undefined) return Outcome.failed(joined("None of the tasks finished.", Combined.unfinished(combined), work))
  if (others.length === 0) return Outcome.succeeded(joined(only.report.result, Combined.unfinished(combined), work))
  const text = written === undefined ? Combined.render(combined) : joined(written, kept(combined, written), Combined.unfinished(combined))
  return Outcome.succeeded(joined(text, work))
}

/** What only one of them had, and the model left out. */
const kept = ({ unique }: Combined.Combined, written: string): string => {
  const said = new Set(Findings.normal(written).split(" "))
  const lost = unique.filter(({ text }) => {
    const words = Findings.normal(text).split(" ")
    return words.filter((word) => said.has(word)).length < words.length * enough
  })
  return lost.length === 0 ? "" : ["## Also found", ...lost.map(({ by, text }) => `- ${text} (${by.join(", ")})`)].join("\n")
}

/** The share of a finding's words that shows that a text speaks of it. */
const enough = 0.5

const joined = (...parts: ReadonlyArray<string>): string => parts.map((part) => part.trim()).filter((part) => part !== "").join("\n\n")
