/** The approver of headless runs: denies every request, and prints the rule that would allow it to standard error. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reasons from "../../domain/approval/Reasons.ts"
import * as Denial from "../../domain/approval/Denial.ts"
import { optional } from "../../domain/Optional.ts"
import { Approver, type Question } from "../../services/Approver.ts"
import { Host } from "../process/Host.ts"
import * as View from "../render/view/View.ts"

export const layer = (onAsk: "deny" | "exit"): Layer.Layer<Approver, never, Host> =>
  Layer.effect(
    Approver,
    Effect.gen(function*() {
      const { stderr } = yield* Host
      const ask = Effect.fnUntraced(function*(question: Question) {
        yield* Effect.ignore(stderr.write(`dacapo: ${View.line(refusal(question, onAsk))}\n`))
        return { decision: "deny", scope: "once", by: "nobody", words: "No user is available to approve this in a headless run." } as const
      })
      return Approver.of({ ask, question: () => Effect.succeed({ by: "nobody" }) })
    })
  )

/** One line: what was denied, why it needed approval, and how to allow it. */
export const refusal = ({ access, call, from, offer, reason, rule }: Question, onAsk: "deny" | "exit"): string => {
  const actions = access.map(View.describeAccess).join(", ")
  const cause = Reasons.distinct(reason).replace(/\.$/, "")
  const remedy = Denial.outsideRemedy(access, reason) ?? (offer.length === 0
    ? Denial.unofferedRemedy({ reason, ...optional({ rule }) })
    : `To allow it, add --allowedTools "${offer.join(",").replaceAll("\"", "\\\"")}".`)
  const subject = `${actions === "" ? call.name : actions}${from === undefined ? "" : ` for ${from}`}`
  return `${onAsk === "exit" ? "Stopped before" : "Denied"} ${subject} (${cause}). ${remedy}`
}
