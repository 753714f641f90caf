/** The model catalogue refreshes itself once a day, from an address of the user's and nowhere else. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ChatServer from "../cli/support/ChatServer.ts"
import * as Process from "../cli/support/Process.ts"

const catalogue = {
  anthropic: {
    id: "anthropic",
    name: "Anthropic",
    models: { "claude-next": { id: "claude-next", name: "Claude Next", tool_call: true, limit: { context: 300_000, output: 9_000 }, cost: { input: 1, output: 2 } } }
  }
}

/** A run that is long enough for the refresh, and one that ends before it. */
const work = (place: Process.Place, seconds: number, settings: object = {}) => {
  mkdirSync(join(place.root, "home"), { recursive: true })
  writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify(settings))
  const model = place.script({ calls: [{ name: "run_command", params: { command: `sleep ${seconds}` } }] }, { text: "Done." })
  return Process.run(place, ["-p", "--model", model, "--permission-mode", "bypassPermissions", "Wait"])
}

describe("the model catalogue", () => {
  it("is refreshed in the background once a day, from the configured address", async () => {
    await using place = Process.scene()
    await using switchedOff = Process.scene()
    await using unconfigured = Process.scene()
    using server = await ChatServer.start(() => ({ json: catalogue }))
    const catalogueUrl = `${server.url}/models.json`
    await Promise.all([
      work(place, 0, { catalogueUrl }),
      work(switchedOff, 6, { catalogueUrl, catalogueRefresh: false }),
      work(unconfigured, 6)
    ])
    expect(server.asked).toHaveLength(0)
    for (const { root } of [place, switchedOff, unconfigured]) expect(existsSync(join(root, "home", "cache", "models.json"))).toBe(false)
    expect(await work(place, 6, { catalogueUrl })).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
    expect(server.asked.map(({ path }) => path)).toEqual(["/v1/models.json"])
    expect((await Process.run(place, ["models", "claude-next"])).stdout).toContain("300k window")
    await work(place, 6, { catalogueUrl })
    expect(server.asked).toHaveLength(1)
  })

  it("stays as it is when that fails, and nobody is bothered", async () => {
    await using place = Process.scene()
    using server = await ChatServer.start(() => ({ status: 500 }))
    expect(await work(place, 6, { catalogueUrl: server.url })).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" })
    expect(server.asked).toHaveLength(1)
    expect((await Process.run(place, ["models", "claude-sonnet-4-5"])).code).toBe(0)
  })
})
