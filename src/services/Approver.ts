/** Decides when a rule says ask: a person at a terminal, an editor, a script, nobody. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Access } from "../domain/tool/Access.ts"
import type { EditScope, PartVerdict } from "./Approval.ts"
import type { ToolCall } from "../domain/message/Message.ts"

/**
 * `action` is the hash of exactly what would be done; `offer` are the rules that "always" would add, none if no rule is
 * narrow enough; `rule` is the one that requires approval, if a rule does; `diff` is what an edit would change.
 */
export interface Question {
  /** The session that asks; absent if the request belongs to none. */
  readonly session?: string
  readonly call: ToolCall
  readonly action: string
  readonly access: ReadonlyArray<Access>
  readonly risk: "low" | "medium" | "high"
  readonly reason: string
  readonly offer: ReadonlyArray<string>
  readonly rule?: string
  readonly diff?: string
  /** What approving an edit can extend to, besides `offer`. */
  readonly editScope?: EditScope
  /** The name of the subagent that asks. */
  readonly from?: string
  /** The parts of a compound command, and what the rules decide about each. */
  readonly parts?: ReadonlyArray<PartVerdict>
}

/**
 * The decision on a call: `scope` is how long an approval applies, `words` go to the model. `rules` are those of the question that the
 * user chose, of `offer` or for the folder; absent: all of `offer`.
 */
export interface Answer {
  readonly decision: "allow" | "deny"
  readonly scope: "once" | "session" | "always"
  readonly rules?: ReadonlyArray<string>
  readonly words?: string
  /** The call's params as the user changed them: it is judged again with these, and asked about in its new form. */
  readonly params?: Schema.Json
  readonly by: "user" | "nobody"
}

/** The reply to a question of the model; `nobody` if no one is there to answer. */
export type Reply = { readonly by: "user"; readonly text: string } | { readonly by: "nobody" }

export class Approver extends Context.Service<Approver, {
  /** Waits for the decision; interrupting withdraws the question. */
  readonly ask: (question: Question) => Effect.Effect<Answer>
  /**
   * Puts a question of the model to the user; `options` are suggested answers, free text works as well. `session` is the one
   * that asks.
   */
  readonly question: (text: string, options: ReadonlyArray<string>, session?: string) => Effect.Effect<Reply>
  /** Whether someone there can type into the terminals of running commands. Absent: no. */
  readonly canType?: boolean
}>()("dacapo/Approver") {}
