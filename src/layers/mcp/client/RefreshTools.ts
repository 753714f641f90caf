/** Compares what all servers of a session offer with what it knows: checked before each of its requests. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ServerTools } from "../../../domain/mcp/ServerTools.ts"
import type { Session } from "../../../domain/session/Session.ts"
import type { ConfiguredServer, Servers } from "../../../services/Mcp.ts"
import type { StartApproval } from "./StartApproval.ts"
import type { Directory } from "./ServerDirectory.ts"
import type { ConnectionPool } from "./ConnectionPool.ts"
import type { ServerConnection } from "./ServerConnection.ts"
import type { ToolConsent } from "../ToolConsent.ts"

export const make = ({ load }: Directory, { refusal }: StartApproval, tools: ToolConsent, { slot }: ConnectionPool): Servers["refresh"] => {
  /** Notes already shown to a session. */
  const reportedNotes = new Set<string>()
  const unreported = (session: Session, notes: ReadonlyArray<string>) =>
    notes.filter((note) => {
      const key = `${session.parent ?? session.id} ${note}`
      return !reportedNotes.has(key) && reportedNotes.add(key)
    })

  return Effect.fn("Mcp.renewed")(function*(session: Session) {
    const settings = yield* Effect.result(load(session.cwd))
    if (Result.isFailure(settings)) return undefined // Invalid settings are reported where they are needed
    const { notes, servers } = settings.success
    const refusals: Array<string> = []
    const approvedServers: Array<{ readonly server: ConfiguredServer; readonly slot: ServerConnection }> = []
    for (const server of servers.filter(({ definition }) => !definition.disabled)) {
      const reason = yield* refusal(server, session)
      if (reason === undefined) approvedServers.push({ server, slot: (yield* slot(session.cwd, server, settings.success)).slot })
      else refusals.push(`The MCP server ${server.definition.name} was not started: ${reason}.`)
    }
    const results = yield* Effect.forEach(approvedServers, ({ slot }) => listingOf(slot), { concurrency: "unbounded" })
    const offers = yield* Effect.forEach(
      results.flatMap((one, i) =>
        Result.isSuccess(one) && one.success !== undefined ? [{ server: approvedServers[i]!.server, listing: one.success }] : []
      ),
      ({ listing, server }) => tools(server, session, listing)
    )
    const listings = offers.map(({ offered: listing }) => listing)
    const failed = results.flatMap((one) =>
      Result.isFailure(one) ? [`The MCP server ${one.failure.server} ${one.failure.message}. Its tools are unavailable.`] : []
    )
    const offer: ServerTools = { servers: listings.map(({ server }) => server), tools: listings.flatMap(({ tools }) => tools) }
    const newNotes = unreported(session, [...notes, ...refusals, ...failed, ...offers.flatMap(({ notes }) => notes)])
    return newNotes.length === 0 && JSON.stringify(offer) === JSON.stringify(session.offer) ? undefined : { offer, notes: newNotes }
  })
}

/** What one server offers now, or what to report about it. */
const listingOf = Effect.fnUntraced(function*(slot: ServerConnection) {
  if (yield* slot.isBackingOff) return Result.succeed(slot.lastListing())
  return yield* Effect.result(Effect.flatMap(slot.connection, ({ listing }) => listing))
})
