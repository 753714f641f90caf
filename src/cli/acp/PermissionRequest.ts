/** Puts a pending request to the user of an ACP client, and turns the chosen option into an operation. */
import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk"
import * as Reasons from "../../domain/approval/Reasons.ts"
import type { Operation } from "../../domain/control/Operation.ts"
import type { PendingRequest } from "../../domain/control/PendingRequest.ts"
import * as CallSummary from "../render/view/CallSummary.ts"
import * as View from "../render/view/View.ts"
import { diffContent } from "./SessionUpdates.ts"

const noAnswer = "none"

const options = (request: PendingRequest): Array<PermissionOption> => {
  if (request._tag === "Question") {
    return [
      ...request.options.map((name, i): PermissionOption => ({ optionId: `${i}`, name: View.text(name), kind: "allow_once" })),
      { optionId: noAnswer, name: "No answer", kind: "reject_once" }
    ]
  }
  const rules = View.text(request.offer.join(", "))
  return [
    { optionId: "once", name: "Allow", kind: "allow_once" },
    ...(request.offer.length === 0 ? [] : [
      { optionId: "session", name: `Allow ${rules} in this session`, kind: "allow_always" },
      { optionId: "always", name: `Always allow ${rules}`, kind: "allow_always" }
    ] satisfies ReadonlyArray<PermissionOption>),
    { optionId: "deny", name: "Deny", kind: "reject_once" }
  ]
}

/** The request of the protocol. `session` is the session that the client knows, a subagent's request is shown there. */
export const of = (session: string, cwd: string, request: PendingRequest): RequestPermissionRequest => {
  const absolute = (path: string) => path.startsWith("/") ? path : `${cwd}/${path}`
  if (request._tag === "Question") {
    return {
      sessionId: session,
      toolCall: { toolCallId: request.id, title: View.text(request.text), kind: "other", status: "pending" },
      options: options(request)
    }
  }
  const { access, call, diff, from, reason } = request
  const title = access.length === 0
    ? CallSummary.describeCall(call.name, call.params)
    : CallSummary.label(access.map(CallSummary.describeAccess).join(", "))
  return {
    sessionId: session,
    toolCall: {
      // The calls of a subagent are not shown: their ids may be those of other calls.
      toolCallId: request.session === undefined || request.session === session ? call.id : `${request.session}_${call.id}`,
      title: from === undefined ? title : `${View.text(from)}: ${title}`,
      status: "pending",
      rawInput: call.params,
      content: [
        { type: "content", content: { type: "text", text: View.text(Reasons.distinct(reason)) } },
        ...(diff === undefined ? [] : diffContent(diff, absolute))
      ]
    },
    options: options(request)
  }
}

/** The operation for the client's response. Cancelled: the prompt is being cancelled, and the call with it. */
export const answer = (session: string, request: PendingRequest, { outcome }: RequestPermissionResponse): Operation => {
  const option = outcome.outcome === "selected" ? outcome.optionId : undefined
  if (request._tag === "Question") {
    const text = option === undefined || option === noAnswer ? undefined : request.options[Number(option)]
    return { _tag: "Reply", session, request: request.id, ...(text === undefined ? {} : { text }) }
  }
  const { action, id } = request
  const scope = option === "once" || option === "session" || option === "always" ? option : undefined
  return {
    _tag: "Answer",
    session,
    request: id,
    action,
    decision: scope === undefined ? "deny" : "allow",
    scope: scope ?? "once"
  }
}
