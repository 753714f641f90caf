/** A model server that keeps failing, as `dacapo doctor` shows it while a session waits for it. */
import { describe, expect, it } from "@effect/vitest"
import * as ChatServer from "../cli/support/ChatServer.ts"
import { findings, withKeys } from "../cli/support/Doctor.ts"
import * as Process from "../cli/support/Process.ts"

describe("a server that keeps failing", () => {
  it("is paused, which doctor shows as long as it matters", async () => {
    await using scene = Process.scene()
    const place = withKeys(scene)
    using server = await ChatServer.start(({ path }) =>
      !path.endsWith("/chat/completions") ? undefined
        : { status: 503, json: { error: { message: "Overloaded." } } }
    )
    expect(await findings(place, "circuits")).toEqual([{ state: "good", detail: "all closed: no model server is paused" }])
    const flags = ["-p", "--base-url", server.url, "--model", "openai-compatible/coder", "Go"]
    const running = Process.start(place, flags)
    await running.shows("stderr", "times in a row: pausing")
    const [open, ...others] = await findings(place, "circuits")
    expect(others).toEqual([])
    expect(open!.state).toBe("warn")
    expect(open!.detail).toMatch(new RegExp(`^openai-compatible at ${server.url}: paused \\d+ s ago by process ${running.child.pid}, which sends it no request for another \\d+ s\\. .*Overloaded`))
    running.child.kill("SIGTERM")
    await running.ended
    expect((await findings(place, "circuits"))[0]!.detail).toContain(`by process ${running.child.pid}, which has ended.`)
  })
})
