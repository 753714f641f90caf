/** Two tenants of one cluster, through the real command line: neither sees anything of the other, and each pays with its own key. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as PostgresServer from "../layers/storage/PostgresServer.ts"
import type { Event } from "./support/Server.ts"
import * as Process from "./support/Process.ts"
import * as TenantCluster from "./support/TenantCluster.ts"

const keys = { acme: "sk-key-of-acme-0123456789abcdef", globex: "sk-key-of-globex-0123456789abcdef" }

/** What the user said last. */
const lastText = (body: Record<string, any>): string => JSON.stringify(body["messages"].findLast(({ role }: Event) => role === "user"))
const hasResult = (body: Record<string, any>): boolean => body["messages"].at(-1).role === "tool"
const isRequested = ({ _tag }: Event): boolean => _tag === "Requested"

describe.skipIf(!PostgresServer.isInstalled)("tenants of a cluster", () => {
  it("see, follow, search, fork and answer only their own sessions, each with its own key", async () => {
    await using cluster = await TenantCluster.start({
      runners: 1,
      gateways: 1,
      tenants: { acme: { key: keys.acme }, globex: { key: keys.globex }, initech: {} },
      model: ({ body }) =>
        hasResult(body) || !lastText(body).includes("note") ? { text: "The fence is painted." }
          : { calls: [{ name: "write_file", params: { path: "note.txt", content: "a note\n" } }] }
    })
    const acme = cluster.client("acme")
    const globex = cluster.client("globex")
    const { session } = await acme.ask("paint the aubergine fence")
    await acme.follow(session, TenantCluster.isEnd)
    const other = await globex.ask("paint the gate")
    await globex.follow(other.session, TenantCluster.isEnd)
    expect(new Set(cluster.server.asked.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${keys.acme}`, `Bearer ${keys.globex}`]))

    const ids = (list: ReadonlyArray<{ readonly id: string }>) => list.map(({ id }) => id)
    expect(ids(await acme.json("/sessions"))).toEqual([session])
    expect(ids(await globex.json("/sessions"))).toEqual([other.session])
    expect(ids(await globex.json("/page/sessions"))).toEqual([other.session])
    expect((await acme.json("/page/search?q=aubergine")).length).toBe(1)
    expect(await globex.json("/page/search?q=aubergine")).toEqual([])
    expect((await acme.json("/page/usage")).every(({ session: id }: Event) => id === session)).toBe(true)

    const fork = (await acme.operate({ _tag: "Fork", session })).body["session"] as string
    expect(ids(await acme.json("/sessions"))).toContain(fork)
    const asked = await acme.ask("write a note")
    const { request } = (await acme.follow(asked.session, isRequested)).findLast(isRequested)!
    const answer = { _tag: "Answer", session: asked.session, request: request.id, action: request.action, decision: "deny", scope: "once" }

    const operations = [
      { _tag: "Say", session, text: "tell me" }, { _tag: "Continue", session }, { _tag: "Interrupt", session }, { _tag: "Fork", session },
      { _tag: "Replay", session, from: 0 }, { _tag: "Rewind", session, to: 0, files: true, conversation: true }, { _tag: "Compact", session },
      { _tag: "SetMode", session, mode: "plan" }, { _tag: "SetModel", session, model: "openai-chat/gpt-4.1" }, { _tag: "SetEffort", session, effort: "low" },
      { _tag: "SetTodo", session, items: [] }, { _tag: "Reply", session, request: "1" }, answer,
      { _tag: "Say", session: session.slice(0, -2), text: "tell me" }, { _tag: "Say", session: fork, text: "tell me" }
    ]
    for (const operation of operations) {
      const { body, status } = await globex.operate(operation)
      expect([operation._tag, status, body["reason"]]).toEqual([operation._tag, 422, "NotFound"])
      expect(JSON.stringify(body)).not.toContain("fence")
    }
    const missing = await (await globex.get(`/sessions/${session}/events`)).json() as Event
    expect(missing["reason"]).toBe("NotFound")
    expect((await globex.get(`/page/sessions/${session}/log`)).status).toBe(404)
    expect(await globex.json(`/page/sessions/${session}/subagents`)).toEqual([])
    for (const path of ["settings", `sessions/${session}/context`, `sessions/${session}/diff`, `sessions/${session}/verify`]) {
      expect((await acme.get(`/page/${path}`)).status).toBe(422)
    }
    expect((await acme.get("/metrics")).status).toBe(404)
    expect((await acme.operate(answer)).status).toBe(200)
    await acme.follow(asked.session, TenantCluster.isEnd)

    const login = await fetch(`${cluster.gateways[0]}/login`, { method: "POST", headers: { authorization: `Bearer ${TenantCluster.tokenOf("globex")}`, "content-length": "0" } })
    const cookie = login.headers.get("set-cookie")!.split(";")[0]!
    const page = await fetch(`${cluster.gateways[0]}/page/sessions`, { headers: { cookie, "sec-fetch-site": "same-origin" } })
    expect(ids(await page.json() as ReadonlyArray<{ readonly id: string }>)).toEqual([other.session])
    expect((await fetch(`${cluster.gateways[0]}/sessions`, { headers: { authorization: "Bearer of-nobody" } })).status).toBe(401)

    const keyless = await cluster.client("initech").operate({ _tag: "Start" })
    expect(keyless.status).toBe(422)
    expect(keyless.body["message"]).toBe("No API key for OpenAI (Chat Completions). Add OPENAI_API_KEY to the secret store of initech.")
    expect(cluster.server.asked.some(({ authorization }) => authorization?.includes(TenantCluster.runnersKey))).toBe(false)

    const owners = await Effect.runPromise(PostgresServer.query(cluster.address, "SELECT tenant, count(*)::integer AS sessions FROM session WHERE events > 0 GROUP BY tenant ORDER BY tenant"))
    expect(owners).toEqual([{ tenant: "acme", sessions: 3 }, { tenant: "globex", sessions: 1 }])
  }, 240_000)

  it("reach neither the keys nor the folders of others from their sessions, whatever they allow", async () => {
    const attempts: Array<object> = []
    await using cluster = await TenantCluster.start({
      runners: 1,
      gateways: 1,
      permissions: "bypassPermissions",
      tenants: { acme: { key: keys.acme }, globex: { key: keys.globex } },
      model: ({ body }) => {
        const { length } = body["messages"].filter(({ role }: Event) => role === "tool")
        return length < attempts.length ? { calls: [attempts[length] as { readonly name: string; readonly params: object }] } : { text: "Done." }
      }
    })
    const globex = cluster.client("globex")
    const other = await globex.ask("hello")
    await globex.follow(other.session, TenantCluster.isEnd)
    const note = join(cluster.workspaces, other.session, "note.txt")
    writeFileSync(note, "the plan of globex\n")
    const key = join(cluster.secrets, "globex", "OPENAI_API_KEY")
    attempts.push(
      { name: "run_command", params: { command: `cat ${key} ${join(cluster.secrets, "acme", "OPENAI_API_KEY")} ${note}; env; ls ${cluster.workspaces}` } },
      { name: "read_file", params: { path: key } },
      { name: "read_file", params: { path: note } },
      { name: "list_files", params: { path: cluster.place.root } },
      { name: "write_file", params: { path: "own.txt", content: "own\n" } },
      { name: "read_file", params: { path: "own.txt" } }
    )
    const acme = cluster.client("acme")
    const { session } = await acme.operate({ _tag: "Start", cwd: join(cluster.workspaces, other.session) }).then(({ body }) => ({ session: body["session"] as string }))
    await acme.say(session, `read @${note} and @${key}`)
    const events = JSON.stringify(await acme.follow(session, TenantCluster.isEnd))
    expect(events).toContain("\"TaskFinished\"")
    for (const secret of [keys.acme, keys.globex, TenantCluster.runnersKey, "the plan of globex"]) expect(events).not.toContain(secret)
    const [stored] = await acme.json("/sessions")
    expect(stored.cwd).toBe(join(cluster.workspaces, session))
    const lines = await Effect.runPromise(PostgresServer.query(cluster.address, "SELECT string_agg(body, '') AS text FROM line"))
    for (const secret of [keys.acme, keys.globex, TenantCluster.runnersKey]) expect(String(lines[0]!["text"])).not.toContain(secret)
    for (const runner of cluster.runners) for (const secret of Object.values(keys)) expect(runner.said("stderr")).not.toContain(secret)
    expect(String(lines[0]!["text"])).toContain("own")
  }, 240_000)
})

describe("the flags of tenants", () => {
  const refused = async (...args: ReadonlyArray<string>) => {
    await using place = Process.scene()
    writeFileSync(join(place.cwd, "tenants.json"), JSON.stringify({ acme: { tokenHash: [] } }))
    const { code, stderr } = await Process.run(place, args)
    return { code, stderr }
  }

  it("are refused where they make no sense, and the file where it is wrong", async () => {
    const storage = ["--storage", "postgres://127.0.0.1:1/agents"]
    expect(await refused("serve", "--tenants", "tenants.json")).toMatchObject({ code: 2, stderr: expect.stringContaining("--tenants needs --cluster") })
    expect(await refused("serve", "--cluster", "--tenants", "tenants.json", "--token-file", "token", ...storage)).toMatchObject({ code: 2 })
    expect(await refused("serve", "--cluster", "--tenants", "none.json", ...storage)).toMatchObject({ code: 42, stderr: expect.stringContaining("ENOENT") })
    expect(await refused("serve", "--cluster", "--tenants", "tenants.json", ...storage)).toMatchObject({
      code: 52,
      stderr: expect.stringContaining("\"tokenHash\" is not a setting in acme. Did you mean \"tokenHashes\"?")
    })
  })
})
