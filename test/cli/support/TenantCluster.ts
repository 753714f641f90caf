/** A cluster with tenants as real processes: PostgreSQL, a scripted model server, runners with a secret store, gateways, and clients. */
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Postgres from "../../layers/storage/PostgresServer.ts"
import * as ChatServer from "./ChatServer.ts"
import * as ClientEvents from "./ClientEvents.ts"
import * as Process from "./Process.ts"
import type { Event } from "./Server.ts"

/** A tenant's limits, and the key in its secret store, if it has one. */
export interface Tenant {
  readonly limits?: object
  readonly key?: string
}

export interface Options {
  readonly runners: number
  readonly gateways: number
  readonly tenants: Readonly<Record<string, Tenant>>
  readonly model: Parameters<typeof ChatServer.start>[0]
  readonly permissions?: string
}

export const tokenOf = (tenant: string): string => `token-of-${tenant}`
export const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex")

/** What a runner has in its own environment, which no tenant may use. */
export const runnersKey = "sk-runners-own-key-0123456789"

export const isEnd = ({ _tag, at }: Event): boolean => _tag === "Settled" && ["TaskFinished", "TaskFailed", "Interrupted"].includes(at.event._tag)

export const start = async ({ gateways: gatewayCount, model, permissions = "default", runners: runnerCount, tenants }: Options) => {
  const database = await Postgres.start(["fsync=off", "max_connections=200"])
  const server = await ChatServer.start(model)
  const outer = Process.place()
  const address = database.address()
  const place: Process.Place = { ...outer, environment: { ...outer.environment, DACAPO_STORAGE: address, OPENAI_API_KEY: runnersKey } }
  const secrets = join(outer.root, "secrets")
  const workspaces = join(outer.root, "workspaces")
  mkdirSync(secrets)
  for (const [name, { key }] of Object.entries(tenants)) {
    if (key === undefined) continue
    mkdirSync(join(secrets, name))
    writeFileSync(join(secrets, name, "OPENAI_API_KEY"), `${key}\n`)
  }
  const file = join(outer.root, "tenants.json")
  const define = (current: Readonly<Record<string, Tenant>>) =>
    writeFileSync(file, JSON.stringify(Object.fromEntries(Object.entries(current).map(([name, { limits }]) => [name, { tokenHashes: [hashOf(tokenOf(name))], ...(limits === undefined ? {} : { limits }) }]))))
  define(tenants)

  const processes: Array<Process.Running> = []
  const launch = async (args: ReadonlyArray<string>, ready: string): Promise<Process.Running> => {
    const running = Process.start(place, args)
    processes.push(running)
    await running.shows("stderr", ready)
    return running
  }
  const runnerFlags = ["--secrets", secrets, "--workspaces", workspaces, "--model", "openai-chat/gpt-4.1", "--base-url", server.url, "--permission-mode", permissions]
  const startRunner = (...flags: ReadonlyArray<string>) => launch(["runner", "--listen", `127.0.0.1:${7900 + Math.floor(Math.random() * 20_000)}`, ...runnerFlags, ...flags], "Running sessions of")
  const startGateway = async (): Promise<string> => {
    const running = await launch(["serve", "--cluster", "--tenants", file], "The tokens are those of")
    return /Serving at (\S+?)\. /.exec(running.said("stderr"))![1]!
  }
  const runners = await Promise.all(Array.from({ length: runnerCount }, () => startRunner()))
  const gateways = await Promise.all(Array.from({ length: gatewayCount }, () => startGateway()))

  /** A client of a gateway with a tenant's token. */
  const client = (tenant: string, gateway = 0) => {
    const url = gateways[gateway]!
    const headers = { authorization: `Bearer ${tokenOf(tenant)}`, "content-type": "application/json" }
    const get = async (path: string, signal?: AbortSignal) => fetch(`${url}${path}`, { headers, ...(signal === undefined ? {} : { signal }) })
    const operate = async (operation: object) => {
      const response = await fetch(`${url}/operations`, { method: "POST", headers, body: JSON.stringify(operation) })
      const text = await response.text()
      return { status: response.status, retryAfter: response.headers.get("retry-after"), body: (text === "" ? {} : JSON.parse(text)) as Event }
    }
    /** Client events up to the first that fits. */
    const follow = async (session: string, isLast: (event: Event) => boolean): Promise<ReadonlyArray<Event>> => {
      const all: Array<Event> = []
      const error = (why: string) => new Error(`${why}: ${JSON.stringify(all)}`)
      const abort = new AbortController()
      AbortSignal.timeout(120_000).addEventListener("abort", () => abort.abort(error("No such event")))
      for await (const event of ClientEvents.read(await get(`/sessions/${session}/events?from=0`, abort.signal))) {
        all.push(event)
        if (isLast(event)) return all
      }
      throw error("The events ended")
    }
    const begin = async (): Promise<string> => (await operate({ _tag: "Start" })).body["session"]
    return {
      get,
      json: async (path: string): Promise<any> => (await get(path)).json(),
      operate,
      follow,
      begin,
      say: (session: string, text: string) => operate({ _tag: "Say", session, text }),
      /** A new session with one message. */
      ask: async (text: string) => {
        const session = await begin()
        const { status, retryAfter, body } = await operate({ _tag: "Say", session, text })
        return { session, status, retryAfter, body }
      }
    }
  }

  return {
    address,
    client,
    define,
    gateways,
    place,
    runners,
    secrets,
    server,
    startGateway: async () => void gateways.push(await startGateway()),
    startRunner,
    workspaces,
    [Symbol.asyncDispose]: async () => {
      for (const { child } of processes) child.kill("SIGKILL")
      await Promise.all(processes.map(({ ended }) => ended))
      server[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
      outer[Symbol.dispose]()
    }
  }
}
