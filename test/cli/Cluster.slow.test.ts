/** `dacapo runner` and `dacapo serve --cluster` as real processes: a small drill, and what they say when they can't start. */
import { describe, expect, it } from "@effect/vitest"
import { createServer, type AddressInfo } from "node:net"
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
