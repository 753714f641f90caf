/**
 * Our own tools for other programs: each call is judged by the rules like one of the agent's. What asks is put to the
 * person at the other program, where it can ask (elicitation); otherwise it is denied, and the answer names the rule.
 */
import { type McpServerFactory, Server, type ServerContext } from "@modelcontextprotocol/server"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { ResultContent, ToolCall } from "../../../domain/message/Message.ts"
import type { Session } from "../../../domain/session/Session.ts"
import type { Outcome } from "../../../domain/tool/Outcome.ts"
import { Approval, type Verdict } from "../../../services/Approval.ts"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { Storage } from "../../../services/Storage.ts"
import type { Any } from "../../../services/Tool.ts"
import { Tools } from "../../../services/Tools.ts"
import { version } from "../../settings/version.ts"
import { builtin } from "../../tool/builtin.ts"

type Needs = Approval | Checkpoints | Storage | Tools

/** How a question for a person is worded: `what` would be done, and why that is asked. */
export type Word = (call: ToolCall, access: Parameters<Tools["Service"]["locate"]>[1], verdict: Verdict) => { readonly question: string; readonly refusal: string }

/** Tools that speak with the user or the session are of no use to another program. */
const ours = new Map<string, Any>(builtin.filter(({ tags }) => !tags.some((tag) => tag === "agent" || tag === "mcp")).map((tool) => [tool.name, tool]))

/** Servers over one session: what one connection reads, the others have seen. `begun` is the session before any call. */
export const factory = Effect.fnUntraced(function*(begun: Session, word: Word) {
  const services = yield* Effect.context<Needs>()
  const tools = yield* Tools
  const inOrder = yield* Semaphore.make(1)
  let session = begun
  let calls = 0

  const perform = Effect.fnUntraced(function*(name: string, params: Schema.JsonObject, { confirm, output }: Caller) {
    const call: ToolCall = { _tag: "ToolCall", id: `call_${++calls}`, name, params }
    const understood = ours.has(name) ? tools.understand(call, session) : Result.fail(`There is no tool ${JSON.stringify(name)}.`)
    if (Result.isFailure(understood)) return said(understood.failure, true)
    const { kind } = understood.success
    const access = yield* tools.locate(call, understood.success.access)
    const verdict = (yield* Approval).judge({ ...understood.success, access }, session)
    if (verdict.decision === "deny") return said(`Denied. ${verdict.reason}`, true)
    if (verdict.decision === "ask") {
      const { question, refusal } = word(call, access, verdict)
      const diff = yield* tools.preview(call, session)
      if (!(yield* confirm(diff === null ? question : `${question}\n\n${diff}`))) return said(refusal, true)
    }
    // Without checkpoints there is no way back, and the rules or the user said yes all the same.
    if (kind !== "read") yield* Effect.ignore((yield* Checkpoints).save({ session: session.id, seq: calls, why: "before an edit or a command" }))
    const outcome = yield* tools.run(call, session, output)
    session = { ...session, files: new Map([...session.files, ...(outcome.touched ?? []).map(({ hash, path }) => [path, hash] as const)]) }
    return yield* result(outcome)
  })

  const ordered = (name: string, params: Schema.JsonObject, caller: Caller) =>
    ours.get(name)?.kind === "read" ? perform(name, params, caller) : perform(name, params, caller).pipe(inOrder.withPermits(1))

  const make: McpServerFactory = () => {
    const server = new Server({ name: "dacapo", version }, {
      capabilities: { tools: {} },
      instructions: "Tools of dacapo in one folder. Paths are relative to it. What the rules do not allow is asked, or denied with the rule that would allow it."
    })
    server.setRequestHandler("tools/list", () => ({
      tools: tools.specs(session).flatMap(({ description, name, schema }) => {
        const tool = ours.get(name)
        return tool === undefined ? [] : [{ name, description, inputSchema: schema as { type: "object" }, annotations: annotations(tool) }]
      })
    }))
    server.setRequestHandler("tools/call", (request, context) => {
      const { arguments: given = {}, name } = request.params
      return Effect.runPromiseWith(services as Context.Context<Needs>)(ordered(name, given as Schema.JsonObject, caller(server, context)), { signal: context.mcpReq.signal })
    })
    return server
  }
  return make
})

interface Caller {
  readonly confirm: (question: string) => Effect.Effect<boolean>
  readonly output: (text: string) => void
}

const caller = (server: Server, context: ServerContext): Caller => {
  const token = context.mcpReq._meta?.progressToken
  let shown = 0
  return {
    output: (text) => {
      if (token === undefined) return
      void context.mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, progress: ++shown, message: text.slice(-500) } }).catch(() => {})
    },
    // A program that can't ask, or won't, has not said yes.
    confirm: (question) =>
      server.getClientCapabilities()?.elicitation === undefined ? Effect.succeed(false) : Effect.tryPromise(() =>
        context.mcpReq.elicitInput({
          mode: "form",
          message: question,
          requestedSchema: { type: "object", properties: { allow: { type: "boolean", title: "Allow it", default: false } }, required: ["allow"] }
        })).pipe(
          Effect.map(({ action, content }) => action === "accept" && content?.["allow"] === true),
          Effect.orElseSucceed(() => false)
        )
  }
}

const annotations = ({ destructive = false, idempotent = false, kind, openWorld = false }: Any) =>
  ({ readOnlyHint: kind === "read", destructiveHint: destructive || kind !== "read", idempotentHint: idempotent, openWorldHint: openWorld })

const said = (text: string, isError: boolean) => ({ content: [{ type: "text" as const, text }], isError })

const result = Effect.fnUntraced(function*({ content, status }: Outcome) {
  const storage = yield* Storage
  const part = (one: ResultContent) =>
    one._tag === "Text" ? Effect.succeed({ type: "text" as const, text: one.text }) : storage.getBlob(one.blob).pipe(
      Effect.map((bytes) => ({ type: "image" as const, mimeType: one.mediaType, data: Base64.encode(bytes) })),
      Effect.orElseSucceed(() => ({ type: "text" as const, text: "[a picture that could not be read]" }))
    )
  return { content: yield* Effect.forEach(content, part), isError: status !== "succeeded" }
})
