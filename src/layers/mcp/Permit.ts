/**
 * Whether a server may be started: the user's own files say so by naming it; one that a project names is approved like any
 * command, by the rules and by who answers, once for its exact command.
 */
import * as Effect from "effect/Effect"
import * as Definition from "../../domain/mcp/Definition.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Access from "../../domain/tool/Access.ts"
import { Approval } from "../../services/Approval.ts"
import { Approver } from "../../services/Approver.ts"
import type { Known } from "../../services/Mcp.ts"
import { ofJson } from "../storage/Digest.ts"

/** Whether a rule of the user allows the server or tools of it by name: who allows them wants it to run. */
const isNamed = ({ grants, settings: { rules } }: Session, server: string): boolean =>
  [...rules.allow, ...grants].map((rule) => typeof rule === "string" ? rule : rule.rule).some((rule) =>
    rule === "mcp__*" || rule === `mcp__${server}` || rule.startsWith(`mcp__${server}__`))

/** Undefined where it may start, else why not. */
export const refusal = Effect.fn("Mcp.permit")(function*({ definition, file, own }: Known, session: Session) {
  const approval = yield* Approval
  const told = Definition.told(definition)
  const access = [definition.transport._tag === "Stdio" ? Access.command(told, session.cwd) : Access.fetch(told)]
  const verdict = approval.judge({ name: "mcp", kind: "command", tags: ["mcp"], access, asks: false }, session)
  // What no rule denies (plan mode, an address of this machine) is the user's to say.
  if (verdict.decision === "deny" && verdict.rule !== undefined) return verdict.reason
  const { mode } = session.settings
  if (own || verdict.decision === "allow" || mode === "bypassPermissions" || isNamed(session, definition.name)) return undefined
  if (mode === "dontAsk") return verdict.reason
  const call = { _tag: "ToolCall" as const, id: `mcp:${definition.name}`, name: "mcp", params: { server: definition.name, start: told } }
  const { decision, words } = yield* (yield* Approver).ask({
    call,
    action: ofJson(["mcp", definition.name, told, access]),
    access,
    risk: verdict.risk,
    reason: `${file} names the MCP server ${definition.name}, which runs for as long as the session`,
    offer: verdict.offer
  })
  return decision === "allow" ? undefined : words ?? "it was not allowed"
})
