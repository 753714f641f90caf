/** One budget in memory above all sessions: what one of them has reserved, the others can't spend. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as Stream from "effect/Stream"
import * as Amounts from "../../domain/session/Budget.ts"
import { Budget } from "../../services/Budget.ts"

interface State {
  readonly spent: Amounts.Amount
  /** What each session has reserved. */
  readonly reservations: ReadonlyMap<string, Amounts.Amount>
}

/** The limits in USD and tokens; without them nothing is refused. */
export const layer = (limit: Partial<Amounts.Amount> = {}): Layer.Layer<Budget> =>
  Layer.effect(
    Budget,
    Effect.gen(function*() {
      const state = yield* SubscriptionRef.make<State>({ spent: Amounts.zero, reservations: new Map() })
      const used = ({ reservations, spent }: State) => [...reservations.values()].reduce(Amounts.add, spent)
      const without = (reservations: State["reservations"], id: string) => new Map([...reservations].filter(([session]) => session !== id))
      const settle = (id: string, cost?: Amounts.Amount) =>
        SubscriptionRef.update(state, ({ reservations, spent }) => {
          const reservation = reservations.get(id)
          return reservation === undefined ? { reservations, spent }
            : { reservations: without(reservations, id), spent: Amounts.add(spent, cost ?? reservation) }
        })
      return Budget.of({
        parentLevels: () => Effect.map(SubscriptionRef.get(state), (current) => [Amounts.level("parent", limit, used(current))]),
        awaitRelease: Effect.fnUntraced(function*({ id }) {
          const others = [...(yield* SubscriptionRef.get(state)).reservations.keys()].filter((one) => one !== id)
          if (others.length === 0) return false
          yield* SubscriptionRef.changes(state).pipe(
            Stream.filter(({ reservations }) => others.some((one) => !reservations.has(one))),
            Stream.take(1),
            Stream.runDrain
          )
          return true
        }),
        reserve: ({ id }, amount) =>
          SubscriptionRef.modify(state, (current) => {
            const { usd = Infinity, tokens = Infinity } = limit
            const next = { ...current, reservations: new Map(current.reservations).set(id, amount) }
            const sum = used(next)
            return sum.usd > usd || sum.tokens > tokens ? [false, current] : [true, next]
          }),
        settle: ({ id }, _, cost) => settle(id, cost),
        release: ({ id }) => settle(id)
      })
    })
  )
