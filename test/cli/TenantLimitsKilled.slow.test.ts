/** Runners are killed while tenants are at their limits: no more is admitted than they allow, and what was admitted becomes free again. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setTimeout } from "node:timers/promises"
import * as Connection from "../../src/layers/storage/postgres/Connection.ts"
import * as PostgresServer from "../layers/storage/PostgresServer.ts"
import type { Event } from "./support/Server.ts"
import * as TenantCluster from "./support/TenantCluster.ts"

const sessionLimit = 2
const messageLimit = 8
const edit = { calls: [{ name: "write_file", params: { path: "note.txt", content: "a note\n" } }] }
const isRequested = ({ _tag }: Event): boolean => _tag === "Requested"
const many = <A>(count: number, run: (i: number) => Promise<A>) => Promise.all(Array.from({ length: count }, (_, i) => run(i)))

describe.skipIf(!PostgresServer.isInstalled)("the limits of tenants whose runners are killed", () => {
  it("are not exceeded, and as much as before is admitted afterwards", async () => {
    await using cluster = await TenantCluster.start({
      runners: 3,
      gateways: 2,
      tenants: {
        acme: { key: "sk-acme-0123456789", limits: { sessions: sessionLimit } },
        globex: { key: "sk-globex-0123456789", limits: { messagesPerMinute: messageLimit } }
      },
      // An approval waits in each session of acme, so that it works until it is answered.
      model: ({ authorization, body }) =>
        authorization?.includes("globex") === true || body["messages"].at(-1).role === "tool" ? { text: "Done." } : edit
    })
    const kill = async () => {
      const runner = cluster.runners.shift()!
      runner.child.kill("SIGKILL")
      await runner.ended
    }
    const replace = async () => cluster.runners.push(await cluster.startRunner())

    const acme = [cluster.client("acme", 0), cluster.client("acme", 1)] as const
    const sayTo = (sessions: ReadonlyArray<string>) => many(sessions.length, async (i) => (await acme[i % 2]!.say(sessions[i]!, "write a note")).status)
    const admitted = (sessions: ReadonlyArray<string>, statuses: ReadonlyArray<number>) => sessions.filter((_, i) => statuses[i] === 200)
    const finish = async (session: string) => {
      const { request } = (await acme[0].follow(session, isRequested)).findLast(isRequested)!
      const answer = { _tag: "Answer", session, request: request.id, action: request.action, decision: "deny", scope: "once" }
      while ((await acme[1].operate(answer)).status !== 200) await setTimeout(200)
      await acme[1].follow(session, TenantCluster.isEnd)
    }

    const globex = [cluster.client("globex", 0), cluster.client("globex", 1)] as const
    const chat = await globex[0].begin()
    const sendMore = async () => {
      const responses = await many(messageLimit + 4, (i) => globex[i % 2]!.say(chat, `message ${i}`))
      return { counted: responses.filter(({ status }) => status !== 429).length, waitSeconds: Math.max(...responses.map(({ retryAfter }) => Number(retryAfter))) }
    }

    const { schema } = Connection.parse(cluster.address)!
    const workingSessions = `SELECT count(DISTINCT m.entity_id)::integer AS count FROM ${Connection.clusterPrefix(schema)}_messages m
      JOIN session s ON s.id = m.entity_id WHERE s.tenant = 'acme' AND m.tag = 'Work' AND NOT m.processed`
    const working = async () => Number((await Effect.runPromise(PostgresServer.query(cluster.address, workingSessions)))[0]!["count"])
    let isWatched = true
    let maxWorking = 0
    const watch = async () => {
      while (isWatched) {
        maxWorking = Math.max(maxWorking, await working())
        await setTimeout(50)
      }
    }
    const watching = watch()
    watching.catch(() => {})

    // Two of three runners die with acme at its limit and globex on the way to it.
    const sessions = await many(6, (i) => acme[i % 2]!.begin())
    const first = admitted(sessions, await sayTo(sessions))
    expect(first.length).toBe(sessionLimit)
    const others = sessions.filter((session) => !first.includes(session))
    const [, , refused, { counted, waitSeconds }] = await Promise.all([kill(), kill(), sayTo(others), sendMore()])
    // Then the first message is a minute old, and after a minute all are.
    expect(waitSeconds).toBeLessThanOrEqual(60)
    const minuteIsOver = setTimeout(60_500)
    expect(refused).toEqual(others.map(() => 429))
    expect(1 + counted).toBe(messageLimit)
    await replace()

    // A session that has moved ends its work there. Its place is free for one of those that want it while another runner dies.
    await finish(first[0]!)
    const [, again] = await Promise.all([kill(), sayTo(others.slice(0, 3))])
    const second = admitted(others, again)
    expect(second.length).toBe(1)
    const idle = others.filter((session) => !second.includes(session))
    expect(await sayTo(idle)).toEqual(idle.map(() => 429))
    await replace()

    // When all work is done, as many sessions as before may work.
    await Promise.all([first[1]!, second[0]!].map(finish))
    while (await working() > 0) await setTimeout(100)
    const last = admitted(idle, await sayTo(idle))
    expect(last.length).toBe(sessionLimit)
    await Promise.all(last.map(finish))
    isWatched = false
    await watching
    expect(maxWorking).toBe(sessionLimit)

    // After its minute, globex may send as many messages as before, while a runner dies.
    await minuteIsOver
    const [, { counted: later }] = await Promise.all([kill(), sendMore()])
    expect(later).toBe(messageLimit)
  }, 300_000)
})
