/** The models that take over, in their order, when a request failed: which one is next, and for how long. */
import type { ProviderReason } from "../provider/ProviderError.ts"
import { durationText, fallbackMs, isTransient } from "../provider/Retry.ts"
import * as Session from "./Session.ts"
import type { Settled } from "./SessionEvent.ts"

export type FallbackTaken = Extract<Settled, { readonly _tag: "FallbackTaken" }>

/**
 * The next model of the chain that can help, if there is one. A request that does not fit needs a larger window, and keeps it until
 * the task ends; after any other failure the session's own model is due again after a while. A request that is invalid by itself
 * is invalid everywhere.
 */
export const next = (session: Session.Session, reason: ProviderReason, why: string): FallbackTaken | undefined => {
  const { settings: { fallback, fallbacks }, activeFallback, time } = session
  if (fallbacks === undefined) {
    return fallback === undefined || activeFallback !== undefined || !isTransient(reason) ? undefined
      : { _tag: "FallbackTaken", ...fallback, why }
  }
  const isTooLong = reason._tag === "ContextOverflow"
  const { window } = Session.activeModel(session).model
  const index = fallbacks.findIndex(({ model }, i) => i >= (activeFallback?.place ?? 0) && (!isTooLong || model.window > window))
  return index < 0 || reason._tag === "BadRequest" ? undefined
    : { _tag: "FallbackTaken", ...fallbacks[index]!, why, place: index + 1, ...(isTooLong ? {} : { until: time + fallbackMs }) }
}

/** The return to the session's own model, once a fallback that responds has been in use for long enough. */
export const end = (session: Session.Session): FallbackTaken | undefined => {
  const { activeFallback, time, wait } = session
  if (activeFallback?.until === undefined || time < activeFallback.until || wait !== undefined) return undefined
  const sessionChoice = Session.activeModel({ ...session, activeFallback: undefined })
  return { _tag: "FallbackTaken", ...sessionChoice, why: `The fallback model was used for ${durationText(fallbackMs)}.`, place: 0 }
}
