/**
 * Approvals of servers by the user. A project's server is bound to its complete start configuration, and to the tools
 * that it had when approved: changes are asked about again. Nobody is asked twice about the same thing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { SettingsError } from "../../../domain/config/SettingsError.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import * as Start from "../../../domain/mcp/Start.ts"
import type { Session } from "../../../domain/session/Session.ts"
import { Approval } from "../../../services/Approval.ts"
import { Approver } from "../../../services/Approver.ts"
import { Environment } from "../../../services/Environment.ts"
import type { JsonFiles } from "../../../services/JsonFiles.ts"
import type { ConfiguredServer } from "../../../services/Mcp.ts"
import * as ConsentFile from "../ConsentFile.ts"
import * as ResolveStart from "../ResolveStart.ts"
import * as Definition from "../../../domain/mcp/Definition.ts"
import * as Access from "../../../domain/tool/Access.ts"

// Whether a server may be started: the user's own files approve it by naming it; one that a project names is asked
// about, with everything that determines what starts. No rule decides that: a rule knows a name or a command, while the
// project controls the rest.

/** `isApproved`: the user approved exactly this before; `action` is its hash. */
export interface StartRequest {
  readonly server: ConfiguredServer
  readonly session: Session
  readonly start: Start.ServerStart
  readonly action: string
  readonly isApproved: boolean
}

/** `isNew`: the user approves it now. */
export type Verdict = { readonly refusal: string } | { readonly isNew: boolean }

/** How to allow a server when nobody is asked. */
export const remedy = (server: string): string => `Run \`dacapo mcp allow ${server}\` to see what it starts, and to allow it`

export const judge = Effect.fn("Mcp.permit")(
  function*(
    { action, isApproved, server: { definition, file, isUserDefined }, session, start }: StartRequest
  ): Effect.fn.Return<Verdict, never, Approval | Approver> {
    const approval = yield* Approval
    const startText = Definition.commandLine(definition)
    const { _tag: kind } = definition.transport
    const access = kind === "Program" ? [] : [kind === "Stdio" ? Access.command(startText, start.cwd) : Access.fetch(startText)]
    const verdict = approval.judge({ name: "mcp", kind: "command", tags: ["mcp"], access, requestsApproval: false }, session)
    // What no rule denies (plan mode, an address of this machine) is for the user to decide.
    if (verdict.decision === "deny" && verdict.rule !== undefined) return { refusal: verdict.reason }
    const { mode } = session.settings
    if (isUserDefined || isApproved || mode === "bypassPermissions") return { isNew: false }
    if (mode === "dontAsk") return { refusal: `mode dontAsk refuses whatever needs approval. ${remedy(definition.name)}` }
    const { by, decision, words: message = "it was not allowed" } = yield* (yield* Approver).ask({
      session: session.id,
      call: { _tag: "ToolCall", id: `mcp:${definition.name}`, name: "mcp", params: { server: definition.name, start: startText } },
      action,
      access,
      // What a repository names runs until the session ends.
      risk: "high",
      reason: `${file} defines the MCP server ${definition.name}${kind === "Stdio" ? ", which runs until the session ends" : ""}. ${
        Start.details(start).join(". ")
      }. Approval holds until any of this changes.`,
      offer: []
    })
    if (decision === "allow") return { isNew: true }
    return { refusal: by === "nobody" ? `${message.replace(/\.$/, "")}. ${remedy(definition.name)}` : message }
  }
)

export interface StartApproval {
  /** Undefined if a session may start it, else why not. */
  readonly refusal: (server: ConfiguredServer, session: Session) => Effect.Effect<string | undefined>
  /** Whether the session was allowed to. */
  readonly isAllowed: (server: ConfiguredServer, cwd: string, session: string) => boolean
  /** Whether the user approved its current definition, in this session or another; their own servers need no approval. */
  readonly isApproved: (server: ConfiguredServer, cwd: string) => Effect.Effect<boolean>
  /** The user approves its current definition, and the tools that it lists next; returns a description. */
  readonly approve: (server: ConfiguredServer, cwd: string) => Effect.Effect<ReadonlyArray<string>, McpError | SettingsError>
}

type Requirements = Approval | Approver | Environment | JsonFiles

export const make = Effect.fnUntraced(function*(services: Context.Context<Requirements>) {
  const { variables } = Context.get(services, Environment)
  const lock = yield* Semaphore.make(1)
  /** By session and hash: undefined for an approval, else why not. */
  const refusals = new Map<string, string | undefined>()
  const hashOf = ({ definition }: ConfiguredServer, cwd: string) => ResolveStart.hash(definition, cwd, variables)
  const keyOf = (session: string, hash: string) => `${session} ${hash}`

  const hasApproval = Effect.fnUntraced(function*(server: ConfiguredServer, cwd: string) {
    const entry = yield* ConsentFile.read(cwd, server.definition.name)
    return server.isUserDefined || entry.start === hashOf(server, cwd)
  })

  const approve: StartApproval["approve"] = Effect.fnUntraced(function*(server, cwd) {
    const { name } = server.definition
    const resolution = ResolveStart.resolveStart(server.definition, cwd, variables)
    if (Result.isFailure(resolution))
      return yield* new McpError({ server: name, reason: "NotStarted", message: `can't be started: ${resolution.failure}` })
    yield* ConsentFile.write(cwd, name, { start: hashOf(server, cwd) })
    return Start.details(resolution.success.start)
  }, Effect.provide(services))

  const decide = Effect.fnUntraced(function*(server: ConfiguredServer, session: Session, action: string) {
    const resolution = ResolveStart.resolveStart(server.definition, session.cwd, variables)
    // The user's own servers are approved when they are started.
    if (Result.isFailure(resolution)) return server.isUserDefined ? undefined : resolution.failure
    const isApproved = yield* hasApproval(server, session.cwd)
    // A decision for a session also applies to those that it starts.
    const key = keyOf(session.parent ?? session.id, action)
    if (!isApproved && refusals.has(key)) return refusals.get(key)
    const verdict = yield* judge({ server, session, start: resolution.success.start, action, isApproved })
    if ("refusal" in verdict) return verdict.refusal
    // An approval that can't be saved applies to this session.
    if (verdict.isNew) yield* Effect.ignore(approve(server, session.cwd))
    return undefined
  })

  return {
    refusal: (server, session) =>
      Effect.suspend(() => {
        const action = hashOf(server, session.cwd)
        return Effect.tap(Effect.provide(decide(server, session, action), services), (refusal) =>
          Effect.sync(() =>
            refusals.set(keyOf(session.parent ?? session.id, action), refusal).set(keyOf(session.id, action), refusal)
          ))
      }).pipe(lock.withPermits(1)),
    isAllowed: (server, cwd, session) => {
      const key = keyOf(session, hashOf(server, cwd))
      return refusals.has(key) && refusals.get(key) === undefined
    },
    isApproved: (server, cwd) => Effect.provide(hasApproval(server, cwd), services),
    approve
  } satisfies StartApproval as StartApproval
})
