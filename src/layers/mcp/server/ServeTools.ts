/**
 * Our own tools for other programs: each call is judged by the rules like one of the agent's. Calls that need approval
 * are put to the person using the other program, if it supports that (elicitation); otherwise they are denied, and the
 * response names the rule.
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
import type { TaskResult } from "../../control/RunTask.ts"
import { version } from "../../settings/version.ts"
import { builtin } from "../../tool/builtin.ts"

type Requirements = Approval | Checkpoints | Storage | Tools

/** The wording of an approval question: what would be done, and why that needs approval. */
export type DescribeCall = (
  call: ToolCall,
  access: Parameters<Tools["Service"]["locate"]>[1],
  verdict: Verdict
) => { readonly question: string; readonly refusal: string }

/** Tools that talk to the user or the session are of no use to another program. */
const servedTools = new Map<string, Any>(
  builtin.filter(({ tags }) => !tags.some((tag) => tag === "agent" || tag === "mcp")).map((tool) => [tool.name, tool])
)

/** Runs a task of another program by the agent; `onTurn` counts its requests to the model. */
export type RunTask = (prompt: string, onTurn: (turn: number) => void) => Effect.Effect<TaskResult, { readonly message: string }>

const runTaskTool = {
  name: "run_task",
  description:
    "Runs a coding task in the folder: an agent reads and edits files and runs commands until it is done, and reports what it did. What its rules do not allow is denied, because nobody can be asked.",
  inputSchema: {
    type: "object" as const,
    properties: { prompt: { type: "string", description: "The task, with everything that the agent needs to know." } },
    required: ["prompt"],
    additionalProperties: false
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
}

/**
 * Servers over one session: what one connection reads counts as seen for the others. `initialSession` is the session before any
 * call. With `runTask` they offer `run_task` as well, whose tasks have sessions of their own, one at a time.
 */
export const factory = Effect.fnUntraced(function*(initialSession: Session, describeCall: DescribeCall, runTask?: RunTask) {
  const services = yield* Effect.context<Requirements>()
  const tools = yield* Tools
  const lock = yield* Semaphore.make(1)
  let session = initialSession
  let calls = 0

  const perform = Effect.fnUntraced(function*(name: string, params: Schema.JsonObject, { confirm, output }: Caller) {
    const call: ToolCall = { _tag: "ToolCall", id: `call_${++calls}`, name, params }
    const resolution = servedTools.has(name) ? tools.resolve(call, session) : Result.fail(`There is no tool named ${JSON.stringify(name)}.`)
    if (Result.isFailure(resolution)) return textResult(resolution.failure, true)
    const { kind } = resolution.success
    const access = yield* tools.locate(call, resolution.success.access, session)
    const verdict = (yield* Approval).judge({ ...resolution.success, access }, session)
    if (verdict.decision === "deny") return textResult(`Denied: ${verdict.reason}`, true)
    if (verdict.decision === "ask") {
      const { question, refusal } = describeCall(call, access, verdict)
      const diff = yield* tools.preview(call, session)
      if (!(yield* confirm(diff === null ? question : `${question}\n\n${diff}`))) return textResult(refusal, true)
    }
    // Without checkpoints there is no way back, but the rules or the user approved it all the same.
    if (kind !== "read")
      yield* Effect.ignore((yield* Checkpoints).save({ session: session.id, seq: calls, why: "before an edit or a command" }))
    const outcome = yield* tools.run(call, session, output)
    session = { ...session, files: new Map([...session.files, ...(outcome.touched ?? []).map(({ hash, path }) => [path, hash] as const)]) }
    return yield* result(outcome)
  })

  const performTask = Effect.fnUntraced(function*(run: RunTask, { prompt, ...others }: Schema.JsonObject, { output }: Caller) {
    if (typeof prompt !== "string" || prompt.trim() === "" || Object.keys(others).length > 0)
      return textResult("run_task expects one param: prompt, a text.", true)
    return yield* run(prompt, (turn) => output(`turn ${turn}`)).pipe(
      Effect.map(({ cost, id, result, state }) => ({
        ...textResult(`${result}\n\n[${state}; session ${id}; ${cost.toFixed(4)} USD]`, state !== "finished")
      })),
      Effect.catch(({ message }) => Effect.succeed(textResult(message, true)))
    )
  })

  const performInOrder = (name: string, params: Schema.JsonObject, caller: Caller) =>
    servedTools.get(name)?.kind === "read" ? perform(name, params, caller)
      : (runTask !== undefined && name === runTaskTool.name ? performTask(runTask, params, caller) : perform(name, params, caller)).pipe(
        lock.withPermits(1)
      )

  const make: McpServerFactory = () => {
    const server = new Server({ name: "dacapo", version }, {
      capabilities: { tools: {} },
      instructions:
        "The tools of dacapo in one folder. Paths are relative to it. Calls that the rules do not allow need approval, or are denied with the rule that would allow them."
    })
    server.setRequestHandler("tools/list", () => ({
      tools: [
        ...tools.specs(session).flatMap(({ description, name, schema }) => {
          const tool = servedTools.get(name)
          return tool === undefined ? []
            : [{ name, description, inputSchema: schema as { type: "object" }, annotations: annotations(tool) }]
        }),
        ...(runTask === undefined ? [] : [runTaskTool])
      ]
    }))
    server.setRequestHandler("tools/call", (request, context) => {
      const { arguments: args = {}, name } = request.params
      return Effect.runPromiseWith(services as Context.Context<Requirements>)(
        performInOrder(name, args as Schema.JsonObject, caller(server, context)),
        { signal: context.mcpReq.signal }
      )
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
  let progressCount = 0
  return {
    output: (text) => {
      if (token === undefined) return
      void context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: token, progress: ++progressCount, message: text.slice(-500) }
      }).catch(() => {})
    },
    // A program that can't ask, or won't, has not approved.
    confirm: (question) =>
      server.getClientCapabilities()?.elicitation === undefined ? Effect.succeed(false) : Effect.tryPromise(() =>
        context.mcpReq.elicitInput({
          mode: "form",
          message: question,
          requestedSchema: {
            type: "object",
            properties: { allow: { type: "boolean", title: "Allow it", default: false } },
            required: ["allow"]
          }
        })
      ).pipe(
        Effect.map(({ action, content }) =>
          action === "accept" && content?.["allow"] === true
        ),
        Effect.orElseSucceed(() => false)
      )
  }
}

const annotations = ({ destructive = false, idempotent = false, kind, openWorld = false }: Any) => ({
  readOnlyHint: kind === "read",
  destructiveHint: destructive || kind !== "read",
  idempotentHint: idempotent,
  openWorldHint: openWorld
})

const textResult = (text: string, isError: boolean) => ({ content: [{ type: "text" as const, text }], isError })

const result = Effect.fnUntraced(function*({ content, status }: Outcome) {
  const storage = yield* Storage
  const part = (one: ResultContent) =>
    one._tag === "Text" ? Effect.succeed({ type: "text" as const, text: one.text }) : storage.getBlob(one.blob).pipe(
      Effect.map((bytes) => ({ type: "image" as const, mimeType: one.mediaType, data: Base64.encode(bytes) })),
      Effect.orElseSucceed(() => ({ type: "text" as const, text: "[an unreadable image]" }))
    )
  return { content: yield* Effect.forEach(content, part), isError: status !== "succeeded" }
})
