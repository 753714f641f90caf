/**
 * A server asks for words of a model (sampling): approved like a call, paid by the session whose call it serves. In the
 * log it stands as what a child spends, so that the budget of the session holds it and a replay brings it again.
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
import * as Unfinished from "../../../domain/session/Unfinished.ts"
import * as Usage from "../../../domain/session/Usage.ts"
import * as Access from "../../../domain/tool/Access.ts"
import { Approval } from "../../../services/Approval.ts"
import { Approver } from "../../../services/Approver.ts"
import { Budget as Above } from "../../../services/Budget.ts"
import { EventLog } from "../../../services/EventLog.ts"
import { Provider } from "../../../services/Provider.ts"
import { release, reserve } from "../../agent/BudgetReservation.ts"
import { ofJson } from "../../storage/Digest.ts"

export interface Asked {
  readonly system: string
  readonly messages: ReadonlyArray<SamplingMessage>
  readonly maxTokens: number
}

/** Tokens that a server gets at most. */
const most = 8_000

/** `session` is the one whose call the server works on. */
export const sample = Effect.fn("Mcp.sample")(function*(server: string, session: string, asked: Asked) {
  const state = yield* Effect.scoped(Effect.flatMap((yield* EventLog).open(session), (log) => log.state))
  yield* permit(server, state, asked)
  const provider = yield* Provider
  const { model } = Session.speaker(state)
  const request = { system: asked.system, messages: asked.messages.map(message), tools: [], place: state.answers }
  const estimate = Tokens.ofPrompt(request.system) + Tokens.ofMessages(request.messages).tokens
  const child: Session.Session = { ...Session.empty, id: `${session}/mcp/${server}`, parent: session, settings: state.settings, budget: { ...Budget.initial, scale: state.budget.scale } }
  const granted = yield* reserve({ ...child, settings: { ...child.settings, limits: unbounded(child.settings.limits) } }, {
    input: Budget.inputBound(child.budget, estimate),
    maxTokens: Math.min(asked.maxTokens, most, model.maxOutput),
    price: model.price
  })
  if (granted._tag === "BudgetExhausted") return yield* refused(server, Budget.sentence(granted))
  const held = granted.event ?? Budget.nothing
  const prepared = yield* provider.prepare(model, { ...request, maxTokens: granted.maxTokens }).pipe(Effect.onError(() => Effect.ignore(release(child, held))))
  const recording = yield* Stream.runCollect(provider.stream(prepared)).pipe(
    // What it cost that did not end, nobody knows: all that was held.
    Effect.onError(() => Effect.ignore(settle(child, held, held)))
  )
  const told = recording.findLast(({ chunk }) => chunk._tag === "Usage")?.chunk
  const usage = told?._tag === "Usage" ? told.usage : { ...Usage.none, input: estimate, output: Unfinished.tokens(Unfinished.heard(recording)), estimated: true }
  yield* settle(child, held, { usd: model.price === undefined ? 0 : Usage.cost(usage, model.price), tokens: Usage.inputTotal(usage) + usage.output })
  const end = recording.findLast(({ chunk }) => chunk._tag === "Finish")?.chunk
  return { model: Model.title(model), text: Unfinished.text(recording), cut: end?._tag === "Finish" && end.reason === "length" }
})

/** Its own limits are those of the session above; the user's day counts for both. */
const unbounded = ({ taskTokens: _t, taskUsd: _u, tokens: __t, usd: __u, ...limits }: Session.Session["settings"]["limits"]) => limits

const settle = Effect.fnUntraced(function*(child: Session.Session, held: Budget.Amount, used: Budget.Amount) {
  yield* (yield* Above).settle(child, held, used)
})

/** Asked about unless a rule for `mcp__server__sampling` says otherwise. */
const permit = Effect.fnUntraced(function*(server: string, session: Session.Session, { messages, system }: Asked) {
  const approval = yield* Approval
  const access = [Access.mcp(server, "sampling")]
  const verdict = approval.judge({ name: "sampling", kind: "read", tags: ["mcp"], access, asks: false }, session)
  if (verdict.decision === "allow") return
  if (verdict.decision === "deny") return yield* refused(server, verdict.reason)
  const params = { server, system, messages: messages.map(({ content }) => words(content)) }
  const { decision } = yield* (yield* Approver).ask({
    call: { _tag: "ToolCall", id: `mcp:${server}:sampling`, name: "sampling", params },
    action: ofJson(["sampling", params, access]),
    access,
    risk: verdict.risk,
    reason: `the server wants the model to answer, at your cost: ${params.messages.join(" ").slice(0, 500)}`,
    offer: verdict.offer
  })
  if (decision === "deny") return yield* refused(server, "the user did not allow it")
})

const refused = (server: string, why: string) => new McpError({ server, reason: "Unwanted", message: `may not ask the model: ${why}` })

const words = (content: SamplingMessage["content"]): string =>
  [content].flat().map(Content.ofBlock).map((said) => said._tag === "Text" ? said.text : "[a picture]").join("\n")

const message = ({ content, role }: SamplingMessage): Message => ({ role, content: [{ _tag: "Text", text: words(content) }] })
