/** A context window with a prompt of the test: the whole conversation is sent, and nothing is gathered, added or left out. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ContextReport from "../../domain/context/ContextReport.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as RequestPlan from "../../domain/context/RequestPlan.ts"
import type { Model } from "../../domain/provider/Model.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts } from "../../domain/session/SessionEvent.ts"
import { ContextWindow, type RecordedTexts } from "../../services/ContextWindow.ts"
import { Tools } from "../../services/Tools.ts"

/** `system` is the system prompt, `facts` what every session knows of its surroundings. */
export interface Script {
  readonly system?: string
  readonly facts?: Partial<Facts>
}

/** Requests with this prompt, and with the tools of the session. */
export const layer = ({ facts = {}, system = "You are a test." }: Script = {}): Layer.Layer<ContextWindow, never, Tools> =>
  Layer.effect(
    ContextWindow,
    Effect.map(Tools, (tools) => {
      const input = (session: Session, facts: Facts, model: Model, recorded?: RecordedTexts): RequestPlan.Input => ({
        session,
        facts,
        model,
        tools: recorded?.tools ?? tools.specs({ ...session, facts }),
        recorded: recorded ?? { system }
      })
      const gathered: Facts = { ...FactsChange.noFacts, ...facts }
      return ContextWindow.of({
        gather: () => Effect.succeed(gathered),
        weigh: (session, facts, model, recorded) => Effect.fromResult(RequestPlan.weigh(input(session, facts, model, recorded))),
        report: (session, model) => Effect.fromResult(ContextReport.make(input(session, gathered, model))),
        include: () => Effect.succeed([]),
        plan: (request, included) => Effect.fromResult(RequestPlan.make(request, included)),
        prompt: (_session, request) => Effect.succeed(request)
      })
    })
  )
