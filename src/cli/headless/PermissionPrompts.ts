/**
 * Asks the program on standard input for approvals (`--permission-prompt-tool stdio`), as `can_use_tool` requests. Its answer is
 * bound to the action that it was shown; a rule is added only if it is one that the request offered.
 */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type { RequestEvent } from "../../domain/control/ClientEvent.ts"
import type { PendingRequest } from "../../domain/control/PendingRequest.ts"
import type { Operation } from "../../domain/control/Operation.ts"
import type { Access } from "../../domain/tool/Access.ts"
import type { Controller } from "../../layers/control/Controller.ts"
import type { PendingRequests } from "../../layers/control/PendingRequests.ts"
import type { InputError, OutputError } from "../process/CliError.ts"
import * as ControlSchema from "../render/json/ControlSchema.ts"
import type { ToolNames } from "../../domain/tool/ToolNames.ts"
import * as View from "../render/view/View.ts"
import type { WriteLine } from "./StreamOutput.ts"

/** `ask` writes requests until it is interrupted; `respond` takes the program's responses; `close`: no more will come. */
export interface PermissionPrompts {
  readonly ask: Effect.Effect<void, OutputError>
  readonly respond: (line: ControlSchema.ControlResponse) => Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

export interface Options {
  readonly session: string
  readonly controller: Controller<InputError>
  readonly pending: PendingRequests
  readonly writeLine: WriteLine
  readonly names: ToolNames
}

export const make = ({ controller, names, pending, session, writeLine }: Options): PermissionPrompts => {
  const unanswered = new Map<string, PendingRequest>()

  const write = (event: RequestEvent) => {
    if (event._tag === "Requested") {
      unanswered.set(event.request.id, event.request)
      return writeLine(line(session, event.request, names))
    }
    // Withdrawn, or answered by another client.
    return unanswered.delete(event.id) ? writeLine({ type: "control_cancel_request", request_id: event.id }) : Effect.void
  }

  const ask = Effect.gen(function*() {
    const events = yield* Queue.unbounded<RequestEvent>()
    yield* Effect.acquireRelease(
      Effect.sync(() => pending.subscribe((event) => Queue.offerUnsafe(events, event))),
      (unsubscribe) => Effect.sync(unsubscribe)
    )
    while (true) yield* write(yield* Queue.take(events))
  }).pipe(Effect.scoped)

  const respond = Effect.fnUntraced(function*({ response }: ControlSchema.ControlResponse) {
    const request = unanswered.get(response.request_id)
    if (request === undefined) return
    unanswered.delete(response.request_id)
    const result = response.subtype === "error"
      ? { behavior: "deny" as const, message: `The program could not decide: ${response.error}` }
      : Option.getOrElse(decode(response.response), () => ({
        behavior: "deny" as const,
        message: "The program sent no valid decision."
      }))
    for (const operation of operations(session, request, result, names)) yield* Effect.ignore(controller.run(operation))
  })

  return { ask, respond, close: pending.close }
}

const decode = Schema.decodeUnknownOption(ControlSchema.PermissionResult)

/** A rule such as `Bash(npm test)`, in two parts. */
const ruleValue = (rule: string): ControlSchema.RuleUpdate["rules"][number] => {
  const [, toolName = rule, ruleContent] = /^([^(]+)\(([\s\S]*)\)$/.exec(rule) ?? []
  return { toolName, ...(ruleContent === undefined ? {} : { ruleContent }) }
}

const blockedPath = (access: ReadonlyArray<Access>): string | undefined =>
  access.flatMap((one) => one._tag === "Edit" || one._tag === "Read" ? [one.path] : [])[0]

const line = (session: string, request: PendingRequest, names: ToolNames): ControlSchema.CanUseTool => {
  const { id } = request
  if (request._tag === "Question") {
    const { options, text } = request
    return canUseTool(id, {
      tool_name: "AskUserQuestion",
      tool_use_id: id,
      permission_suggestions: [],
      input: {
        questions: [{
          question: text,
          header: "Question",
          multiSelect: false,
          options: options.map((label) => ({ label, description: "" }))
        }]
      }
    })
  }
  const { access, call, diff, from, offer, reason } = request
  const { input, name } = names.call(call.name, call.params)
  const path = blockedPath(access)
  return canUseTool(id, {
    tool_name: name,
    tool_use_id: request.session === undefined || request.session === session ? call.id : `${request.session}_${call.id}`,
    input,
    permission_suggestions: offer.length === 0
      ? []
      : [{ type: "addRules", rules: offer.map(ruleValue), behavior: "allow", destination: "session" }],
    decision_reason: reason,
    description: access.map(View.describeAccess).join(", "),
    ...(path === undefined ? {} : { blocked_path: path }),
    ...(diff === undefined ? {} : { diff }),
    ...(from === undefined ? {} : { agent_id: from })
  })
}

const canUseTool = (id: string, request: Omit<ControlSchema.CanUseTool["request"], "subtype">): ControlSchema.CanUseTool => ({
  type: "control_request",
  request_id: id,
  request: { subtype: "can_use_tool", ...request }
})

/** What a decision does, in order. */
const operations = (
  session: string,
  request: PendingRequest,
  result: ControlSchema.PermissionResult,
  names: ToolNames
): ReadonlyArray<Operation> => {
  if (request._tag === "Question") {
    const text = result.behavior === "allow" ? answerText(result.updatedInput) : undefined
    return [{ _tag: "Reply", session, request: request.id, ...(text === undefined ? {} : { text }) }]
  }
  const { action, call, id } = request
  if (result.behavior === "deny") {
    const { interrupt, message } = result
    const answer: Operation = {
      _tag: "Answer",
      session,
      request: id,
      action,
      decision: "deny",
      scope: "once",
      ...(typeof message === "string" && message !== "" ? { words: message } : {})
    }
    return interrupt === true ? [answer, { _tag: "Interrupt", session }] : [answer]
  }
  const { updatedInput } = result
  const isChanged = updatedInput != null && !Equal.equals(updatedInput, names.call(call.name, call.params).input)
  return [{
    _tag: "Answer",
    session,
    request: id,
    action,
    decision: "allow",
    scope: scope(request.offer, result),
    ...(isChanged ? { params: names.params(call.name, updatedInput) } : {})
  }]
}

const decodeUpdate = Schema.decodeUnknownOption(Schema.Struct({
  type: Schema.Literals(["addRules", "replaceRules"]),
  behavior: Schema.Literal("allow"),
  destination: Schema.String,
  rules: Schema.Array(Schema.Struct({ toolName: Schema.String, ruleContent: Schema.optional(Schema.String) }))
}))

/** How long the approval holds: longer than once only if the program sent all the rules that were offered. */
const scope = (
  offer: ReadonlyArray<string>,
  { updatedPermissions }: Extract<ControlSchema.PermissionResult, { readonly behavior: "allow" }>
): "once" | "session" | "always" => {
  const scopes = (updatedPermissions ?? []).flatMap((update) => {
    const decoded = Option.getOrUndefined(decodeUpdate(update))
    if (decoded === undefined || offer.length === 0) return []
    const rules = new Set(
      decoded.rules.map(({ ruleContent, toolName }) => ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`)
    )
    return offer.every((rule) => rules.has(rule)) ? [decoded.destination === "session" ? "session" as const : "always" as const] : []
  })
  return scopes.includes("always") ? "always" : scopes[0] ?? "once"
}

const decodeAnswers = Schema.decodeUnknownOption(Schema.Struct({
  answers: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)]))
}))

/** The answers to a question, as one text. */
const answerText = (input: unknown): string | undefined => {
  const decoded = Option.getOrUndefined(decodeAnswers(input))
  return decoded === undefined ? undefined : Object.values(decoded.answers).flat().join(", ")
}
