/** What the model is shown next: gathered by sources, planned purely, never larger than the window. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ContextError } from "../domain/context/ContextError.ts"
import type { ContextReport } from "../domain/context/ContextReport.ts"
import type { RecordedTexts, RequestPlan, WeighedRequest } from "../domain/context/RequestPlan.ts"
import type { Model } from "../domain/provider/Model.ts"
import type { ModelRequest } from "../domain/provider/ModelRequest.ts"
import type { Session } from "../domain/session/Session.ts"
import type { Facts, IncludedFile } from "../domain/session/SessionEvent.ts"

/** A request for a text alone, beside the conversation. */
export type AuxiliaryRequest = ModelRequest & { readonly purpose: "summary" | "synthesis" }

export type { RecordedTexts, RequestPlan, WeighedRequest } from "../domain/context/RequestPlan.ts"

export class ContextWindow extends Context.Service<ContextWindow, {
  /** Fixed facts stay as the session knows them; rules files and git are checked again. */
  readonly gather: (session: Session) => Effect.Effect<Facts>
  /**
   * The content of the next request, weighed once for each request; with the texts that a log `recorded`, as it was
   * then.
   */
  readonly weigh: (session: Session, facts: Facts, model: Model, recorded?: RecordedTexts) => Effect.Effect<WeighedRequest, ContextError>
  /** What fills the window: by the facts that the session knows or, before its first plan, by current ones. */
  readonly report: (session: Session, model: Model) => Effect.Effect<ContextReport, ContextError>
  /** Files that are sent with the next message automatically: chosen purely, read as they are now. */
  readonly include: (request: WeighedRequest) => Effect.Effect<ReadonlyArray<IncludedFile>>
  /** Pure: the same request and files give the same plan. */
  readonly plan: (request: WeighedRequest, included?: ReadonlyArray<IncludedFile>) => Effect.Effect<RequestPlan, ContextError>
  /**
   * The prompt of a side request, for a `call` if there is one: the current prompt or, in a replay, the recorded one.
   */
  readonly prompt: <Request extends AuxiliaryRequest>(session: Session, request: Request, call?: string) => Effect.Effect<Request>
}>()("dacapo/ContextWindow") {}
