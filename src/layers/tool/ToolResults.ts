/** What a tool returns, checked: one written in JavaScript may return anything. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"

/** The effect that a function of a tool returns. Anything else is a defect that says what to return, and a failure is one too. */
export const effectOf = <A, R>(method: string, call: () => Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
  Effect.suspend(() => {
    const result: unknown = call()
    if (Effect.isEffect(result)) return Effect.orDie(result as Effect.Effect<A, unknown, R>)
    if (!Predicate.isPromiseLike(result)) return Effect.die(new TypeError(`\`${method}\` must return an Effect, not ${nameOf(result)}.`))
    // Nothing else waits for it.
    void result.then(undefined, () => {})
    return Effect.die(new TypeError(`\`${method}\` must return an Effect, not a promise: Effect.promise(() => ...) makes one of it.`))
  })

const decodeOutcome = Schema.decodeUnknownResult(Schema.toType(Outcome.Outcome))

/** The outcome of a run; anything else is a defect that says how to make one, or what is wrong with it. */
export const outcomeOf = (result: Outcome.Outcome): Effect.Effect<Outcome.Outcome> => {
  if (!Predicate.isObject(result) || typeof result.status !== "string" || !Array.isArray(result.content))
    return Effect.die(
      new TypeError(`\`run\` must succeed with an Outcome, not ${nameOf(result)}: Outcome.succeeded(text) makes one of a text.`)
    )
  return Result.match(decodeOutcome(result), {
    onSuccess: () => Effect.succeed(result),
    onFailure: ({ message }) => Effect.die(new TypeError(`The Outcome of \`run\` is invalid: ${message.replace(/\s*\n\s*/g, " ")}.`))
  })
}

const isAccess = Schema.is(Schema.Array(Access.Access))

/** What a call would touch; anything else throws. */
export const accessOf = (access: ReadonlyArray<Access.Access>): ReadonlyArray<Access.Access> => {
  if (isAccess(access)) return access
  throw new TypeError(
    "`access` must return a list of what the call would touch, such as [Access.read(path)] or [Access.other(name, params)]."
  )
}

const nameOf = (value: unknown): string =>
  value === undefined || value === null ? String(value)
    : typeof value === "object" ? Array.isArray(value) ? "an array" : "another object"
    : `a ${typeof value}`
