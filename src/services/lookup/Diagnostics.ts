/** Problems of files, as language servers and the user's checkers report them. Without a layer nothing is started. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Problem } from "../../domain/diagnostics/Problem.ts"
import type { Session } from "../../domain/session/Session.ts"

/** `notes` say what could not be asked, and why; `checks` are the outputs of checkers, each preceded by its command. */
export interface DiagnosticsReport {
  readonly problems: ReadonlyArray<Problem>
  readonly checks: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

export interface DiagnosticsService {
  /**
   * The problems that an edit of these files adds, as text for the model; empty if there are none, or no server that may run. `edit`
   * runs in between, once.
   */
  readonly around: <A, R>(
    session: Session,
    paths: ReadonlyArray<string>,
    edit: Effect.Effect<A, never, R>
  ) => Effect.Effect<{ readonly result: A; readonly report: string }, never, R>
  /** The current problems of the files that the session knows. Servers and checkers that need approval are asked about. */
  readonly current: (session: Session) => Effect.Effect<DiagnosticsReport>
}

export const Diagnostics = Context.Reference<DiagnosticsService>("dacapo/Diagnostics", {
  defaultValue: () => ({
    around: (_, __, edit) => Effect.map(edit, (result) => ({ result, report: "" })),
    current: () => Effect.succeed({ problems: [], checks: [], notes: [] })
  })
})
