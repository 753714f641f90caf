/** What follows when every try of a request failed: another model, a pause, a question, or the end of the task. */
import * as Data from "effect/Data"
import { isTransient, patience, waitEvery, waitMost } from "../provider/Retry.ts"
import type { ProviderReason } from "../provider/ProviderError.ts"
import * as RetryAfter from "../provider/RetryAfter.ts"
import type { Reached } from "./Guard.ts"
import type { Session } from "./Session.ts"
import type { Choice } from "./SessionEvent.ts"

/**
 * - `FallBack`: the model that the user named for this takes over.
 * - `Wait`: leave the provider alone for `delayMs`, then ask it once more.
 * - `AskToWait`: the provider asks for a pause so long that only the user can grant it.
 */
export type Setback = Data.TaggedEnum<{
  FallBack: { readonly to: Choice; readonly why: string }
  Wait: { readonly delayMs: number; readonly message: string }
  AskToWait: { readonly delayMs: number; readonly message: string }
  Fail: Reached
}>
const { AskToWait, Fail, FallBack, Wait } = Data.taggedEnum<Setback>()

export const next = (session: Session, { message, reason }: NonNullable<Session["setback"]>): Setback => {
  const { settings: { fallback, limits: { waitMs = waitMost }, onAsk }, standIn, time, wait } = session
  if (reason._tag === "ContextOverflow") return Fail({ reason: "context", message: `${message} ${smaller}` })
  if (!isTransient(reason)) return Fail({ reason: "provider", message: [message, ...step(reason, message)].join(" ") })
  if (fallback !== undefined && standIn === undefined) return FallBack({ to: fallback, why: message })
  const asked = "retryAfterMs" in reason ? reason.retryAfterMs ?? 0 : 0
  if (asked > patience) {
    return onAsk === "ask" ? AskToWait({ delayMs: asked, message }) : Fail({ reason: "provider", message: `${message} ${later}` })
  }
  const left = (wait?.since ?? time) + waitMs - time
  return left <= 0
    ? Fail({ reason: "provider", message: wait === undefined ? message : `${message} It was waited for ${RetryAfter.words(time - wait.since)}. ${later}` })
    : Wait({ delayMs: Math.min(Math.max(waitEvery, asked), left), message })
}

/** What the user can do about a refusal that another try would not mend, where its own words do not say it. */
const step = ({ _tag }: ProviderReason, message: string): ReadonlyArray<string> => {
  const found = steps[_tag]
  return found === undefined || message.includes("`dacapo ") ? [] : [found]
}

const steps: { readonly [Tag in ProviderReason["_tag"]]?: string } = {
  Auth: "`dacapo auth status` says where the key was found, `dacapo auth login` keeps another.",
  Quota: "Go on when it is paid for (`dacapo --continue`), or with another model (--model).",
  UnknownModel: "`dacapo models` lists those that are known."
}

const later = "The session is kept: go on with it later (`dacapo --continue`), or with another model (--model)."
const smaller = "Even made smaller it does not fit: begin a new task with less, or choose a model with a larger window (--model)."
