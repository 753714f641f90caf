/**
 * Which MCP tools reach the model. Those that it listed first after it was approved do; a project's tool that
 * is new or changed since waits for the user's approval. Changes in the user's own servers are reported and offered.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Changes from "../../domain/mcp/Changes.ts"
import type { ServerTool } from "../../domain/mcp/ServerTools.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Access from "../../domain/tool/Access.ts"
import { Approver } from "../../services/Approver.ts"
import { Environment } from "../../services/Environment.ts"
import type { JsonFiles } from "../../services/JsonFiles.ts"
import type { ConfiguredServer } from "../../services/Mcp.ts"
import { ofJson, sha256 } from "../storage/Digest.ts"
import * as ConsentFile from "./ConsentFile.ts"
import type { ServerListing } from "./client/ServerConnection.ts"
import * as ResolveStart from "./ResolveStart.ts"

/** `notes` report what is held back or has changed. */
export interface ApprovedListing {
  readonly offered: ServerListing
  readonly notes: ReadonlyArray<string>
}

export type ToolConsent = (server: ConfiguredServer, session: Session, listing: ServerListing) => Effect.Effect<ApprovedListing>

type Requirements = Approver | Environment | JsonFiles

export const make = Effect.fnUntraced(function*(services: Context.Context<Requirements>) {
  const lock = yield* Semaphore.make(1)
  const { variables } = Context.get(services, Environment)
  const decisions = new Map<string, boolean>()
  /** What this process accepted, in case it can't be saved. */
  const acceptedHashes = new Map<string, ConsentFile.Hashes>()

  const askUser = Effect.fnUntraced(
    function*(
      { definition: { name }, file }: ConfiguredServer,
      session: Session,
      newTools: ReadonlyArray<ServerTool>,
      changes: string,
      action: string
    ) {
      const key = `${session.parent ?? session.id} ${action}`
      const previousDecision = decisions.get(key)
      if (previousDecision !== undefined) return previousDecision
      const { decision } = yield* (yield* Approver).ask({
        session: session.id,
        call: { _tag: "ToolCall", id: `mcp:${name}:tools`, name: "mcp", params: { server: name, tools: changes } },
        action,
        access: [Access.other("offer_changed_mcp_tools", { server: name, changes })],
        risk: "high",
        reason: `the MCP server ${name} of ${file} has other tools than those you approved; the model reads their descriptions`,
        offer: [],
        diff: newTools.map(({ description, schema, tool }) => `+${tool}: ${description}\n+  ${JSON.stringify(schema)}`).join("\n")
      })
      decisions.set(key, decision === "allow")
      return decision === "allow"
    }
  )

  const approveListing: (
    server: ConfiguredServer,
    session: Session,
    listing: ServerListing
  ) => Effect.Effect<ApprovedListing, never, Requirements> = Effect.fn("Mcp.tools")(function*(server, session, listing) {
    const { definition: { name }, isUserDefined } = server
    const { mode } = session.settings
    if (!isUserDefined && mode === "bypassPermissions") return { offered: listing, notes: [] }
    const hashes = hashesOf(listing)
    const start = ResolveStart.hash(server.definition, session.cwd, variables)
    const entry = yield* ConsentFile.read(session.cwd, name)
    const previousHashes = (entry.start === start ? entry.tools : undefined) ?? acceptedHashes.get(start)
    const accept = Effect.suspend(() => {
      acceptedHashes.set(start, hashes)
      return Effect.ignore(ConsentFile.write(session.cwd, name, { start, tools: hashes }))
    })
    if (previousHashes === undefined) return yield* Effect.as(accept, { offered: listing, notes: [] })
    const changes = Changes.compareHashes(previousHashes, hashes)
    if (!Changes.hasUnapproved(changes)) return { offered: listing, notes: [] }
    const summary = Changes.summary(changes)
    if (isUserDefined)
      return yield* Effect.as(accept, { offered: listing, notes: [`The MCP server ${name} has other tools than before (${summary}).`] })
    const { acceptedListing, newTools } = splitChanges(listing, changes)
    const action = ofJson(["mcp tools", name, hashes])
    if (mode !== "dontAsk" && (yield* askUser(server, session, newTools, summary, action)))
      return yield* Effect.as(accept, { offered: listing, notes: [] })
    return {
      offered: acceptedListing,
      notes: [
        `The MCP server ${name} has other tools than those you approved (${summary}), which are not offered. Run \`dacapo mcp allow ${name}\` to see and allow them.`
      ]
    }
  })

  return ((server, session, listing) =>
    Effect.provide(approveListing(server, session, listing), services).pipe(lock.withPermits(1))) satisfies ToolConsent as ToolConsent
})

/** The first tools that a server lists after its approval count as approved. */
export const acceptFirst = Effect.fnUntraced(function*({ definition: { name } }: ConfiguredServer, cwd: string, listing: ServerListing) {
  const entry = yield* ConsentFile.read(cwd, name)
  if (entry.start !== undefined && entry.tools === undefined)
    yield* Effect.ignore(ConsentFile.write(cwd, name, { ...entry, tools: hashesOf(listing) }))
})

/** Its offer without the unapproved parts, and those parts. */
const splitChanges = ({ server, tools }: ServerListing, { added, changed }: Changes.Changes) => {
  const names = new Set([...added, ...changed])
  const { instructions, ...rest } = server
  const isUnchanged = !names.has(Changes.instructionsKey)
  const instructionChanges: ReadonlyArray<ServerTool> = isUnchanged || instructions === undefined ? []
    : [{ name: "instructions", server: server.name, tool: "instructions", description: instructions, schema: {} }]
  return {
    acceptedListing: { server: isUnchanged ? server : rest, tools: tools.filter(({ tool }) => !names.has(tool)) } satisfies ServerListing,
    newTools: [...instructionChanges, ...tools.filter(({ tool }) => names.has(tool))]
  }
}

/** Once per list of a server: it is the same object until the server sends another. */
const hashCache = new WeakMap<ServerListing, ConsentFile.Hashes>()

const hashesOf = (listing: ServerListing): ConsentFile.Hashes => {
  const cachedHashes = hashCache.get(listing)
  if (cachedHashes !== undefined) return cachedHashes
  const { server: { instructions }, tools } = listing
  const hashes = Object.fromEntries([
    ...(instructions === undefined ? [] : [[Changes.instructionsKey, sha256(instructions)]]),
    ...tools.map((tool) => [tool.tool, sha256(Changes.textOf(tool))])
  ]) as ConsentFile.Hashes
  hashCache.set(listing, hashes)
  return hashes
}
