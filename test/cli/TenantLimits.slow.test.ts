/** The limits of tenants hold over two gateways and three runners at once, whichever of them is asked. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setTimeout } from "node:timers/promises"
import * as PostgresServer from "../layers/storage/PostgresServer.ts"
import type { Event } from "./support/Server.ts"
import * as Process from "./support/Process.ts"
import * as TenantCluster from "./support/TenantCluster.ts"

const ask = { calls: [{ name: "write_file", params: { path: "note.txt", content: "a note\n" } }] }
const isRequested = ({ _tag }: Event): boolean => _tag === "Requested"
const end = ({ _tag, at }: Event): string | undefined => _tag === "Settled" ? at.event._tag : undefined

/** USD of a response with this usage by gpt-4.1, at $2 and $8 for a million tokens. */
const usage = { prompt_tokens: 2_000, completion_tokens: 1_000, total_tokens: 3_000 }
const responseUsd = 0.012
const dayUsd = 0.1

describe.skipIf(!PostgresServer.isInstalled)("the limits of tenants", () => {
  it("hold for sessions at work, messages a minute and money a day, with two gateways and three runners", async () => {
    await using cluster = await TenantCluster.start({
      runners: 3,
      gateways: 2,
      tenants: {
        acme: { key: "sk-acme-0123456789", limits: { sessions: 2 } },
        globex: { key: "sk-globex-0123456789", limits: { messagesPerMinute: 7 } },
        initech: { key: "sk-initech-0123456789", limits: { usdPerDay: dayUsd } },
        umbrella: { key: "sk-umbrella-0123456789" }
      },
      model: ({ authorization, body }) =>
        authorization?.includes("initech") === true ? { text: "Done.", usage }
          : authorization?.includes("acme") === true && !body["messages"].some(({ role }: Event) => role === "tool") ? ask
          : { text: "Done." }
    })
    const clients = (tenant: string) => [cluster.client(tenant, 0), cluster.client(tenant, 1)] as const
    const many = <A>(count: number, run: (i: number) => Promise<A>) => Promise.all(Array.from({ length: count }, (_, i) => run(i)))

    // Sessions: an approval waits in each, so that it works until it is answered.
    const acme = clients("acme")
    const idle = await many(8, (i) => acme[i % 2]!.begin())
    const said = await many(8, (i) => acme[i % 2]!.say(idle[i]!, "write a note"))
    const admitted = idle.filter((_, i) => said[i]!.status === 200)
    expect(admitted.length).toBe(2)
    const refused = said.find(({ status }) => status === 429)!
    expect(refused).toMatchObject({ retryAfter: "5", body: { _tag: "LimitReached", message: expect.stringContaining("As many sessions of acme work") } })
    const [first, second] = admitted as [string, string]
    const { request } = (await acme[0].follow(first, isRequested)).findLast(isRequested)!
    expect((await acme[1].say(first, "also this")).status).toBe(200)
    const waiting = idle.find((session) => !admitted.includes(session))!
    expect((await acme[0].say(waiting, "write a note")).status).toBe(429)
    await acme[1].operate({ _tag: "Answer", session: first, request: request.id, action: request.action, decision: "deny", scope: "once" })
    await acme[0].follow(first, TenantCluster.isEnd)
    let again = await acme[1].say(waiting, "write a note")
    for (let attempts = 0; again.status === 429 && attempts < 50; attempts++) {
      await setTimeout(200)
      again = await acme[1].say(waiting, "write a note")
    }
    expect(again.status).toBe(200)
    expect((await acme[0].ask("write a note")).status).toBe(429)
    await acme[0].operate({ _tag: "Interrupt", session: second })

    // Messages: those that start a session count, too.
    const globex = clients("globex")
    const session = await globex[0].begin()
    const messages = await many(12, (i) => globex[i % 2]!.say(session, `message ${i}`))
    expect(messages.filter(({ status }) => status === 200).length).toBe(6)
    const late = messages.filter(({ status }) => status === 429)
    expect(late.length).toBe(6)
    for (const { body, retryAfter } of late) {
      expect(body["message"]).toContain("globex has sent as many messages in the last minute as its limit allows.")
      expect(Number(retryAfter)).toBeGreaterThan(0)
      expect(Number(retryAfter)).toBeLessThanOrEqual(60)
    }
    expect((await globex[1].operate({ _tag: "Interrupt", session })).status).toBe(200)

    // Money: every request is reserved at its maximum cost, and the sessions that can't pay end.
    const initech = clients("initech")
    const tasks = await many(9, (i) => initech[i % 2]!.ask("work"))
    expect(tasks.map(({ status }) => status)).toEqual(tasks.map(() => 200))
    const ends = await Promise.all(tasks.map(async ({ session: id }, i) => (await initech[i % 2]!.follow(id, TenantCluster.isEnd)).at(-1)!))
    const spentNow = async () =>
      Number((await Effect.runPromise(PostgresServer.query(cluster.address, "SELECT usd FROM tenant WHERE name = 'initech'")))[0]!["usd"])
    const requests = () => cluster.server.asked.filter(({ authorization }) => authorization?.includes("initech")).length
    expect(ends.some((event) => end(event) === "TaskFinished")).toBe(true)
    expect(requests() * responseUsd).toBeLessThanOrEqual(dayUsd)
    let task = await initech[0].ask("work")
    let last = (await initech[1].follow(task.session, TenantCluster.isEnd)).at(-1)!
    while (end(last) === "TaskFinished") {
      task = await initech[1].ask("work")
      last = (await initech[0].follow(task.session, TenantCluster.isEnd)).at(-1)!
    }
    expect(last["at"].event).toMatchObject({ _tag: "TaskFailed", reason: "budget" })
    expect(JSON.stringify(await initech[0].follow(task.session, TenantCluster.isEnd))).toContain("\"level\":\"day\"")
    expect(await spentNow()).toBeCloseTo(requests() * responseUsd, 6)
    expect(await spentNow()).toBeLessThanOrEqual(dayUsd)
    expect(await Effect.runPromise(PostgresServer.query(cluster.address, "SELECT * FROM reservation"))).toEqual([])

    expect(await Process.run(cluster.place, ["replay", task.session, "--verify"])).toMatchObject({ code: 0 })

    // A tenant without limits has none, and one whose limit is raised continues where it was stopped.
    const umbrella = clients("umbrella")
    expect((await many(9, (i) => umbrella[i % 2]!.ask("work"))).map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200))
    cluster.define({ acme: {}, globex: {}, initech: { limits: { usdPerDay: 5 } }, umbrella: {} })
    await cluster.startGateway()
    const richer = cluster.client("initech", 2)
    await richer.say(task.session, "and now?")
    const events = await richer.follow(task.session, (event) => end(event) === "TaskFinished")
    expect(end(events.at(-1)!)).toBe("TaskFinished")
  }, 300_000)
})
