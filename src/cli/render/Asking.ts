/** What waits for the person as blocks of a view: a question, an approval page by page, a diff that was folded. */
import type { Question } from "../../services/Approver.ts"
import type { Waiting } from "../TerminalApprover.ts"
import { text, type Shown } from "./Shown.ts"
import * as Touch from "./Touch.ts"
import * as View from "./View.ts"

/** What waits for the person, written down whole: nothing of it is ever cut or scrolled out of reach. */
export const asked = (view: View.View, waiting: Waiting, also: ReadonlyArray<View.Call> = []): View.View => {
  if (waiting._tag === "Question") {
    return { ...view, ...View.add(view, { _tag: "Question", text: text(waiting.text), options: waiting.options.map(text) }) }
  }
  const { diff, from, offer, parts = [], reason, risk } = waiting.question
  const rest = unread(waiting.question)
  const first = action(waiting.question).slice(0, page)
  return {
    ...view,
    ...View.add(view, {
      _tag: "Asked",
      action: first.join("\n") as Shown,
      left: rest.length,
      also: also.map(({ what }) => what),
      parts: parts.map(({ decision, part, reason }) => ({ decision, text: text(`${part}: ${reason}`) })),
      risk,
      reason: text(from === undefined ? reason : `${from} asks: ${reason}`),
      offer: offer.length === 0 ? undefined : text(offer.join(", ")),
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

/** Lines of an action that are shown at once; the rest comes page by page. */
const page = 20

/** What would be done, line by line. */
const action = ({ access, call }: Question): ReadonlyArray<Shown> =>
  (access.length === 0 ? Touch.told(call.name, call.params) : text(access.map(View.touch).join("\n"))).split("\n") as ReadonlyArray<string> as ReadonlyArray<Shown>

/** The lines of a question that its first page does not show. */
export const unread = (question: Question): ReadonlyArray<Shown> => action(question).slice(page)

/** The next page of a question; gives what is left after it. */
export const more = (view: View.View, left: ReadonlyArray<Shown>): readonly [View.View, ReadonlyArray<Shown>] => {
  const rest = left.slice(page)
  return [{ ...view, ...View.add(view, { _tag: "More", text: left.slice(0, page).join("\n") as Shown, left: rest.length }) }, rest]
}

/** A diff that was folded. */
export const opened = (view: View.View, diff: string): View.View => ({ ...view, ...View.add(view, { _tag: "Opened", diff: text(diff) }) })
