/** What is asked of servers that run: calls of tools, resources. */
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"
import * as Content from "../../../domain/mcp/Content.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import * as Printable from "../../../domain/message/SafeText.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import type { Servers } from "../../../services/Mcp.ts"
import type { Storage } from "../../../services/Storage.ts"
import { ToolContext } from "../../../services/Tool.ts"
import * as Outcomes from "./CallOutcome.ts"
import type { Connected, Slot } from "./ServerConnection.ts"

/** ms that a call may take where it tells of its progress all the while. */
const longest = 10 * 60_000

/** A server that a session may use, and how long it may take for a call, in ms. */
export interface Found {
  readonly slot: Slot
  readonly callMs: number
}

export interface Asked {
  /** Fails for one that is not there, or that was not allowed to start for the session. */
  readonly find: (cwd: string, session: string, server: string) => Effect.Effect<Found, McpError>
  /** Those that the session may use. */
  readonly all: (cwd: string, session: string) => Effect.Effect<ReadonlyArray<Found>>
}

export const make = ({ all, find }: Asked, services: Context.Context<Storage>): Pick<Servers, "call" | "read" | "resources"> => {
  const told = (server: string) => (error: McpError) => Effect.succeed(Outcome.failed(`The MCP server ${server} ${error.message}.${next[error.reason] ?? ""}`))

  const call: Servers["call"] = Effect.fn("Mcp.call")(function*(server, tool, input) {
    const { cwd, output, session } = yield* ToolContext
    return yield* Effect.gen(function*() {
      const { callMs, slot } = yield* find(cwd, session, server)
      const connected = yield* slot.connected
      const result = yield* working(slot, session, ask(slot, connected, (signal) =>
        connected.client.callTool({ name: tool, arguments: input }, {
          signal,
          timeout: callMs,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: Math.max(callMs, longest),
          onprogress: ({ message = "", progress, total }) => output(`${message} ${progress}${total === undefined ? "" : `/${total}`}\n`.trimStart())
        })))
      return yield* Outcomes.of(said(result), result.isError === true)
    }).pipe(Effect.catch(told(server)))
  }, Effect.provide(services))

  const list = (found: Found) =>
    Effect.gen(function*() {
      const connected = yield* found.slot.connected
      const given = yield* connected.given
      if (!given.server.resources) return []
      return yield* ask(found.slot, connected, async (signal) => {
        const options = { signal, timeout: found.callMs }
        const { resources } = await connected.client.listResources(undefined, options)
        const { resourceTemplates } = await connected.client.listResourceTemplates(undefined, options).catch(() => ({ resourceTemplates: [] }))
        const line = (uri: string, { description, name }: { readonly name: string; readonly description?: string | undefined }) =>
          `${given.server.name}: ${uri} (${name}${description === undefined ? "" : `: ${description}`})`
        return [...resources.map((one) => line(one.uri, one)), ...resourceTemplates.map((one) => line(one.uriTemplate, one))]
      })
    })

  const read: Servers["read"] = Effect.fn("Mcp.read")(function*(server, uri) {
    const { cwd, session } = yield* ToolContext
    return yield* Effect.gen(function*() {
      const { callMs, slot } = yield* find(cwd, session, server)
      const connected = yield* slot.connected
      const { contents } = yield* ask(slot, connected, (signal) => connected.client.readResource({ uri }, { signal, timeout: callMs }))
      return yield* Outcomes.of(contents.map((one) => Content.ofResource(one as Content.Contents)), false)
    }).pipe(Effect.catch(told(server)))
  }, Effect.provide(services))

  const resources: Servers["resources"] = Effect.fn("Mcp.resources")(function*(server) {
    const { cwd, session } = yield* ToolContext
    const found = server === undefined ? all(cwd, session) : Effect.map(find(cwd, session, server), (one) => [one])
    return yield* Effect.flatMap(found, (found) => Effect.forEach(found, list, { concurrency: "unbounded" })).pipe(
      Effect.map((lists) => Outcome.succeeded(Printable.of(lists.flat().join("\n")) || "There are no resources.")),
      Effect.catch((error) => told(error.server)(error))
    )
  })

  return { call, read, resources }
}

/** While it works on a call, what the server itself asks for is asked for the session of that call. */
const working = <A, E, R>({ callers }: Slot, session: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => void callers.push(session)),
    () => work,
    () => Effect.sync(() => void callers.splice(callers.lastIndexOf(session), 1))
  )

/** One request; what it answers shows that the server works. */
export const ask = <A>(slot: Slot, connected: Connected, request: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, McpError> =>
  Effect.tap(Effect.tryPromise({ try: request, catch: connected.failure }), () => Effect.sync(slot.worked))

const next: Readonly<Partial<Record<McpError["reason"], string>>> = {
  Closed: " It is started again with the next call.",
  Timeout: " Try with less, or another way."
}

/** Structured content is told where no text says it. */
const said = ({ content = [], structuredContent }: { readonly content?: ReadonlyArray<unknown>; readonly structuredContent?: unknown }): ReadonlyArray<Content.Said> =>
  content.length === 0 && structuredContent !== undefined ? [{ _tag: "Text", text: JSON.stringify(structuredContent) }] : content.map(Content.ofBlock)
