/** One server over the life of this process: not there, connected, or left alone for a while after it failed. */
import type { Client } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import * as Naming from "../../../domain/mcp/Naming.ts"
import type { OfferedServer, OfferedTool } from "../../../domain/mcp/ServerTools.ts"
import * as Printable from "../../../domain/message/SafeText.ts"
import * as Clip from "../../../domain/tool/Clip.ts"
import * as ParamSchema from "../../../domain/tool/ParamSchema.ts"
import type { Connection, Options } from "./Connect.ts"
import type { Wrap } from "../oauth/TokenStore.ts"

/** ms: how long it is left alone after its first failure, twice as long after each more, and at most; how long a call waits for that. */
const pause = { first: 500, most: 60_000, waited: 5_000 }

/** Tools of one server; characters of a description, of its instructions, and of a schema as JSON. */
const limits = { tools: 1_000, description: 4_000, instructions: 4_000, schema: 30_000 }

/** What it was last heard to give. */
export interface Given {
  readonly server: OfferedServer
  readonly tools: ReadonlyArray<OfferedTool>
}

export interface Connected extends Connection {
  readonly client: Client
  readonly given: Effect.Effect<Given, McpError>
  /** What a rejected promise of the client means. */
  readonly failure: (cause: unknown) => McpError
}

export interface Slot {
  readonly definition: Definition.Definition
  /** The connection, made where there is none; fails at once while it is left alone for longer than anyone waits. */
  readonly connected: Effect.Effect<Connected, McpError>
  /** Whether it is left alone now; then what it gave before is still its word. */
  readonly resting: Effect.Effect<boolean>
  readonly last: () => Given | undefined
  /** The sessions whose calls it works on, the latest last. */
  readonly callers: Array<string>
  /** It did what it was asked: earlier failures count no more. */
  readonly worked: () => void
}

type Ask = Omit<Options, "changed" | "closed" | "marker" | "transport" | "wrap"> & {
  /** The login at an address, where there is one. */
  readonly login: (url: string) => Effect.Effect<Wrap>
}

/** A slot in a scope that outlives its connections. `marker` gives each process a name. */
export const make = Effect.fnUntraced(function*(asked: Ask, { callMs, callers, marker }: { readonly callMs: number; readonly callers: Array<string>; readonly marker: () => string }) {
  const outer = yield* Effect.scope
  const turn = yield* Semaphore.make(1)
  const run = yield* FiberSet.makeRuntime<never>()
  const { definition } = asked
  let now: { readonly connected: Connected; readonly scope: Scope.Closeable } | undefined
  let last: Given | undefined
  let failures = 0
  let until = 0
  let why: McpError | undefined

  const failed = (error: McpError) => Effect.map(Clock.currentTimeMillis, (time) => {
    why = error
    until = time + Math.min(pause.most, pause.first * 2 ** failures++)
  })

  const connect = Effect.gen(function*() {
    const left = until - (yield* Clock.currentTimeMillis)
    if (left > pause.waited) return yield* why!
    if (left > 0) yield* Effect.sleep(left)
    const transport = Definition.filled(definition.transport, asked.variables)
    if (Result.isFailure(transport)) return yield* new McpError({ server: definition.name, reason: "NotStarted", message: `can't be started: ${transport.failure}` })
    const { failure, open } = yield* Effect.promise(() => import("./Connect.ts"))
    const wrap = transport.success._tag === "Stdio" ? undefined : yield* asked.login(transport.success.url)
    const scope = yield* Scope.fork(outer)
    let stale = true
    let closed = false
    const clock = yield* Clock.Clock
    const connection = yield* open({
      ...asked,
      transport: transport.success,
      ...(wrap === undefined ? {} : { wrap }),
      marker: marker(),
      changed: () => void (stale = true),
      closed: () => {
        closed = true
        if (now?.scope !== scope) return
        now = undefined
        why = new McpError({ server: definition.name, reason: "Closed", message: "ended by itself" })
        until = clock.currentTimeMillisUnsafe() + Math.min(pause.most, pause.first * 2 ** failures++)
        run(Scope.close(scope, Exit.void)) // whatever it left running ends with it
      }
    }).pipe(Scope.provide(scope), Effect.onError(() => Scope.close(scope, Exit.void)))
    const told = (cause: unknown) => failure(definition.name, cause, connection.words())
    const given = Effect.gen(function*() {
      if (!stale && last !== undefined) return last
      stale = false
      return last = yield* Effect.tryPromise({
        try: (signal) => listed(definition, connection.client, { signal, timeout: callMs }),
        catch: told
      })
    })
    const connected: Connected = { ...connection, given, failure: told }
    if (!closed) now = { connected, scope }
    return connected
  }).pipe(Effect.tapError((error) => error === why ? Effect.void : failed(error)))

  return {
    definition,
    connected: Effect.suspend(() => now === undefined ? connect : Effect.succeed(now.connected)).pipe(turn.withPermits(1)),
    resting: Effect.map(Clock.currentTimeMillis, (time) => now === undefined && until > time),
    last: () => last,
    callers,
    worked: () => void (failures = 0)
  } satisfies Slot as Slot
})

/** What a server gives, in our words and within our limits: what it says is foreign text. */
const listed = async (definition: Definition.Definition, client: Client, options: { readonly signal: AbortSignal; readonly timeout: number }): Promise<Given> => {
  const { prompts, resources, tools } = client.getServerCapabilities() ?? {}
  const found = tools === undefined ? [] : (await client.listTools(undefined, { ...options, cacheMode: "refresh" })).tools
  const instructions = client.getInstructions()
  return {
    server: {
      name: definition.name,
      resources: resources !== undefined,
      prompts: prompts !== undefined,
      ...(instructions === undefined || instructions.trim() === "" ? {} : { instructions: Clip.line(Printable.of(instructions), limits.instructions) })
    },
    tools: found.filter(({ name }) => Definition.wants(definition, name)).slice(0, limits.tools).map(({ description, inputSchema, name, title }): OfferedTool => ({
      name: Naming.toolName(definition.name, name),
      server: definition.name,
      tool: name,
      description: Clip.line(Printable.of(description ?? title ?? name), limits.description),
      schema: schemaOf(inputSchema)
    })).sort((a, b) => a.name < b.name ? -1 : 1)
  }
}

/** The schema as it was given; one that would fill the window says nothing, and the server judges alone. */
const schemaOf = (schema: object): OfferedTool["schema"] => {
  const written = ParamSchema.written(schema as OfferedTool["schema"])
  return JSON.stringify(written).length > limits.schema ? { type: "object" } : written
}
