/** What follows when all attempts of a request failed: a fallback model, a wait, a question, or the end of the task. */
import * as Data from "effect/Data"
import { durationText, isTransient, maxServerPauseMs, waitIntervalMs, maxWaitMs } from "../provider/Retry.ts"
import { isToolRefusal } from "../provider/Unsupported.ts"
import type { ProviderReason } from "../provider/ProviderError.ts"
import type { LimitReached } from "./Guard.ts"
import { optional } from "../Optional.ts"
import * as FallbackChain from "./FallbackChain.ts"
import * as Session from "./Session.ts"

/**
 * - `FallBack`: switch to another model.
 * - `Wait`: wait `delayMs`, then try once more.
 * - `AskToWait`: the provider asks for a pause so long that only the user can grant it.
 */
export type RequestFailure = Data.TaggedEnum<{
  FallBack: { readonly event: FallbackChain.FallbackTaken }
  Wait: { readonly delayMs: number; readonly message: string }
  AskToWait: { readonly delayMs: number; readonly message: string }
  Fail: LimitReached
}>
const { AskToWait, Fail, FallBack, Wait } = Data.taggedEnum<RequestFailure>()

export const next = (session: Session.Session, { message, reason }: NonNullable<Session.Session["requestFailure"]>): RequestFailure => {
  const { settings: { limits: { waitMs = maxWaitMs }, onAsk }, time, wait } = session
  const event = withXmlTools(session, reason, message) ?? FallbackChain.next(session, reason, message)
  if (event !== undefined) return FallBack({ event })
  if (reason._tag === "ContextOverflow") return Fail({ reason: "context", message: `${message} ${contextHint}` })
  if (!isTransient(reason)) return Fail({ reason: "provider", message: [message, ...adviceFor(reason, message)].join(" ") })
  const retryAfterMs = "retryAfterMs" in reason ? reason.retryAfterMs ?? 0 : 0
  if (retryAfterMs > maxServerPauseMs) {
    return onAsk === "ask" ? AskToWait({ delayMs: retryAfterMs, message })
      : Fail({ reason: "provider", message: `${message} ${resumeHint}` })
  }
  const remainingMs = (wait?.since ?? time) + waitMs - time
  return remainingMs <= 0
    ? Fail({
      reason: "provider",
      message: wait === undefined ? message : `${message} Gave up after waiting ${durationText(time - wait.since)}. ${resumeHint}`
    })
    : Wait({ delayMs: Math.min(Math.max(waitIntervalMs, retryAfterMs), remainingMs), message })
}

/** The same model, with tools described as XML: its server rejected the request and mentioned tools. */
const withXmlTools = (session: Session.Session, reason: ProviderReason, why: string): FallbackChain.FallbackTaken | undefined => {
  const { model, toolFormat } = Session.activeModel(session)
  const { place, until } = session.activeFallback ?? {}
  return toolFormat === "native" && isToolRefusal(model, reason, why)
    ? { _tag: "FallbackTaken", model: { ...model, nativeTools: false }, toolFormat: "xml", why, ...optional({ place, until }) }
    : undefined
}

/** What the user can do about an error that a retry would not fix, unless the message says so already. */
const adviceFor = ({ _tag }: ProviderReason, message: string): ReadonlyArray<string> => {
  const advice = adviceByReason[_tag]
  return advice === undefined || message.includes("`dacapo ") ? [] : [advice]
}

const adviceByReason: { readonly [Tag in ProviderReason["_tag"]]?: string } = {
  Auth: "Run `dacapo auth status` to see which key is used, or `dacapo auth login` to save another.",
  Quota: "Add credit and continue (`dacapo --continue`), or use another model (--model).",
  UnknownModel: "Run `dacapo models` for a list of known models."
}

const resumeHint = "The session is saved: continue it later (`dacapo --continue`), or with another model (--model)."
const contextHint =
  "The request does not fit even after compaction: start a new task with less input, or use a model with a larger context window (--model)."
