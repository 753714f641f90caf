/** What waits for the person as blocks of a view: a question, an approval page by page, a diff that was folded. */
import * as Evaluation from "../../../domain/approval/Evaluation.ts"
import type { Question } from "../../../services/Approver.ts"
import type { Waiting } from "../../terminal/TerminalApprover.ts"
import { text, type Shown } from "../view/DisplayText.ts"
import * as Touch from "../view/CallSummary.ts"
import * as View from "../view/View.ts"

/** What waits for the person, written down whole: nothing of it is ever cut or scrolled out of reach. */
export const asked = (view: View.View, waiting: Waiting, page: number, also: ReadonlyArray<View.Call> = []): View.View => {
  if (waiting._tag === "Question") {
    return { ...view, ...View.add(view, { _tag: "Question", text: text(waiting.text), options: waiting.options.map(text) }) }
  }
  const { diff, from, offer, reason, risk } = waiting.question
  const rest = unread(waiting.question, page)
  const first = action(waiting.question).slice(0, page)
  const rules = offer.slice(0, most.rules)
  return {
    ...view,
    ...View.add(view, {
      _tag: "Asked",
      action: first.join("\n") as Shown,
      left: rest.length,
      also: also.map(({ what }) => what),
      parts: parts(waiting.question).slice(0, most.parts),
      risk,
      reason: text(from === undefined ? reason : `${from} asks: ${reason}`),
      offer: rules.length === 0 ? undefined : text(`${rules.join(", ")}${rules.length < offer.length ? `, and ${offer.length - rules.length} more` : ""}`),
      diff: diff === undefined ? undefined : text(diff)
    })
  }
}

/** The calls that wait behind a question and are of its kind: they may be allowed with it, where nothing of high risk is among them. */
export const alike = ({ calls }: View.View, { action, call, risk }: Question): ReadonlyArray<View.Call> => {
  const kind = calls.find(({ id }) => id === call.id)?.kind
  return risk === "high" ? [] : calls.filter((other) =>
    other.id !== call.id && other.kind === kind && other.state === "waiting" && other.asks?.risk === risk && other.asks.action !== action)
}

/** Lines of an action that are shown at once on a screen of so many rows; the rest comes page by page. */
export const page = (rows: number): number => Math.max(4, Math.min(20, rows - 12))

/** Parts of a command, and rules, that are shown with its first page. */
const most = { parts: 8, rules: 6 }

/** The commands of a line and what the rules say to each; one that is the whole line says nothing new. */
const parts = ({ access, parts = [] }: Question): ReadonlyArray<{ readonly decision: "allow" | "ask" | "deny"; readonly text: Shown }> =>
  parts.filter(({ part }) => parts.length > 1 || !access.some((one) => one._tag === "Command" && one.command.trim() === part))
    .map(({ decision, part, reason }) => ({ decision, text: text(reason === Evaluation.noRule(part).reason ? part : `${part}: ${reason}`) }))

/** What would be done, line by line. */
const action = ({ access, call }: Question): ReadonlyArray<Shown> =>
  (access.length === 0 ? Touch.told(call.name, call.params) : text(access.map(View.touch).join("\n"))).split("\n") as ReadonlyArray<string> as ReadonlyArray<Shown>

/** The lines of a question that its first page does not show. */
export const unread = (question: Question, page: number): ReadonlyArray<Shown> => [
  ...action(question).slice(page),
  ...parts(question).slice(most.parts).map(({ decision, text }) => `${decision}: ${text.replaceAll("\n", " ")}` as Shown),
  ...question.offer.slice(most.rules).map((rule) => text(`always would allow: ${rule}`))
]

/** The next page of a question; gives what is left after it. */
export const more = (view: View.View, left: ReadonlyArray<Shown>, page: number): readonly [View.View, ReadonlyArray<Shown>] => {
  const rest = left.slice(page)
  return [{ ...view, ...View.add(view, { _tag: "More", text: left.slice(0, page).join("\n") as Shown, left: rest.length }) }, rest]
}

/** A diff that was folded. */
export const opened = (view: View.View, diff: string): View.View => ({ ...view, ...View.add(view, { _tag: "Opened", diff: text(diff) }) })
