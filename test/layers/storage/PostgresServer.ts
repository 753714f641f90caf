/** A PostgreSQL server of the test's own, on a loopback port, from the programs that are installed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"

/** Debian keeps the server's programs beside its version. */
const debian = "/usr/lib/postgresql"

const folders = [
  ...(process.env["PATH"] ?? "").split(":"),
  ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : [])
]

const programs = ["initdb", "pg_isready", "postgres"]
const bin = folders.find((folder) => programs.every((program) => existsSync(join(folder, program))))

/** The server refuses to run as root, so root runs it as the user that its package made. */
const user = (() => {
  if (process.getuid?.() !== 0) return {}
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
    return { uid: id("-u"), gid: id("-g") }
  } catch {
    return undefined
  }
})()

/** Whether this machine has a server that can be started. */
export const isInstalled = bin !== undefined && user !== undefined

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface Server extends AsyncDisposable {
  /** Its database, in a schema of its own for each call. */
  readonly address: () => string
  /** Ends the server without a checkpoint, as a crash would. */
  readonly crash: () => Promise<void>
  readonly start: () => Promise<void>
}

/** `settings` are lines of postgresql.conf, as `name=value`. */
export const start = async (settings: ReadonlyArray<string> = []): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), "dacapo-postgres-"))
  const data = join(folder, "data")
  if (user?.uid !== undefined) chownSync(folder, user.uid, user.gid!)
  const options = { ...user, cwd: folder, stdio: "ignore" } as const
  const password = "loopback"
  execFileSync("sh", ["-c", `printf %s ${password} > password`], options)
  execFileSync(join(bin!, "initdb"), ["-D", data, "-U", "dacapo", "-A", "scram-sha-256", "--pwfile", join(folder, "password"), "-N", "-E", "UTF8", "--locale=C"], options)
  const port = await freePort()
  let schemas = 0
  let server: ChildProcess = spawn("true")
  const run = async () => {
    const flags = [...settings, `port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`]
    server = spawn(join(bin!, "postgres"), ["-D", data, ...flags.flatMap((flag) => ["-c", flag])], options)
    for (let attempt = 0; attempt < 300; attempt++) {
      try {
        execFileSync(join(bin!, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port), "-q"], { stdio: "ignore" })
        return
      } catch {
        await setTimeout(100)
      }
    }
    server.kill("SIGQUIT")
    throw new Error("The PostgreSQL server did not start.")
  }
  const stop = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once("exit", resolve))
    server.kill(signal)
    await ended
  }
  await run()
  return {
    address: () => `postgres://dacapo:${password}@127.0.0.1:${port}/postgres?schema=test_${schemas++}`,
    crash: () => stop("SIGQUIT"),
    start: run,
    [Symbol.asyncDispose]: async () => {
      await stop("SIGQUIT")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Runs one statement in the schema of an address. */
export const query = (address: string, statement: string) =>
  Effect.scoped(Effect.gen(function*() {
    const url = new URL(address)
    const schema = url.searchParams.get("schema")!
    url.searchParams.delete("schema")
    const client = yield* PgClient.makeClient({ url: Redacted.make(url.href), startupParameters: { search_path: schema } })
    return yield* client.unsafe<Record<string, unknown>>(statement)
  })).pipe(Effect.provide(Reactivity.layer), Effect.orDie)
