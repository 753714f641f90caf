/** Nobody is there to answer: what asks is denied, and standard error names the rule that would allow it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Approver, type Question } from "../../services/Approver.ts"
import { Host } from "../process/Host.ts"
import * as View from "../render/view/View.ts"

export const layer = (onAsk: "deny" | "exit"): Layer.Layer<Approver, never, Host> =>
  Layer.effect(Approver, Effect.gen(function*() {
    const { stderr } = yield* Host
    const ask = Effect.fnUntraced(function*(question: Question) {
      yield* Effect.ignore(stderr.write(`dacapo: ${View.text(refusal(question, onAsk))}\n`))
      return { decision: "deny", scope: "once", by: "nobody", words: "Nobody is there to answer, so this was denied." } as const
    })
    return Approver.of({ ask, question: () => Effect.succeed({ by: "nobody" }) })
  }))

/** One line: what was refused, why it asked, and how it would be allowed. */
export const refusal = ({ access, call, from, offer, reason }: Question, onAsk: "deny" | "exit"): string => {
  const what = access.map(View.touch).join(", ")
  const why = reason.replace(/\.$/, "")
  const how = offer.length === 0
    ? "No rule is narrow enough to allow it without a person"
    : `--allowedTools "${offer.join(",").replaceAll("\"", "\\\"")}" would allow it`
  return `${onAsk === "exit" ? "stopped before" : "denied"} ${what === "" ? call.name : what}${from === undefined ? "" : ` for ${from}`} (${why}). ${how}.`
}
