/** `dacapo acp`: the Agent Client Protocol on standard input and output, for editors. Sessions are independent of each other. */
import * as acp from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import { Readable, Writable } from "node:stream"
import { Mode } from "../../domain/approval/Mode.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import * as Model from "../../domain/provider/Model.ts"
import { efforts } from "../../domain/provider/ModelRequest.ts"
import * as ReasoningEffort from "../../domain/provider/ReasoningEffort.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Operation } from "../../domain/control/Operation.ts"
import { Storage } from "../../services/Storage.ts"
import type { Values } from "../args/Flags.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import * as ErrorMessage from "../process/ErrorMessage.ts"
import { Host } from "../process/Host.ts"
import * as FindSession from "../start/FindSession.ts"
import * as ModelNames from "../start/ModelNames.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import * as OpenSession from "./OpenSession.ts"
import * as PromptContent from "./PromptContent.ts"

/** A session with the scope that keeps it open. */
interface Entry {
  readonly session: OpenSession.OpenSession
  readonly scope: Scope.Closeable
}

/** How many sessions a page of the list has. */
const pageSize = 50

/** Serves one client until its end of the connection closes. */
export const serve = Effect.fnUntraced(function*(values: Values) {
  const host = yield* Host
  const { records } = yield* AgentLayers
  const runPromise = yield* FiberSet.makeRuntimePromise<Host | AgentLayers>()
  const serverScope = yield* Effect.scope
  const sessions = new Map<string, Entry>()
  let capabilities: acp.ClientCapabilities = {}
  const modes = Mode.literals.filter((mode) => mode !== "bypassPermissions" || values.permissionMode === mode)

  const run = <A>(effect: Effect.Effect<A, unknown, Host | AgentLayers>): Promise<A> => runPromise(Effect.mapError(effect, requestError))

  const find = (id: string): Effect.Effect<Entry, acp.RequestError> =>
    Effect.suspend(() => {
      const entry = sessions.get(id)
      return entry === undefined ? Effect.fail(new acp.RequestError(-32002, `The session ${id} is not open.`)) : Effect.succeed(entry)
    })

  const close = Effect.fnUntraced(function*(id: string) {
    const entry = sessions.get(id)
    if (entry === undefined) return
    sessions.delete(id)
    yield* Effect.ignore(entry.session.controller.run({ _tag: "Interrupt", session: id, why: "The client closed the session." }))
    yield* Scope.close(entry.scope, Exit.void)
  })

  /** Opens a session, a stored one in its own folder. */
  const open = Effect.fnUntraced(function*(
    client: acp.AgentContext,
    { additionalDirectories = [], cwd, mcpServers = [] }: Partial<acp.NewSessionRequest> & { readonly cwd: string },
    stored?: Pick<OpenSession.Options, "stored" | "showsHistory">
  ) {
    if (stored?.stored !== undefined) yield* close(stored.stored)
    const scope = yield* Scope.fork(serverScope)
    const opened = Effect.gen(function*() {
      const folder = stored?.stored === undefined
        ? cwd
        : (yield* Effect.provide(FindSession.find(stored.stored), records)).cwd
      const session = yield* OpenSession.open(client, {
        values,
        capabilities,
        cwd: yield* WorkingFolder.open(host.cwd, folder),
        roots: yield* Effect.forEach(additionalDirectories, (root) => WorkingFolder.open(host.cwd, root)),
        mcpServers: Object.fromEntries(mcpServers.map(serverDefinition)),
        ...stored
      })
      return { session, state: yield* session.state }
    })
    const { session, state } = yield* opened.pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    sessions.set(session.id, { session, scope })
    yield* Effect.forkIn(announceCommands(client, session), scope)
    return { sessionId: session.id, ...description(state) }
  })

  const description = (state: Session) => ({
    modes: {
      currentModeId: state.settings.mode,
      availableModes: modes.map((id) => ({ id, name: modeNames[id].name, description: modeNames[id].description }))
    },
    configOptions: configOptions(state)
  })

  const operate = (id: string, operation: Operation) =>
    Effect.flatMap(find(id), ({ session }) => Effect.andThen(session.controller.run(operation), session.state))

  const setOption = (session: string, id: string, value: string): Operation | undefined =>
    id === "model"
      ? { _tag: "SetModel", session, model: ModelNames.qualify(value, undefined) }
      : id === "effort"
      ? { _tag: "SetEffort", session, effort: efforts.find((effort) => effort === value) ?? "medium" }
      : undefined

  const app = acp.agent({ name: "dacapo" })
    .onRequest(acp.methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return {
        protocolVersion: acp.PROTOCOL_VERSION,
        agentInfo: { name: "dacapo", version: host.environment.version },
        authMethods: [],
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} }
        }
      }
    })
    .onRequest(acp.methods.agent.session.new, ({ client, params }) => run(open(client, params)))
    .onRequest(
      acp.methods.agent.session.load,
      ({ client, params }) => run(open(client, params, { stored: params.sessionId, showsHistory: true }))
    )
    .onRequest(
      acp.methods.agent.session.resume,
      ({ client, params }) => run(open(client, { ...params, mcpServers: params.mcpServers ?? [] }, { stored: params.sessionId }))
    )
    .onRequest(acp.methods.agent.session.list, ({ params: { cursor, cwd } }) =>
      run(
        Effect.gen(function*() {
          const storage = yield* Storage
          const all = yield* storage.list({ parent: null, ...(cwd == null ? {} : { cwd }) })
          const start = cursor == null ? 0 : Number(cursor)
          return {
            sessions: all.slice(start, start + pageSize).map((summary) => ({
              sessionId: summary.id,
              cwd: summary.cwd,
              title: summary.title,
              updatedAt: new Date(summary.updated).toISOString()
            })),
            ...(all.length > start + pageSize ? { nextCursor: `${start + pageSize}` } : {})
          }
        }).pipe(Effect.provide(records))
      ))
    .onRequest(acp.methods.agent.session.close, ({ params }) => run(Effect.as(close(params.sessionId), {})))
    .onRequest(acp.methods.agent.session.delete, ({ params }) =>
      run(Effect.gen(function*() {
        yield* close(params.sessionId)
        yield* Effect.provide(Effect.flatMap(Storage, ({ remove }) => remove(params.sessionId)), records)
        return {}
      })))
    .onRequest(
      acp.methods.agent.session.prompt,
      ({ params }) => run(Effect.flatMap(find(params.sessionId), ({ session }) => session.prompt(PromptContent.of(params.prompt))))
    )
    .onNotification(
      acp.methods.agent.session.cancel,
      ({ params: { sessionId } }) =>
        run(Effect.ignore(operate(sessionId, { _tag: "Interrupt", session: sessionId, why: "Cancelled by the user." })))
    )
    .onRequest(acp.methods.agent.session.setMode, ({ params: { modeId, sessionId } }) => {
      const mode = modes.find((mode) => mode === modeId)
      return run(
        mode === undefined
          ? Effect.fail(new acp.RequestError(-32602, `${modeId} is not a mode of this session; expected one of ${modes.join(", ")}.`))
          : Effect.as(operate(sessionId, { _tag: "SetMode", session: sessionId, mode }), {})
      )
    })
    .onRequest(acp.methods.agent.session.setConfigOption, ({ params: { configId, sessionId, value } }) => {
      const operation = setOption(sessionId, configId, `${value}`)
      return run(
        operation === undefined
          ? Effect.fail(new acp.RequestError(-32602, `${configId} is not an option of this session; expected model or effort.`))
          : Effect.map(operate(sessionId, operation), (state) => ({ configOptions: configOptions(state) }))
      )
    })

  const { stdin, stdout } = host.terminal
  const stream = acp.ndJsonStream(
    Writable.toWeb(stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(stdin) as ReadableStream<Uint8Array>
  )
  const connection = yield* Effect.acquireRelease(Effect.sync(() => app.connect(stream)), (open) => Effect.sync(() => open.close()))
  yield* Effect.promise(() => connection.closed)
  yield* Effect.forEach([...sessions.keys()], close, { concurrency: "unbounded", discard: true })
})

/** Commands that the client may offer for completion: ours, and those of the user and the project. */
const announceCommands = Effect.fnUntraced(function*(client: acp.AgentContext, session: OpenSession.OpenSession) {
  const custom = yield* session.commands
  const availableCommands = [
    { name: "compact", description: "Compact the conversation", input: { hint: "instructions" } },
    ...custom.map(({ description = "", name }) => ({ name, description, input: { hint: "arguments" } }))
  ]
  yield* Effect.ignore(Effect.tryPromise(() =>
    client.notify(acp.methods.client.session.update, {
      sessionId: session.id,
      update: { sessionUpdate: "available_commands_update", availableCommands }
    })
  ))
})

const modeNames: Readonly<Record<Mode, { readonly name: string; readonly description: string }>> = {
  default: { name: "Default", description: "Asks before edits and commands" },
  acceptEdits: { name: "Accept edits", description: "Edits files in the workspace without asking" },
  plan: { name: "Plan", description: "Reads only, and presents a plan" },
  auto: { name: "Auto", description: "Runs commands that are known to be safe without asking" },
  dontAsk: { name: "Don't ask", description: "Denies whatever no rule allows" },
  bypassPermissions: { name: "Bypass permissions", description: "Allows everything that no rule denies" }
}

/** Models of the same provider, and the efforts of the current model. */
const configOptions = ({ settings: { model } }: Session): Array<acp.SessionConfigOption> => {
  const current = Model.title(model)
  const levels = ReasoningEffort.levels(model)
  const effort = [model.think, "medium" as const].find((one) => one !== undefined && levels.includes(one)) ?? levels[0]
  const others = Catalogue.models(model.provider).filter((other) => Model.title(other) !== current)
  return [
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: current,
      options: [model, ...others].map((one) => ({ value: Model.title(one), name: one.name }))
    },
    ...(effort === undefined ? [] : [
      {
        type: "select",
        id: "effort",
        name: "Effort",
        category: "thought_level",
        currentValue: effort,
        options: levels.map((value) => ({ value, name: value }))
      } satisfies acp.SessionConfigOption
    ])
  ]
}

const serverDefinition = (server: acp.McpServer) =>
  "url" in server
    ? [server.name, { type: server.type, url: server.url, headers: pairs(server.headers) }] as const
    : [server.name, { type: "stdio", command: server.command, args: server.args, env: pairs(server.env) }] as const

const pairs = (list: ReadonlyArray<{ readonly name: string; readonly value: string }>): Record<string, string> =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]))

/** An error of ours as one of the protocol: with its sentence, and the code that clients act on. */
const requestError = (error: unknown): acp.RequestError => {
  if (error instanceof acp.RequestError) return error
  const failure = error as ErrorMessage.Reported
  const { message, parts } = ErrorMessage.body(failure)
  if (failure._tag === "ControlError") return new acp.RequestError(-32602, message, parts)
  const isMissing = failure._tag === "LogError" && failure.reason._tag === "NotFound"
  const isAuth = failure._tag === "ProviderError" && failure.reason._tag === "Auth"
  return new acp.RequestError(isMissing ? -32002 : isAuth ? -32000 : -32603, message, parts)
}
