/** One server over the life of this process: disconnected, connected, or left alone for a while after a failure. */
import type { Client } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { optional } from "../../../domain/Optional.ts"
import type { Compiled } from "../../../domain/approval/Evaluation.ts"
import * as BrowserReach from "../../../domain/approval/BrowserReach.ts"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import * as Naming from "../../../domain/mcp/Naming.ts"
import type { ServerInfo, ServerTool } from "../../../domain/mcp/ServerTools.ts"
import * as SafeText from "../../../domain/message/SafeText.ts"
import * as Truncate from "../../../domain/tool/Truncate.ts"
import * as ParamSchema from "../../../domain/tool/ParamSchema.ts"
import type { SandboxError } from "../../../domain/tool/Sandbox.ts"
import type { Confine } from "../../workspace/shell/SandboxedShell.ts"
import type { Connection, Options } from "./Connect.ts"
import type { FetchWrapper } from "../oauth/TokenStore.ts"
import * as ResolveStart from "../ResolveStart.ts"

/** ms: the pause after its first failure, doubled after each further one up to a maximum; how long a call waits for it. */
const backoff = { initialMs: 500, maxMs: 60_000, maxWaitMs: 5_000 }

/** Limits: tools of one server; characters of a description, of its instructions, and of a schema as JSON. */
const limits = { tools: 1_000, description: 4_000, instructions: 4_000, schema: 30_000 }

/** Its last known offer. */
export interface ServerListing {
  readonly server: ServerInfo
  readonly tools: ReadonlyArray<ServerTool>
}

export interface ActiveConnection extends Connection {
  readonly client: Client
  readonly listing: Effect.Effect<ServerListing, McpError>
  /** What a rejected promise of the client means. */
  readonly failure: (cause: unknown) => McpError
}

export interface ServerConnection {
  readonly definition: Definition.Definition
  /** The connection, made if necessary; fails at once during a pause that is too long to wait for. */
  readonly connection: Effect.Effect<ActiveConnection, McpError>
  /** Whether it is paused now; then its previous offer still stands. */
  readonly isBackingOff: Effect.Effect<boolean>
  readonly lastListing: () => ServerListing | undefined
  /** The sessions whose calls it works on, the latest last. */
  readonly callers: Array<string>
  /** A request succeeded: earlier failures no longer count. */
  readonly reportSuccess: () => void
}

type ServerConnectionOptions = Omit<Options, "changed" | "closed" | "confine" | "marker" | "named" | "transport" | "wrap"> & {
  /** The current rules of the user's settings. */
  readonly rules: () => Compiled
  /** The sandbox for a local server, for as long as the scope is open. */
  readonly sandbox: Effect.Effect<Confine | undefined, SandboxError, Scope.Scope>
  /** The login for an address, if there is one. */
  readonly login: (url: string) => Effect.Effect<FetchWrapper>
}

/** A slot in a scope that outlives its connections. `marker` gives each process a name. */
export const make = Effect.fnUntraced(
  function*(
    options: ServerConnectionOptions,
    { callMs, callers, marker }: { readonly callMs: number; readonly callers: Array<string>; readonly marker: () => string }
  ) {
    const outer = yield* Effect.scope
    const lock = yield* Semaphore.make(1)
    const run = yield* FiberSet.makeRuntime<never>()
    const { definition } = options
    let current: { readonly connection: ActiveConnection; readonly scope: Scope.Closeable } | undefined
    let lastListing: ServerListing | undefined
    let failures = 0
    let retryAt = 0
    let lastError: McpError | undefined

    const clock = yield* Clock.Clock
    const recordFailure = (error: McpError): void => {
      lastError = error
      retryAt = clock.currentTimeMillisUnsafe() + Math.min(backoff.maxMs, backoff.initialMs * 2 ** failures++)
    }

    const connect = Effect.gen(function*() {
      const remainingMs = retryAt - (yield* Clock.currentTimeMillis)
      if (remainingMs > backoff.maxWaitMs) return yield* lastError!
      if (remainingMs > 0) yield* Effect.sleep(remainingMs)
      const startError = (reason: string) =>
        new McpError({ server: definition.name, reason: "NotStarted", message: `can't be started: ${reason}` })
      const resolution = ResolveStart.resolveStart(definition, options.cwd, options.variables)
      if (Result.isFailure(resolution)) return yield* startError(resolution.failure)
      const { start, transport } = resolution.success
      if (transport._tag === "Stdio" && start.program === undefined) {
        return yield* startError(
          `the program ${transport.command} was not found${
            transport.command.includes("/") ? "" : " on PATH (folders of this project don't count)"
          }`
        )
      }
      const { failure, open } = yield* Effect.promise(() => import("./Connect.ts"))
      const url = transport._tag === "Http" || transport._tag === "Sse" ? transport.url : undefined
      const wrap = url === undefined ? undefined : yield* options.login(url)
      const scope = yield* Scope.fork(outer)
      const confine = transport._tag !== "Stdio" ? undefined
        : yield* options.sandbox.pipe(Scope.provide(scope), Effect.mapError(({ message }) => startError(message)))
      let isStale = true
      let isClosed = false
      const connection = yield* open({
        ...options,
        transport,
        confine,
        named: (target) => url !== undefined && BrowserReach.serverHostMatcher(options.rules(), url)(target),
        ...optional({ wrap }),
        marker: marker(),
        changed: () => void (isStale = true),
        closed: () => {
          isClosed = true
          if (current?.scope !== scope) return
          current = undefined
          recordFailure(new McpError({ server: definition.name, reason: "Closed", message: "exited" }))
          run(Scope.close(scope, Exit.void)) // Whatever it left running ends with it
        }
      }).pipe(Scope.provide(scope), Effect.onError(() => Scope.close(scope, Exit.void)))
      const toError = (cause: unknown) => failure(definition.name, cause, connection.stderrTail())
      const listing = Effect.gen(function*() {
        if (!isStale && lastListing !== undefined) return lastListing
        isStale = false
        return lastListing = yield* Effect.tryPromise({
          try: (signal) => fetchListing(definition, connection.client, { signal, timeout: callMs }),
          catch: toError
        })
      })
      const active: ActiveConnection = { ...connection, listing, failure: toError }
      if (!isClosed) current = { connection: active, scope }
      return active
    }).pipe(Effect.tapError((error) => Effect.sync(() => error === lastError || recordFailure(error))))

    return {
      definition,
      connection: Effect.suspend(() => current === undefined ? connect : Effect.succeed(current.connection)).pipe(lock.withPermits(1)),
      isBackingOff: Effect.map(Clock.currentTimeMillis, (time) => current === undefined && retryAt > time),
      lastListing: () => lastListing,
      callers,
      reportSuccess: () => void (failures = 0)
    } satisfies ServerConnection as ServerConnection
  }
)

/** A server's offer, in our types and within our limits: its content is foreign text. */
const fetchListing = async (
  definition: Definition.Definition,
  client: Client,
  options: { readonly signal: AbortSignal; readonly timeout: number }
): Promise<ServerListing> => {
  const { prompts, resources, tools } = client.getServerCapabilities() ?? {}
  const definitions = tools === undefined ? [] : (await client.listTools(undefined, { ...options, cacheMode: "refresh" })).tools
  const instructions = client.getInstructions()
  return {
    server: {
      name: definition.name,
      resources: resources !== undefined,
      prompts: prompts !== undefined,
      ...(instructions === undefined || instructions.trim() === "" ? {}
        : { instructions: Truncate.line(SafeText.of(instructions), limits.instructions) })
    },
    tools: definitions.filter(({ name }) => Definition.includesTool(definition, name)).slice(0, limits.tools).map((
      { description, inputSchema, name, title }
    ): ServerTool => ({
      name: Naming.toolName(definition.name, name),
      server: definition.name,
      tool: name,
      description: Truncate.line(SafeText.of(description ?? title ?? name), limits.description),
      schema: schemaOf(inputSchema)
    })).sort((a, b) => a.name < b.name ? -1 : 1)
  }
}

/** The schema as given; one that would fill the window is replaced by an open one, and only the server validates. */
const schemaOf = (schema: object): ServerTool["schema"] => {
  const result = ParamSchema.inlineRefs(schema as ServerTool["schema"])
  return JSON.stringify(result).length > limits.schema ? { type: "object" } : result
}
