/** Shows prompts as blocks of a view: a question, an approval page by page, its diff. */
import { optional } from "../../../domain/Optional.ts"
import * as Evaluation from "../../../domain/approval/Evaluation.ts"
import * as Reasons from "../../../domain/approval/Reasons.ts"
import type { Access } from "../../../domain/tool/Access.ts"
import type { PartVerdict } from "../../../services/Approval.ts"
import type { Question } from "../../../services/Approver.ts"
import type { PendingPrompt } from "../../terminal/TerminalApprover.ts"
import * as ApprovalChoices from "./ApprovalChoices.ts"
import * as DiffLines from "../text/DiffLines.ts"
import { plain } from "../text/Theme.ts"
import { text, type SafeText } from "../view/DisplayText.ts"
import * as CallSummary from "../view/CallSummary.ts"
import * as View from "../view/View.ts"

/** Adds a prompt to the view in full: nothing of it is truncated. */
export const addPrompt = (view: View.View, pending: PendingPrompt, pageRows: number, similar: ReadonlyArray<View.Call> = []): View.View => {
  if (pending._tag === "Question") {
    return { ...view, ...View.add(view, { _tag: "Question", text: text(pending.text) }) }
  }
  const { access, diff, from, reason, risk } = pending.question
  return {
    ...view,
    ...View.add(view, {
      _tag: "Approval",
      question: CallSummary.question(access, pending.question.call.name),
      action: actionLines(pending.question).slice(0, pageRows).join("\n") as SafeText,
      unreadLines: unreadLines(pending.question, pageRows).length,
      similar: similar.map(({ label }) => label),
      parts: parts(pending.question).slice(0, maxParts),
      risk,
      reason: text(from === undefined ? capitalize(Reasons.distinct(reason)) : `${from}: ${Reasons.distinct(reason)}`),
      diff: diff === undefined ? undefined : text(diff),
      diffRows: risk === "high" ? Infinity : pageRows
    })
  }
}

/** Waiting calls of the same kind and risk, which can be allowed together unless their risk is high. */
export const similarCalls = ({ calls }: View.View, { action, call, risk }: Question): ReadonlyArray<View.Call> => {
  const kind = calls.find(({ id }) => id === call.id)?.kind
  return risk === "high" ? [] :
    calls.filter((other) =>
      other.id !== call.id && other.kind === kind && other.state === "waiting" && other.approval?.risk === risk &&
      other.approval.action !== action
    )
}

/** How many lines of an action fit on one page of the screen. */
export const pageRows = (rows: number): number => Math.max(4, Math.min(20, rows - 12))

/** The diff of an approval if the prompt shows only its beginning. With high risk it shows all of it. */
export const hiddenDiff = ({ diff, risk }: Question, pageRows: number): string | undefined =>
  diff === undefined || risk === "high" || DiffLines.rows(text(diff), plain).length <= pageRows ? undefined : diff

/** How many parts of a command the first page shows. */
const maxParts = 8

/** The commands of a line, each with the verdict of the rules. A single command is the line itself and adds nothing. */
const parts = (question: Question): ReadonlyArray<{ readonly decision: "allow" | "ask" | "deny"; readonly text: SafeText }> => {
  const { access, parts = [] } = question
  const lines = new Set<string>(actionLines(question))
  const isUndecided = ({ decision, part, reason }: PartVerdict) => decision === "ask" && reason === Evaluation.noRule(part).reason
  // One command a line, and no rule about any of them: the lines say it all.
  return parts.every((verdict) => isUndecided(verdict) && lines.has(verdict.part)) ? [] :
    parts.filter(({ part }) => parts.length > 1 || !access.some((one) => one._tag === "Command" && one.command.trim() === part))
      .map(({ decision, part, reason }) => ({
        decision,
        text: text(reason === Evaluation.noRule(part).reason ? part : `${part}: ${reason}`)
      }))
}

/** A reason in sentence case, unless it begins with a name. */
const capitalize = (reason: string): string =>
  /^(?:everything|it|its|no|the) /.test(reason) ? reason[0]!.toUpperCase() + reason.slice(1) : reason

/** The parameters of an MCP tool, or of one that a plugin brings, say what it does. */
const hasParams = ({ _tag }: Access): boolean => _tag === "Mcp" || _tag === "Other"

const subject = (access: Access): string =>
  access._tag === "Other" ? CallSummary.toolTitle(access.tool)
    : access._tag === "Command" && access.input !== undefined ? `${CallSummary.typedInput(access.input)}\ninto: ${access.command}`
    : CallSummary.subject(access)

/**
 * The action line by line: what a single access refers to, unless the question names it, or a description of each access. A call
 * whose access is the tool alone has its parameters below.
 */
const actionLines = ({ access, call: { name, params } }: Question): ReadonlyArray<SafeText> => {
  const [only] = access
  if (access.length === 1 && CallSummary.isNamedByQuestion(only!, name)) return []
  const action = access.length === 1 ? subject(only!)
    : access.length === 0 ? CallSummary.describeCall(name, params)
    : access.map((one) => CallSummary.label(View.describeAccess(one))).join("\n")
  const lines = [action, ...access.some(hasParams) ? CallSummary.paramLines(params) : []].join("\n")
  return text(lines).split("\n") as ReadonlyArray<string> as ReadonlyArray<SafeText>
}

/** The lines after the first page. */
export const unreadLines = (question: Question, pageRows: number): ReadonlyArray<SafeText> => [
  ...actionLines(question).slice(pageRows),
  ...parts(question).slice(maxParts).map(({ decision, text }) => `${decision}: ${text.replaceAll("\n", " ")}` as SafeText),
  ...question.offer.slice(ApprovalChoices.maxRules).map((rule) => text(`Don't ask again for: ${rule}`))
]

/** Shows the next page; returns the remaining lines. */
export const showMore = (
  view: View.View,
  unread: ReadonlyArray<SafeText>,
  pageRows: number
): readonly [View.View, ReadonlyArray<SafeText>] => {
  const rest = unread.slice(pageRows)
  return [{
    ...view,
    ...View.add(view, { _tag: "Page", text: unread.slice(0, pageRows).join("\n") as SafeText, unreadLines: rest.length })
  }, rest]
}

/** Shows the diff of an approval, or with paths any other. */
export const showDiff = (view: View.View, diff: string, hasPaths?: true): View.View => ({
  ...view,
  ...View.add(view, { _tag: "Diff", diff: text(diff), ...optional({ hasPaths }) })
})
