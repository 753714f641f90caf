/** What the model is shown next: gathered by sources, planned purely, never larger than the window. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Model } from "../domain/provider/Model.ts"
import type { ModelRequest } from "../domain/provider/ModelRequest.ts"
import type { ContextError } from "../domain/context/ContextError.ts"
import type { Session } from "../domain/session/Session.ts"
import type { Facts } from "../domain/session/SessionEvent.ts"

/** `facts` and `current` as ContextPlanned logs them; `system` is the prompt's text, which the caller stores as a blob. */
export interface Plan {
  readonly facts?: Facts
  readonly system: string
  readonly current?: string
  readonly tokens: number
  readonly left: ReadonlyArray<string>
  readonly request: ModelRequest
}

export class ContextWindow extends Context.Service<ContextWindow, {
  readonly gather: (session: Session) => Effect.Effect<Facts>
  /** Pure: the same session and facts give the same plan. */
  readonly plan: (session: Session, facts: Facts, model: Model) => Effect.Effect<Plan, ContextError>
}>()("efferent/ContextWindow") {}
