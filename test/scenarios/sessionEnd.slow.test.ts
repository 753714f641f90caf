/** SessionEnd hooks run at every end of a session: the program leaves, is told to stop, or its client is gone. */
import * as acp from "@agentclientprotocol/sdk"
import { describe, expect, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import * as Process from "../cli/support/Process.ts"
import * as Server from "../cli/support/Server.ts"
import * as Tmux from "../cli/support/Tmux.ts"

/** A place whose hook writes down the session and the reason of each end. */
const configured = () => {
  const place = Process.scene()
  mkdirSync(join(place.root, "home"))
  const text = `jq -r '.reason + " " + .session_id' >> '${place.root}/ends'`
  writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ hooks: { SessionEnd: [{ hooks: [{ type: "command", command: text }] }] } }))
  return place
}
const ends = ({ root }: Process.Place) => existsSync(join(root, "ends")) ? readFileSync(join(root, "ends"), "utf8").trim().split("\n") : []
const done = { text: "Done." }

describe("hooks for the end of a session run", () => {
  it("in the terminal when the user leaves, by a key, a command or a closed window", async () => {
    await using place = configured()
    const open = async () => {
      const terminal = Tmux.open(place, ["--model", place.script(done), "Go"])
      await terminal.shows("Done.")
      await terminal.still()
      return terminal
    }
    {
      using terminal = await open()
      terminal.press("C-d")
      await terminal.shows("left with 0")
      expect(ends(place)).toEqual([expect.stringMatching(/^exit \S+$/)])
    }
    {
      using terminal = await open()
      terminal.type("/exit")
      await terminal.still()
      terminal.press("Enter")
      await terminal.shows("left with 0")
      expect(ends(place)).toHaveLength(2)
    }
    using terminal = await open()
    const pid = terminal.pid()
    terminal.close()
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 100_000 }).toBe(false)
    expect(ends(place).map((end) => end.split(" ")[0])).toEqual(["exit", "exit", "other"])
  })

  it("for an editor that closes its session, and for one that is gone", async () => {
    await using place = configured()
    const child = spawn(process.execPath, [Process.main, "acp", "--model", place.script(done, done)], { cwd: place.cwd, env: place.environment })
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    const stream = acp.ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>)
    const left = await acp.client({ name: "test" }).onNotification(acp.methods.client.session.update, () => {}).connectWith(stream, async (client) => {
      await client.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} })
      const start = async () => {
        const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [] })
        await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Go" }] })
        return sessionId
      }
      const first = await start()
      await client.request("session/close", { sessionId: first })
      expect(ends(place)).toEqual([`other ${first}`])
      return [first, await start()]
    })
    child.stdin.end()
    expect(await ended).toBe(0)
    expect(ends(place)).toEqual(left.map((id) => `other ${id}`))
  })

  it("for every session of a server that is stopped, over HTTP and over standard streams", async () => {
    await using place = configured()
    const server = await Server.serve(place, place.script(done))
    const sessions: Array<string> = []
    for (let i = 0; i < 2; i++) {
      const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
      await server.operate({ _tag: "Say", session, text: "Go" })
      await server.events(session, 0, Server.isEnd)
      sessions.push(session)
    }
    expect(ends(place)).toEqual([])
    await server.stop()
    expect(ends(place).sort()).toEqual(sessions.map((id) => `other ${id}`).sort())
    const running = Process.start(place, ["serve", "--stdio", "--model", place.script(done)], "pipe")
    running.child.stdin!.write(`${JSON.stringify({ id: 1, operation: { _tag: "Start", cwd: place.cwd } })}\n`)
    await running.shows("stdout", /"id":1/)
    running.child.stdin!.end()
    expect((await running.ended).code).toBe(0)
    expect(ends(place)).toHaveLength(3)
  })

  it("of a program that controls it over standard streams, once", async () => {
    await using place = configured()
    const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--model", place.script(done)]
    const line = JSON.stringify({ type: "user", message: { role: "user", content: "Go" } })
    expect(await Process.run(place, args, `${line}\n`)).toMatchObject({ code: 0 })
    expect(ends(place)).toEqual([expect.stringMatching(/^other \S+$/)])
  })
})
