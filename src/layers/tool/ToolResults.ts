/** What a tool returns, checked: one written in JavaScript may return anything. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Outcome from "../../domain/tool/Outcome.ts"

/** The effect that a function of a tool returns; anything else is a defect that says what to return. */
export const effectOf = <A, E, R>(method: string, call: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const result: unknown = call()
    if (Effect.isEffect(result)) return result as Effect.Effect<A, E, R>
    if (!Predicate.isPromiseLike(result)) return Effect.die(new TypeError(`\`${method}\` must return an Effect, not ${nameOf(result)}.`))
    // Nothing else waits for it.
    void result.then(undefined, () => {})
    return Effect.die(new TypeError(`\`${method}\` must return an Effect, not a promise: Effect.promise(() => ...) makes one of it.`))
  })

const isStatus = Schema.is(Outcome.Status)

/** The outcome of a run; anything else is a defect that says how to make one. */
export const outcomeOf = (result: Outcome.Outcome): Effect.Effect<Outcome.Outcome> =>
  Predicate.isObject(result) && isStatus(result.status) && Array.isArray(result.content) ? Effect.succeed(result)
    : Effect.die(new TypeError(`\`run\` must succeed with an Outcome, not ${nameOf(result)}: Outcome.succeeded(text) makes one of a text.`))

const nameOf = (value: unknown): string =>
  value === undefined || value === null ? String(value)
    : typeof value === "object" ? Array.isArray(value) ? "an array" : "another object"
    : `a ${typeof value}`
