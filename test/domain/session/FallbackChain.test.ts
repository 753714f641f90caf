import { describe, expect, it } from "@effect/vitest"
import * as Model from "../../../src/domain/provider/Model.ts"
import type { ProviderReason } from "../../../src/domain/provider/ProviderError.ts"
import { fallbackMs } from "../../../src/domain/provider/Retry.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import * as Step from "../../../src/domain/session/Step.ts"
import type { Settled, SessionSettings } from "../../../src/domain/session/SessionEvent.ts"
import { answered, asked, fold, said, started } from "./log.ts"

const choice = (id: string, window = 0): Model.ModelChoice => ({
  model: { ...Model.unknown, provider: "test", id, window },
  toolFormat: "native"
})
const chain = { fallbacks: [choice("second"), choice("large", 1_000), choice("last")] }

const failed = (reason: ProviderReason): Settled => ({ _tag: "ModelFailed", reason, provider: "test", message: "It says no.", draft: null })
const done = answered([{ _tag: "Text", text: "Done." }])
const finished: Settled = { _tag: "TaskFinished", result: "Done." }

/** The events of a task whose requests fail for these reasons, each followed by what the chain decides. */
const failing = (settings: Partial<SessionSettings>, ...reasons: ReadonlyArray<ProviderReason>): ReadonlyArray<Settled> =>
  reasons.reduce<ReadonlyArray<Settled>>((events, reason) => {
    const all = [...events, ...asked, failed(reason)]
    const step = Step.next(fold(...all))
    return step._tag === "FallBack" ? [...all, step.event] : all
  }, [started(settings), said("Mend it")])

const taken = (events: ReadonlyArray<Settled>) => events.flatMap((event) => event._tag === "FallbackTaken" ? [event.model.id] : [])

/** The session as it is at a later time. */
const after = (ms: number, events: ReadonlyArray<Settled>, next: Settled) => {
  const session = fold(...events)
  return Session.apply(session, { v: 1, seq: session.seq + 1, time: session.time + ms, prev: "", hash: "", event: next })
}

describe("the chain of fallback models", () => {
  it.each<ProviderReason>([
    { _tag: "Quota" },
    { _tag: "Auth" },
    { _tag: "UnknownModel", near: [] },
    { _tag: "Overloaded" },
    { _tag: "RateLimited", retryAfterMs: 86_400_000 },
    { _tag: "ServerFault" },
    { _tag: "Connection", lasting: true },
    { _tag: "StreamBroken" }
  ])("is taken in its order after $_tag", (reason) => {
    const events = failing(chain, reason, reason, reason)
    expect(taken(events)).toEqual(["second", "large", "last"])
    expect(Session.activeModel(fold(...events))).toMatchObject(choice("last"))
  })

  it("is not taken for a request that is invalid by itself", () => {
    expect(Step.next(fold(...failing(chain, { _tag: "BadRequest" })))).toMatchObject({ _tag: "Fail", reason: "provider" })
  })

  it("answers a request that is too long even after a compaction with the next larger window, until the task ends", () => {
    const overflow = { _tag: "ContextOverflow" } as const
    const events = failing(chain, overflow, overflow)
    expect(taken(events)).toEqual(["large"])
    expect(fold(...events)).toMatchObject({ activeFallback: { place: 2, until: undefined }, windowUsage: { overflows: 0, isDue: false } })
    const next = fold(...events, ...asked, done, finished, said("And this"))
    expect(Session.activeModel(next).model.id).toBe("model")
    expect(Step.next(fold(...failing({ fallbacks: [choice("second")] }, overflow, overflow)))).toMatchObject({ _tag: "Fail", reason: "context" })
  })

  it("ends in the failure of its last model, or in a wait for it", () => {
    const quota = { _tag: "Quota" } as const
    expect(Step.next(fold(...failing(chain, quota, quota, quota, quota)))).toMatchObject({ _tag: "Fail", reason: "provider" })
    expect(Step.next(fold(...failing(chain, quota, quota, quota, { _tag: "Overloaded" })))).toMatchObject({ _tag: "Wait" })
  })

  it("stays in use over the end of a task, and gives way to the session's own model after ten minutes", () => {
    const events = [...failing(chain, { _tag: "Quota" }), ...asked, done, finished]
    const soon = after(1_000, events, said("And this"))
    expect([Session.activeModel(soon).model.id, Step.next(soon)._tag]).toEqual(["second", "CallModel"])
    const late = Step.next(after(fallbackMs, events, said("And this")))
    expect(late).toMatchObject({ _tag: "FallBack", event: { model: { id: "model" }, place: 0, why: "The fallback model was used for 10 min." } })
    if (late._tag !== "FallBack") throw new Error("It did not fall back.")
    const own = fold(...events, said("And this"), late.event)
    expect([Session.activeModel(own).model.id, own.activeFallback, Step.next(own)._tag]).toEqual(["model", undefined, "CallModel"])
  })

  it("begins again with the session's own model after a failed task", () => {
    const events = [...failing({ fallbacks: [choice("second")] }, { _tag: "Quota" }, { _tag: "Auth" })]
    const end: Settled = { _tag: "TaskFailed", reason: "provider", message: "It says no." }
    expect(Session.activeModel(fold(...events, end, said("Again"))).model.id).toBe("model")
  })

  it("is left by a model that is waited for only when the wait is over", () => {
    const events = failing({ fallbacks: [choice("second")] }, { _tag: "Quota" }, { _tag: "Overloaded" })
    expect(Step.next(after(fallbackMs, events, { _tag: "ModelWaiting", message: "", delayMs: 30_000 }))._tag).toBe("CallModel")
  })
})

describe("the single fallback of an older log", () => {
  const settings = { fallback: choice("second") }

  it("is taken once and only after temporary failures, until the task ends", () => {
    expect(taken(failing(settings, { _tag: "Overloaded" }, { _tag: "Overloaded" }))).toEqual(["second"])
    expect(taken(failing(settings, { _tag: "Quota" }))).toEqual([])
    expect(fold(...failing(settings, { _tag: "Overloaded" })).activeFallback?.until).toBeUndefined()
  })
})
