/** Requests to running servers: calls of tools, resources. */
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"
import * as Content from "../../../domain/mcp/Content.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import * as SafeText from "../../../domain/message/SafeText.ts"
import * as TraceContext from "../../../domain/telemetry/TraceContext.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import * as ResultView from "../../../domain/tool/ResultView.ts"
import type { Servers } from "../../../services/Mcp.ts"
import type { Storage } from "../../../services/Storage.ts"
import { Telemetry } from "../../../services/process/Telemetry.ts"
import { ToolContext } from "../../../services/Tool.ts"
import * as AttachView from "../../extension/AttachView.ts"
import * as CallOutcome from "./CallOutcome.ts"
import type { ActiveConnection, ServerConnection } from "./ServerConnection.ts"

/** ms that a call may take in total while it reports progress. */
const maxTotalTimeoutMs = 10 * 60_000

/** A server that a session may use, and its call timeout in ms. */
export interface PooledConnection {
  readonly slot: ServerConnection
  readonly callMs: number
}

export interface ServerLookup {
  /** Fails for one that does not exist, or that was not allowed to start for the session. */
  readonly find: (cwd: string, session: string, server: string) => Effect.Effect<PooledConnection, McpError>
  /** Those that the session may use. */
  readonly all: (cwd: string, session: string) => Effect.Effect<ReadonlyArray<PooledConnection>>
}

/** Where the conventions for MCP expect it: in the request's `_meta`. */
const parentSpan = (span: TraceContext.TraceContext | undefined) =>
  span === undefined ? {} : { _meta: { traceparent: TraceContext.format(span) } }

export const make = ({ all, find }: ServerLookup, services: Context.Context<Storage>): Pick<Servers, "call" | "read" | "resources"> => {
  const failureOutcome = (server: string) => (error: McpError) =>
    Effect.succeed(Outcome.failed(`The MCP server ${server} ${error.message}.${hints[error.reason] ?? ""}`))

  const call: Servers["call"] = Effect.fn("Mcp.call")(function*(server, tool, input) {
    const { call, cwd, output, session } = yield* ToolContext
    const telemetry = yield* Telemetry
    return yield* Effect.gen(function*() {
      const { callMs, slot } = yield* find(cwd, session, server)
      const connection = yield* slot.connection
      const result = yield* withCaller(
        slot,
        session,
        send(
          slot,
          connection,
          (signal) =>
            connection.client.callTool({ name: tool, arguments: input, ...parentSpan(telemetry.spanOf(session, call)) }, {
              signal,
              timeout: callMs,
              resetTimeoutOnProgress: true,
              maxTotalTimeout: Math.max(callMs, maxTotalTimeoutMs),
              onprogress: ({ message = "", progress, total }) =>
                output(`${message} ${progress}${total === undefined ? "" : `/${total}`}\n`.trimStart())
            })
        )
      )
      const outcome = yield* CallOutcome.of(contentOf(result), result.isError === true)
      const view = outcome.status === "succeeded" ? ResultView.ofStructured(result.structuredContent) : undefined
      return view === undefined ? outcome : yield* AttachView.attach(outcome, view)
    }).pipe(Effect.catch(failureOutcome(server)))
  }, Effect.provide(services))

  const list = (entry: PooledConnection) =>
    Effect.gen(function*() {
      const connection = yield* entry.slot.connection
      const listing = yield* connection.listing
      if (!listing.server.resources) return []
      return yield* send(entry.slot, connection, async (signal) => {
        const options = { signal, timeout: entry.callMs }
        const { resources } = await connection.client.listResources(undefined, options)
        const { resourceTemplates } = await connection.client.listResourceTemplates(undefined, options).catch(() => ({
          resourceTemplates: []
        }))
        const line = (uri: string, { description, name }: { readonly name: string; readonly description?: string | undefined }) =>
          `${listing.server.name}: ${uri} (${name}${description === undefined ? "" : `: ${description}`})`
        return [...resources.map((one) => line(one.uri, one)), ...resourceTemplates.map((one) => line(one.uriTemplate, one))]
      })
    })

  const read: Servers["read"] = Effect.fn("Mcp.read")(function*(server, uri) {
    const { cwd, session } = yield* ToolContext
    return yield* Effect.gen(function*() {
      const { callMs, slot } = yield* find(cwd, session, server)
      const connection = yield* slot.connection
      const { contents } = yield* send(slot, connection, (signal) => connection.client.readResource({ uri }, { signal, timeout: callMs }))
      return yield* CallOutcome.of(contents.map((one) => Content.ofResource(one as Content.Contents)), false)
    }).pipe(Effect.catch(failureOutcome(server)))
  }, Effect.provide(services))

  const resources: Servers["resources"] = Effect.fn("Mcp.resources")(function*(server) {
    const { cwd, session } = yield* ToolContext
    const entries = server === undefined ? all(cwd, session) : Effect.map(find(cwd, session, server), (one) => [one])
    return yield* Effect.flatMap(entries, (entries) => Effect.forEach(entries, list, { concurrency: "unbounded" })).pipe(
      Effect.map((lists) => Outcome.succeeded(SafeText.of(lists.flat().join("\n")) || "No resources are available.")),
      Effect.catch((error) => failureOutcome(error.server)(error))
    )
  })

  return { call, read, resources }
}

/** While it works on a call, the server's own requests count as made for the session of that call. */
const withCaller = <A, E, R>({ callers }: ServerConnection, session: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => void callers.push(session)),
    () => effect,
    () => Effect.sync(() => void callers.splice(callers.lastIndexOf(session), 1))
  )

/** One request; a response shows that the server works. */
export const send = <A>(
  slot: ServerConnection,
  connection: ActiveConnection,
  request: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, McpError> =>
  Effect.tap(Effect.tryPromise({ try: request, catch: connection.failure }), () => Effect.sync(slot.reportSuccess))

const hints: Readonly<Partial<Record<McpError["reason"], string>>> = {
  Closed: " It will be restarted with the next call.",
  Timeout: " Try a smaller request, or another way."
}

/** Structured content is included if no text represents it. */
const contentOf = (
  { content = [], structuredContent }: { readonly content?: ReadonlyArray<unknown>; readonly structuredContent?: unknown }
): ReadonlyArray<Content.ContentPart> =>
  content.length === 0 && structuredContent !== undefined ? [Content.ofValue(structuredContent)]
    : content.map(Content.ofBlock)
