/** Judges calls by the rules: compiled from the session's own settings and grants. */
import * as Context from "effect/Context"
import type { Session } from "../domain/session/Session.ts"
import type { Access } from "../domain/tool/Access.ts"
import type { ResolvedCall } from "./Tools.ts"

export interface Verdict {
  readonly decision: "allow" | "ask" | "deny"
  readonly risk: "low" | "medium" | "high"
  readonly reason: string
  readonly rule?: string
  /** The rules that "always" would add; none if no rule is narrow enough. */
  readonly offer: ReadonlyArray<string>
}

/** One part of a command as the rules see it. */
export interface PartVerdict {
  readonly part: string
  readonly decision: Verdict["decision"]
  /** The rule that decided, and why, or why none did. */
  readonly reason: string
}

/** What approving edits can extend to, besides the offered rules. */
export interface EditScope {
  /** The rule for everything in the folder of the edited files. */
  readonly folderRule?: string
  /** Mode acceptEdits would allow them. */
  readonly canAcceptEdits?: true
}

export class Approval extends Context.Service<Approval, {
  readonly judge: (call: ResolvedCall, session: Session) => Verdict
  /** What approving these edits can extend to; nothing for other accesses, or if something else than mode and risk asks for `reason`. */
  readonly editScope: (proposal: Pick<Verdict, "reason"> & { readonly access: ReadonlyArray<Access> }, session: Session) => EditScope
  /** Every part of the commands among these, and the rule each matched; none for a command with a single part. */
  readonly explain: (access: ReadonlyArray<Access>, session: Session) => ReadonlyArray<PartVerdict>
}>()("dacapo/Approval") {}
