/** What all servers of a session give now, against what it knows: asked before each of its requests. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Offer } from "../../../domain/mcp/ServerTools.ts"
import type { Session } from "../../../domain/session/Session.ts"
import type { Servers } from "../../../services/Mcp.ts"
import type { Consent } from "./StartApproval.ts"
import type { Directory } from "./ServerDirectory.ts"
import type { Pool } from "./ConnectionPool.ts"
import type { Slot } from "./ServerConnection.ts"

export const make = ({ load }: Directory, { refusal }: Consent, { slot }: Pool): Servers["renewed"] => {
  /** Notes that a session was told. */
  const told = new Set<string>()
  const untold = (session: Session, notes: ReadonlyArray<string>) =>
    notes.filter((note) => {
      const key = `${session.parent ?? session.id} ${note}`
      return !told.has(key) && told.add(key)
    })

  return Effect.fn("Mcp.renewed")(function*(session: Session) {
    const loaded = yield* Effect.result(load(session.cwd))
    if (Result.isFailure(loaded)) return undefined // settings that can't be read are told where they are needed
    const { notes, servers, timeouts } = loaded.success
    const refused: Array<string> = []
    const wanted: Array<Slot> = []
    for (const known of servers.filter(({ definition }) => !definition.disabled)) {
      const why = yield* refusal(known, session)
      if (why === undefined) wanted.push((yield* slot(session.cwd, known, timeouts)).slot)
      else refused.push(`The MCP server ${known.definition.name} is not started: ${why}.`)
    }
    const all = yield* Effect.forEach(wanted, given, { concurrency: "unbounded" })
    const found = all.flatMap((one) => Result.isSuccess(one) && one.success !== undefined ? [one.success] : [])
    const failed = all.flatMap((one) => Result.isFailure(one) ? [`The MCP server ${one.failure.server} ${one.failure.message}. Its tools are not there.`] : [])
    const offer: Offer = { servers: found.map(({ server }) => server), tools: found.flatMap(({ tools }) => tools) }
    const news = untold(session, [...notes, ...refused, ...failed])
    return news.length === 0 && JSON.stringify(offer) === JSON.stringify(session.offer) ? undefined : { offer, notes: news }
  })
}

/** What one server gives now, or what is to be told of it. */
const given = Effect.fnUntraced(function*(slot: Slot) {
  if (yield* slot.resting) return Result.succeed(slot.last())
  return yield* Effect.result(Effect.flatMap(slot.connected, ({ given }) => given))
})
