/** Where a replay and the log differ: apart from the replay, which is loaded when one starts. */
import * as Data from "effect/Data"
import * as EventDifference from "../../domain/session/EventDifference.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"

/** The first event that differs; null if none came, or none was recorded. */
export class Diverged extends Data.TaggedError("Diverged")<{
  readonly seq: number
  readonly expected: Settled | null
  readonly actual: Settled | null
}> {
  override get message(): string {
    return EventDifference.sentence(this.seq, this.expected, this.actual)
  }
}
