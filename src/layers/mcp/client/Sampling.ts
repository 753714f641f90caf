/**
 * A server requests a model's response (sampling): approved like a call, paid by the session whose call it serves. The
 * log treats it as a subagent's spending, so that the session's budget covers it and a replay reproduces it.
 */
import type { SamplingMessage } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Content from "../../../domain/mcp/Content.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import type { Message } from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import * as Tokens from "../../../domain/context/Tokens.ts"
import * as Budget from "../../../domain/session/Budget.ts"
import * as Session from "../../../domain/session/Session.ts"
import * as Metering from "../../../domain/session/Metering.ts"
import * as Interruption from "../../../domain/session/Interruption.ts"
import * as Usage from "../../../domain/session/Usage.ts"
import * as Access from "../../../domain/tool/Access.ts"
import { Approval } from "../../../services/Approval.ts"
import { Approver } from "../../../services/Approver.ts"
import { Budget as BudgetService } from "../../../services/Budget.ts"
import { EventLog } from "../../../services/EventLog.ts"
import { Provider } from "../../../services/Provider.ts"
import { release, reserve } from "../../agent/BudgetReservation.ts"
import { ofJson } from "../../storage/Digest.ts"

export interface SamplingRequest {
  readonly system: string
  readonly messages: ReadonlyArray<SamplingMessage>
  readonly maxTokens: number
}

/** The maximum number of tokens for a server. */
const maxOutputTokens = 8_000

/** `session` is the one whose call the server works on; `place` differs for each request, so that each has its own reservation. */
export const sample = Effect.fn("Mcp.sample")(
  function*(server: string, session: string, sequence: number, samplingRequest: SamplingRequest) {
    const state = yield* Effect.scoped(Effect.flatMap((yield* EventLog).open(session), (log) => log.state))
    yield* permit(server, state, samplingRequest)
    const provider = yield* Provider
    const { model } = Session.activeModel(state)
    const request = {
      system: samplingRequest.system,
      messages: samplingRequest.messages.map(message),
      tools: [],
      place: state.assistantMessageCount
    }
    const estimate = Tokens.ofPrompt(request.system) + Tokens.ofMessages(request.messages).tokens
    const samplingSession: Session.Session = {
      ...Session.empty,
      id: `${session}/mcp/${server}/${sequence}`,
      parent: session,
      settings: state.settings,
      budget: { ...Budget.initial, scale: state.budget.scale }
    }
    const reservation = yield* reserve({
      ...samplingSession,
      settings: { ...samplingSession.settings, limits: unbounded(samplingSession.settings.limits) }
    }, {
      input: Budget.inputBound(samplingSession.budget, estimate),
      maxTokens: Math.min(samplingRequest.maxTokens, maxOutputTokens, model.maxOutput),
      price: model.price
    })
    if (reservation._tag === "BudgetExhausted") return yield* refusal(server, Budget.refusalMessage(reservation))
    const amount = reservation.event ?? Budget.zero
    const prepared = yield* provider.prepare(model, { ...request, maxTokens: reservation.maxTokens }).pipe(
      Effect.onError(() => Effect.ignore(release(samplingSession, amount)))
    )
    const recording = yield* Stream.runCollect(provider.stream(prepared)).pipe(
      // The cost of an incomplete request is unknown: the full reservation counts.
      Effect.onError(() => Effect.ignore(settle(samplingSession, amount)))
    )
    const usage = Metering.usage(Metering.reportedUsage(recording), {
      input: estimate,
      output: Interruption.outputEstimate(Interruption.measureRecording(recording))
    }, model)
    yield* settle(samplingSession, amount, {
      usd: model.price === undefined ? 0 : Usage.cost(usage, model.price),
      tokens: Usage.inputTotal(usage) + usage.output
    })
    const end = recording.findLast(({ chunk }) => chunk._tag === "Finish")?.chunk
    return {
      model: Model.title(model),
      text: Interruption.responseText(recording),
      isTruncated: end?._tag === "Finish" && end.reason === "length"
    }
  }
)

/** Its own limits are those of the session above; the user's daily limit applies to both. */
const unbounded = ({ taskTokens: _t, taskUsd: _u, tokens: __t, usd: __u, ...limits }: Session.Session["settings"]["limits"]) => limits

const settle = Effect.fnUntraced(function*(session: Session.Session, amount: Budget.Amount, actual?: Budget.Amount) {
  yield* (yield* BudgetService).settle(session, amount, actual)
})

/** Asks unless a rule for `mcp__server__sampling` decides otherwise. */
const permit = Effect.fnUntraced(function*(server: string, session: Session.Session, { messages, system }: SamplingRequest) {
  const approval = yield* Approval
  const access = [Access.mcp(server, "sampling")]
  const verdict = approval.judge({ name: "sampling", kind: "read", tags: ["mcp"], access, requestsApproval: false }, session)
  if (verdict.decision === "allow") return
  if (verdict.decision === "deny") return yield* refusal(server, verdict.reason)
  const params = { server, system, messages: messages.map(({ content }) => textOf(content)) }
  const { decision } = yield* (yield* Approver).ask({
    session: session.id,
    call: { _tag: "ToolCall", id: `mcp:${server}:sampling`, name: "sampling", params },
    action: ofJson(["sampling", params, access]),
    access,
    risk: verdict.risk,
    reason: `the server wants to use the model, at your cost: ${params.messages.join(" ").slice(0, 500)}`,
    offer: verdict.offer
  })
  if (decision === "deny") return yield* refusal(server, "the user did not allow it")
})

const refusal = (server: string, reason: string) =>
  new McpError({ server, reason: "Unwanted", message: `may not use the model: ${reason}` })

const textOf = (content: SamplingMessage["content"]): string =>
  [content].flat().map(Content.ofBlock).map((item) => item._tag === "Text" ? item.text : "[an image]").join("\n")

const message = ({ content, role }: SamplingMessage): Message => ({ role, content: [{ _tag: "Text", text: textOf(content) }] })
