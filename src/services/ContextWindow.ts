/** What the model is shown next: gathered by sources, planned purely, never larger than the window. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ContextError } from "../domain/context/ContextError.ts"
import type { Passes } from "../domain/context/compaction/Compaction.ts"
import type { Report } from "../domain/context/ContextReport.ts"
import type { Plan } from "../domain/context/RequestPlan.ts"
import type { Model } from "../domain/provider/Model.ts"
import type { Session } from "../domain/session/Session.ts"
import type { Facts, Included } from "../domain/session/SessionEvent.ts"

export type { Passes } from "../domain/context/compaction/Compaction.ts"
export type { Plan } from "../domain/context/RequestPlan.ts"

export class ContextWindow extends Context.Service<ContextWindow, {
  /** What is fixed stays as the session knows it; rules files and git are looked at again. */
  readonly gather: (session: Session) => Effect.Effect<Facts>
  /** What is made smaller before the next request; undefined where nothing has to be. Without `summaries` turns are left out instead. */
  readonly compact: (
    session: Session,
    facts: Facts,
    model: Model,
    options?: { readonly summaries: boolean }
  ) => Effect.Effect<Passes | undefined, ContextError>
  /** What fills the window: a session that was planned before is told as it knows the world, another one looks. */
  readonly report: (session: Session, model: Model) => Effect.Effect<Report, ContextError>
  /** Files that go along with the next message by themselves (context/Inclusion): chosen purely, read as they are now. */
  readonly include: (session: Session, facts: Facts, model: Model) => Effect.Effect<ReadonlyArray<Included>, ContextError>
  /** Pure: the same session, facts and files give the same plan. */
  readonly plan: (session: Session, facts: Facts, model: Model, included?: ReadonlyArray<Included>) => Effect.Effect<Plan, ContextError>
}>()("dacapo/ContextWindow") {}
