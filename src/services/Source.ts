/** The plug-in contract of a context source: what of the world outside goes into a prompt. */
import type * as Effect from "effect/Effect"
import type { Facts } from "../domain/session/SessionEvent.ts"

/** Never fails: what can't be read is told as a fact or left out. */
export interface Source {
  readonly name: string
  readonly gather: Effect.Effect<Partial<Facts>>
}
