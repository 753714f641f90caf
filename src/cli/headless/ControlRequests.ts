/** Handles the control requests of the program on standard input. Each has exactly one response; unknown ones get an error. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Mode } from "../../domain/approval/Mode.ts"
import type { Operation } from "../../domain/control/Operation.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import type * as Session from "../../domain/session/Session.ts"
import type { Controller } from "../../layers/control/Controller.ts"
import { Agent } from "../../services/Agent.ts"
import { Intake } from "../../services/Intake.ts"
import { type ListedServer, Mcp } from "../../services/Mcp.ts"
import type { InputError, OutputError } from "../process/CliError.ts"
import * as ErrorMessage from "../process/ErrorMessage.ts"
import { Host } from "../process/Host.ts"
import * as ControlSchema from "../render/json/ControlSchema.ts"
import * as ModelNames from "../start/ModelNames.ts"
import * as SdkFlags from "../start/SdkFlags.ts"
import type { ProgramConnection } from "./ProgramConnection.ts"
import type { WriteLine } from "./StreamOutput.ts"

/** `settled` waits for requests that take longer, such as a rewind. */
export interface ControlRequests {
  readonly handle: (request: ControlSchema.ControlRequest) => Effect.Effect<void, OutputError>
  readonly settled: Effect.Effect<void, OutputError>
}

/** `canBypass`: the run was started so that the program may switch to bypassPermissions. `agents`: names of agent profiles. */
export interface Options {
  readonly controller: Controller<InputError>
  readonly writeLine: WriteLine
  readonly canBypass: boolean
  readonly program: ProgramConnection
  readonly agents: ReadonlyArray<string>
}

const decode = Schema.decodeUnknownResult(ControlSchema.ProgramRequest)

/** Operations that wait for a running task: the input is read on meanwhile. */
const waits: ReadonlySet<Operation["_tag"]> = new Set(["Rewind", "Fork", "Replay"])

export const make = Effect.fnUntraced(function*(state: Session.Session, { agents, canBypass, controller, program, writeLine }: Options) {
  const fibers = yield* FiberSet.make<void, OutputError>()
  const mcp = yield* Mcp
  const intake = yield* Intake
  const agent = yield* Agent
  const { environment } = yield* Host
  const { cwd, id: session, settings } = state
  const defaultModel = Model.nameWithEffort(settings.model)

  const run = (operation: Operation): Effect.Effect<Schema.Json, string> =>
    operation._tag === "SetMode" && !mayUse(operation.mode)
      ? Effect.fail("bypassPermissions is only available to a run that was started with it.")
      : controller.run(operation).pipe(
        Effect.map((result) => JSON.parse(JSON.stringify(result)) as Schema.Json),
        Effect.mapError(ErrorMessage.sentence)
      )
  const mayUse = (mode: Mode): boolean => mode !== "bypassPermissions" || canBypass || settings.mode === "bypassPermissions"

  const describe = Effect.gen(function*() {
    const commands = yield* intake.commands(cwd)
    const { provider } = settings.model
    return {
      commands: [
        { name: "compact", description: "Make the conversation smaller.", argumentHint: "[instructions]" },
        ...commands.map(({ description = "", name }) => ({ name, description, argumentHint: "" }))
      ],
      agents: agents.map((name) => ({ name, description: "" })),
      output_style: "default",
      available_output_styles: ["default"],
      models: [
        { value: "default", displayName: settings.model.name, description: Model.title(settings.model) },
        ...Catalogue.models(provider).map((model) => ({ value: Model.title(model), displayName: model.name, description: "" }))
      ],
      account: {},
      claude_code_version: environment.version,
      hook_on_failure_supported: true,
      hooks_applied: true
    }
  })

  const respond = (request: ControlSchema.ProgramRequest): Effect.Effect<Schema.Json, string> => {
    switch (request.subtype) {
      case "initialize":
        return describe
      case "interrupt":
        return Effect.as(run({ _tag: "Interrupt", session }), { still_queued: [] })
      case "set_permission_mode":
        return Effect.as(run({ _tag: "SetMode", session, mode: request.mode }), { mode: request.mode })
      case "set_model": {
        const model = request.model == null || request.model === "default" ? defaultModel : ModelNames.qualify(request.model, defaultModel)
        return Effect.as(run({ _tag: "SetModel", session, model }), {})
      }
      case "set_max_thinking_tokens": {
        const { max_thinking_tokens: tokens } = request
        return Effect.as(
          tokens == null
            ? run({ _tag: "SetModel", session, model: defaultModel })
            : run({ _tag: "SetEffort", session, effort: SdkFlags.effortOf(tokens) }),
          {}
        )
      }
      case "mcp_status":
        return Effect.all({ list: mcp.list(cwd), current: agent.state(session) }).pipe(
          Effect.map(({ current: { offer }, list: { servers } }) => ({ mcpServers: servers.map((server) => serverStatus(server, offer)) })),
          Effect.mapError(ErrorMessage.sentence)
        )
      case "mcp_message":
        return program.receive(request.server_name, request.message)
          ? Effect.succeed({})
          : Effect.fail(`The MCP server ${request.server_name} is not connected.`)
      case "operation":
        return request.operation._tag === "Start"
          ? Effect.fail("A run on standard input has one session; start another process for another one.")
          : run({ ...request.operation, session })
    }
  }

  const answer = Effect.fnUntraced(function*({ request, request_id }: ControlSchema.ControlRequest) {
    const decoded = decode(request)
    const result = Result.isSuccess(decoded)
      ? yield* Effect.result(respond(decoded.success))
      : Result.fail(
        ControlSchema.programSubtypes.has(request.subtype)
          ? `The request ${request.subtype} is not valid.`
          : `Unsupported control request: ${request.subtype}.`
      )
    yield* writeLine(
      Result.isSuccess(result)
        ? { type: "control_response", response: { subtype: "success", request_id, response: result.success } }
        : ControlSchema.errorResponse(request_id, result.failure)
    )
  })

  const isSlow = ({ request: { operation, subtype } }: ControlSchema.ControlRequest): boolean =>
    subtype === "operation" && typeof operation === "object" && operation !== null && "_tag" in operation &&
    waits.has(operation["_tag"] as Operation["_tag"])

  return {
    handle: (request) => isSlow(request) ? Effect.asVoid(FiberSet.run(fibers, answer(request))) : answer(request),
    settled: FiberSet.awaitEmpty(fibers)
  } satisfies ControlRequests
})

/** A server is connected once the session knows what it offers. */
const serverStatus = ({ definition: { disabled, name } }: ListedServer, { servers, tools }: Session.Session["offer"]) => ({
  name,
  status: disabled ? "disabled" : servers.some((server) => server.name === name) ? "connected" : "pending",
  tools: tools.filter(({ server }) => server === name).map(({ description, tool }) => ({ name: tool, description }))
})
