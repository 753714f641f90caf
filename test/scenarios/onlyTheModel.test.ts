/** A whole task, commands and all, in which every connection that our process tries is written down: there is one place. */
import { expect, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { anthropic } from "../../src/layers/testing/servers/anthropic.ts"
import * as Server from "../../src/layers/testing/servers/Server.ts"
import type { ScriptedTurn } from "../../src/layers/testing/servers/Wire.ts"
import * as Process from "../cli/support/Process.ts"

/** Loaded before ours: notes where sockets go, which names are looked up, and datagrams. */
const watch = (log: string) => `
  import { appendFileSync } from "node:fs"
  import net from "node:net"
  import dns from "node:dns"
  import dgram from "node:dgram"
  import { syncBuiltinESMExports } from "node:module"
  const note = (what) => appendFileSync(${JSON.stringify(log)}, what + "\\n")
  const connect = net.Socket.prototype.connect
  net.Socket.prototype.connect = function(...args) {
    const [first] = Array.isArray(args[0]) ? args[0] : args
    note("connect " + (typeof first === "object" ? first.path ?? (first.host ?? "localhost") + ":" + first.port : args.join(":")))
    return connect.apply(this, args)
  }
  for (const api of [dns, dns.promises]) for (const name of Object.keys(api)) {
    if (!/^(?:lookup|resolve)/.test(name) || typeof api[name] !== "function") continue
    const original = api[name]
    api[name] = function(...args) { note("look up " + args[0]); return original.apply(this, args) }
  }
  const send = dgram.Socket.prototype.send
  dgram.Socket.prototype.send = function(...args) { note("datagram"); return send.apply(this, args) }
  syncBuiltinESMExports()
`

const turns: ReadonlyArray<ScriptedTurn> = [
  { text: "I look.", calls: [{ name: "list_files", params: { path: "." } }, { name: "search_files", params: { path: ".", regex: "x" } }] },
  { calls: [{ name: "write_file", params: { path: "a.txt", content: "one\n" } }] },
  { calls: [{ name: "run_command", params: { command: "cat a.txt" } }] },
  { text: "Done." }
]

describe("a whole task", () => {
  it.live("connects to the model's server and nowhere else", () =>
    Effect.gen(function*() {
      const server = yield* Server.start(anthropic, turns.map((turn) => Server.ScriptedResponse.Says({ turn })))
      yield* Effect.promise(async () => {
        using place = Process.place()
        const [hook, log] = [join(place.root, "watch.mjs"), join(place.root, "connections")]
        writeFileSync(hook, watch(log))
        writeFileSync(log, "")
        const watched = { ...place, environment: { ...place.environment, ANTHROPIC_API_KEY: "key", NODE_OPTIONS: `--import=${hook}` } }
        const { code, stdout } = await Process.run(watched, ["-p", "--permission-mode", "bypassPermissions", "--model", "anthropic/claude-sonnet-4-5", "--base-url", server.url, "go"])
        expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" })
        expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\n")
        const tried = new Set(readFileSync(log, "utf8").split("\n").filter((line) => line !== ""))
        expect([...tried]).toEqual([`connect ${new URL(server.url).host}`])
        expect(server.requests).toHaveLength(turns.length)
      })
    }))
})
