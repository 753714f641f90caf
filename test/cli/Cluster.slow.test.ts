/** `dacapo runner` and `dacapo serve --cluster` as real processes: a small drill, and what they say when they can't start. */
import { describe, expect, it } from "@effect/vitest"
import { createServer, type AddressInfo } from "node:net"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Cluster from "./support/Cluster.ts"
import type { Event } from "./support/Server.ts"
import * as ClusterDrill from "../faults/ClusterDrill.ts"
import * as PostgresServer from "../layers/storage/PostgresServer.ts"
import * as Process from "./support/Process.ts"

const away = "postgres://ada:hunter2@127.0.0.1:1/agents"

describe.skipIf(!PostgresServer.isInstalled)("a cluster", () => {
  it("loses nothing and does nothing twice when a runner is killed and another one ends", async () => {
    const report = await ClusterDrill.run({
      sessions: 6,
      moments: 2,
      concurrent: 6,
      replays: 1,
      seed: "small",
      order: ["kill a runner", "terminate a runner"]
    })
    expect(report.broken).toEqual([])
    expect(report.finished).toBe(6)
  }, 300_000)

  it("reports a port that is in use", async () => {
    await using database = await PostgresServer.start(["fsync=off"])
    await using place = Process.scene()
    const server = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const { port } = server.address() as AddressInfo
    const { code, stderr } = await Process.run(place, ["runner", "--listen", `127.0.0.1:${port}`, "--storage", database.address()])
    server.close()
    expect(stderr).toMatch(new RegExp(`Can't listen on 127.0.0.1:${port}: .*EADDRINUSE.* Choose another address with --listen.`))
    expect(code).toBe(42)
  })
})

describe("a process of a cluster that can't start", () => {
  const refused = async (...args: ReadonlyArray<string>) => {
    await using place = Process.scene()
    const { code, stderr } = await Process.run(place, args)
    return { code, stderr }
  }

  it("reports a database that is away, without its password", async () => {
    for (const args of [["runner", "--listen", "127.0.0.1:7801"], ["serve", "--cluster"]]) {
      const { code, stderr } = await refused(...args, "--storage", away)
      expect(stderr).toContain("postgres://127.0.0.1:1/agents")
      expect(stderr).not.toContain("hunter2")
      expect(code).toBe(59)
    }
  })

  it("asks for a store and an address", async () => {
    expect(await refused("serve", "--cluster")).toMatchObject({ code: 2, stderr: expect.stringContaining("needs a PostgreSQL session store") })
    expect(await refused("runner", "--storage", away)).toMatchObject({ code: 2, stderr: expect.stringContaining("--listen host:port") })
    expect(await refused("runner", "--storage", away, "--listen", "7801")).toMatchObject({ code: 2, stderr: expect.stringContaining("\"7801\" is not a valid address") })
  })
})

describe.skipIf(!PostgresServer.isInstalled)("a session whose runner is gone, with its folder", () => {
  it("continues on another one with its files, as of its last event", async () => {
    const edit = { name: "write_file", params: { path: "fence.txt", content: "mended\n" } }
    const look = { name: "read_file", params: { path: "fence.txt" } }
    await using cluster = await Cluster.start({
      runners: 1,
      model: (_, request) => [{ calls: [edit] }, { text: "Mended." }, { calls: [look] }, { text: "It holds." }][request]
    })
    const stop = AbortSignal.timeout(200_000)
    const ends = (count: number) => {
      let finished = 0
      return (event: Event) => event["_tag"] === "Settled" && event["at"].event._tag === "TaskFinished" && ++finished === count
    }
    const { session } = await cluster.insist({ _tag: "Start" }) as unknown as { readonly session: string }
    await cluster.insist({ _tag: "Say", session, text: "mend the fence", key: "one" })
    await cluster.follow(session, ends(1), stop)
    const folder = join(cluster.workspaces, session)
    expect(readFileSync(join(folder, "fence.txt"), "utf8")).toBe("mended\n")
    const [runner] = cluster.runners
    runner!.running.child.kill("SIGKILL")
    await runner!.running.ended
    rmSync(cluster.workspaces, { recursive: true })
    await cluster.startRunner(runner!)
    await cluster.insist({ _tag: "Say", session, text: "does it hold?", key: "two" })
    const events = await cluster.follow(session, ends(2), stop)
    expect(JSON.stringify(events)).toContain("It holds.")
    expect(readFileSync(join(folder, "fence.txt"), "utf8")).toBe("mended\n")
  }, 300_000)
})
