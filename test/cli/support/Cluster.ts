/** A cluster of real processes: PostgreSQL, a scripted model server, runners and a gateway, and a client of the gateway. */
import { readFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Postgres from "../../layers/storage/PostgresServer.ts"
import * as ChatServer from "./ChatServer.ts"
import * as ClientEvents from "./ClientEvents.ts"
import * as Process from "./Process.ts"
import type { Event } from "./Server.ts"

export interface Runner {
  readonly name: string
  readonly port: number
  readonly flags: ReadonlyArray<string>
  running: Process.Running
}

/** A port that was free a moment ago. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** `model` answers each request of a session; `permissions` are the runners' permission mode. */
export interface Options {
  readonly runners: number
  readonly model: Parameters<typeof ChatServer.start>[0]
  readonly permissions?: string
  readonly program?: ReadonlyArray<string>
}

export const start = async ({ model, permissions = "bypassPermissions", program, runners: count }: Options) => {
  const database = await Postgres.start(["fsync=off", "max_connections=200"])
  const server = await ChatServer.start(model)
  const outer = Process.place()
  const address = database.address()
  const place: Process.Place = { ...outer, environment: { ...outer.environment, DACAPO_STORAGE: address, OPENAI_API_KEY: "loopback" } }
  const launch = (args: ReadonlyArray<string>) => Process.start(place, args, "ignore", program)

  const startRunner = async (runner: Omit<Runner, "running">): Promise<Process.Running> => {
    const running = launch(["runner", "--listen", `127.0.0.1:${runner.port}`, ...runner.flags])
    await running.shows("stderr", "Running sessions of")
    return running
  }
  const flags = ["--workspaces", join(outer.root, "workspaces"), "--model", "openai-chat/gpt-4.1", "--base-url", server.url, "--permission-mode", permissions]
  const runners = await Promise.all(Array.from({ length: count }, async (_, i): Promise<Runner> => {
    const runner = { name: `runner ${i + 1}`, port: await freePort(), flags }
    return { ...runner, running: await startRunner(runner) }
  }))

  const gatewayPort = await freePort()
  const tokenFile = join(outer.root, "token")
  const startGateway = async () => {
    const running = launch(["serve", "--cluster", "--port", `${gatewayPort}`, "--token-file", tokenFile])
    await running.shows("stderr", "The token is in")
    return running
  }
  let gateway = await startGateway()
  const url = `http://127.0.0.1:${gatewayPort}`
  const headers = () => ({ authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`, "content-type": "application/json" })

  const operate = async (operation: object): Promise<Event> =>
    await (await fetch(`${url}/operations`, { method: "POST", headers: headers(), body: JSON.stringify(operation) })).json() as Event

  return {
    address,
    database,
    place,
    runners,
    url,
    workspaces: join(outer.root, "workspaces"),
    operate,
    /** The operation, sent again until the gateway answers it. */
    insist: async (operation: object): Promise<Event> => {
      for (;;) {
        const response = await operate(operation).catch(() => undefined)
        if (response !== undefined && response["_tag"] !== "RequestFailed") return response
        await setTimeout(200)
      }
    },
    /**
     * Client events up to the first that fits; a lost connection is made again after the last settled event. Approvals are denied. What came until
     * `stop` is all that is returned then.
     */
    follow: async (session: string, isLast: (event: Event) => boolean, stop: AbortSignal): Promise<ReadonlyArray<Event>> => {
      const all: Array<Event> = []
      let next = 0
      while (!stop.aborted) {
        try {
          const response = await fetch(`${url}/sessions/${session}/events?from=${next}`, { headers: headers(), signal: stop })
          for await (const event of ClientEvents.read(response)) {
            all.push(event)
            if (event["_tag"] === "Settled") next = event["at"].seq + 1
            if (event["_tag"] === "Requested") {
              const { action, id } = event["request"]
              await operate({ _tag: "Answer", session, request: id, action, decision: "deny", scope: "once" }).catch(() => {})
            }
            if (isLast(event)) return all
          }
        } catch {
          // The gateway is away.
        }
        await setTimeout(200)
      }
      return all
    },
    startRunner: async (runner: Runner) => void (runner.running = await startRunner(runner)),
    restartGateway: async () => {
      gateway.child.kill("SIGKILL")
      await gateway.ended
      gateway = await startGateway()
    },
    gateway: () => gateway,
    [Symbol.asyncDispose]: async () => {
      const processes = [...runners.map(({ running }) => running), gateway]
      for (const { child } of processes) {
        child.kill("SIGCONT")
        child.kill("SIGKILL")
      }
      await Promise.all(processes.map(({ ended }) => ended))
      server[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
      outer[Symbol.dispose]()
    }
  }
}

export type Cluster = Awaited<ReturnType<typeof start>>
