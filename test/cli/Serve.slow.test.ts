/** Programs use the command over HTTP: with its token and from this machine only. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import * as Process from "./support/Process.ts"
import { isEnd, seqs, serve } from "./support/Server.ts"

const write = { calls: [{ name: "write_file", params: { path: "a.txt", content: "hi\n" } }] }

describe("dacapo serve", () => {
  it("lets two clients watch a session, and takes one answer of them", async () => {
    await using place = Process.scene()
    const server = await serve(place, place.script(write, { text: "Done." }))
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    const clients = [0, 1].map(() => server.events(session, 0, isEnd))
    await server.operate({ _tag: "Say", session, text: "write" })
    const waiting = await server.events(session, 0, ({ _tag }) => _tag === "Requested")
    const { action, id, diff } = waiting.at(-1)!["request"]
    expect(diff).toContain("+hi")
    const answer = { _tag: "Answer", session, request: id, action, decision: "allow", scope: "once" }
    expect(await server.operate({ ...answer, action: "another" })).toMatchObject({ _tag: "RequestFailed", reason: "Invalid" })
    const answers = await Promise.all([server.operate(answer), server.operate(answer)])
    expect(answers.filter((one) => one["_tag"] === "RequestFailed")).toHaveLength(1)
    const [first, second] = await Promise.all(clients)
    expect(seqs(first!)).toEqual(seqs(second!))
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(true)
    // A client that connects again continues after the last event that it got.
    const seen = seqs(first!).slice(0, 4)
    expect([...seen, ...seqs(await server.events(session, seen.at(-1)! + 1, isEnd))]).toEqual(seqs(first!))
    expect(await server.get("/sessions")).toMatchObject([{ id: session, cwd: place.cwd, isOpen: true }])
    await server.stop()
  })

  it("refuses whoever lacks the token, names another host, or comes from another origin", async () => {
    await using place = Process.scene()
    const server = await serve(place, place.script({ text: "Hi." }))
    const status = (headers: Record<string, string>) =>
      new Promise((resolve) => request(`${server.url}/sessions`, { headers }, ({ statusCode }) => resolve(statusCode)).end())
    const authorization = `Bearer ${server.token}`
    expect(await status({ authorization })).toBe(200)
    expect(await status({})).toBe(401)
    expect(await status({ authorization: `Bearer ${server.token.slice(1)}0` })).toBe(401)
    expect(await status({ authorization, host: "evil.example" })).toBe(421)
    expect(await status({ authorization, origin: "http://evil.example" })).toBe(403)
    const start = { _tag: "Start", cwd: place.cwd, mode: "bypassPermissions" }
    expect(await server.operate(start)).toMatchObject({ reason: "Invalid" })
    expect(await server.operate({ _tag: "Interrupt", session: "00000000" })).toMatchObject({ reason: "NotFound" })
    await server.stop()
  })

  it("describes itself", async () => {
    await using place = Process.scene()
    const server = await serve(place, place.script({ text: "Hi." }))
    const { components, paths } = await server.get("/openapi.json")
    expect(Object.keys(paths)).toEqual(["/sessions", "/operations", "/sessions/{session}/events"])
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(["StoredSession", "OperationResult"]))
    await server.stop()
  })

  it("lets nobody in by DNS rebinding, by a form of another site, or by a WebSocket", async () => {
    await using place = Process.scene()
    const server = await serve(place, place.script({ text: "Hi." }))
    const { port } = new URL(server.url)
    const send = (method: string, path: string, headers: Record<string, string>, body = "") =>
      new Promise<number | undefined>((resolve) => {
        const sent = request(`${server.url}${path}`, { method, headers }, ({ statusCode }) => resolve(statusCode))
        sent.on("upgrade", () => resolve(101)).on("error", () => resolve(undefined)).end(body)
      })
    const authorization = `Bearer ${server.token}`
    const start = JSON.stringify({ _tag: "Start", cwd: place.cwd })
    // A name of an attacker that resolves to this machine is another host, with the right port too.
    for (const host of [`rebound.example:${port}`, "127.0.0.1", `127.0.0.1.evil.example:${port}`]) {
      expect(await send("POST", "/operations", { authorization, host, "content-type": "application/json" }, start)).toBe(421)
    }
    const form = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }
    expect(await send("POST", "/operations", { ...form, origin: "https://evil.example" }, "_tag=Start")).toBe(403)
    expect(await send("POST", "/operations", { ...form, origin: "null" }, start)).toBe(403)
    expect(await send("POST", "/operations", form, start)).toBe(401)
    expect(await send("POST", "/operations", { ...form, authorization, "content-type": "text/plain" }, start)).not.toBe(200)
    const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" }
    expect(await send("GET", "/sessions", { ...upgrade, authorization, origin: "https://evil.example" })).not.toBe(101)
    expect(await send("GET", "/sessions", { ...upgrade, origin: server.url })).not.toBe(101)
    expect(await send("OPTIONS", "/operations", { origin: "https://evil.example", "access-control-request-method": "POST" })).toBe(403)
    expect(await server.get("/sessions")).toEqual([])
    await server.stop()
  })

  it("interrupts what runs when it is stopped, and continues it when it is started again", async () => {
    await using place = Process.scene()
    const command = { calls: [{ name: "run_command", params: { command: "echo begun > begun; sleep 600" } }] }
    const bypass = ["--permission-mode", "bypassPermissions"]
    const server = await serve(place, place.script(command, { text: "Back." }), ...bypass)
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    await server.operate({ _tag: "Say", session, text: "wait" })
    await Process.written(join(place.cwd, "begun"))
    await server.stop()
    const again = await serve(place, place.script(command, { text: "Back." }), ...bypass)
    const { events } = await again.operate({ _tag: "Replay", session, from: 0 })
    expect(events.map(({ event }: { event: { _tag: string } }) => event._tag)).toEqual(expect.arrayContaining(["Interrupted", "ToolFinished"]))
    expect(await again.operate({ _tag: "Continue", session })).toEqual({ session })
    expect((await again.events(session, events.length, isEnd)).at(-1)).toMatchObject({ at: { event: { result: "Back." } } })
    await again.stop()
  })

  it("shows the events of a subagent with the services of the session that started it", async () => {
    await using place = Process.scene()
    const file = join(place.root, "script-delegate.json")
    writeFileSync(file, JSON.stringify({
      turns: [{ calls: [{ name: "delegate", params: { tasks: [{ name: "one", prompt: "look around", mode: "read" }] } }] }, { text: "Done." }],
      children: [{ prompt: "look around", turns: [{ text: "Looked." }] }]
    }))
    const server = await serve(place, `scripted/${file}`)
    const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
    await server.operate({ _tag: "Say", session, text: "delegate" })
    const events = await server.events(session, 0, isEnd)
    const child = events.find(({ at }) => at?.event._tag === "ChildStarted")!["at"].event.session
    const own = await server.events(child, 0, isEnd)
    expect(own.at(-1)).toMatchObject({ at: { event: { result: "Looked." } } })
    await server.stop()
  })
})

describe("dacapo serve --stdio", () => {
  it("serves one client on its standard streams, until the input ends", async () => {
    await using place = Process.scene()
    const running = Process.start(place, ["serve", "--stdio", "--model", place.script({ text: "Hi." })], "pipe")
    const lines = (): ReadonlyArray<Record<string, any>> => running.said("stdout").split("\n").slice(0, -1).map((line) => JSON.parse(line))
    const send = (line: object) => running.child.stdin!.write(`${JSON.stringify(line)}\n`)
    const until = async (predicate: (line: Record<string, any>) => boolean) => {
      while (true) {
        const { length } = running.said("stdout")
        const line = lines().find(predicate)
        if (line !== undefined) return line
        await running.shows("stdout", new RegExp(`^[^]{${length + 1}}`))
      }
    }
    send({ id: 1, operation: { _tag: "Start", cwd: place.cwd } })
    const { session } = (await until(({ id }) => id === 1))["result"]
    send({ id: 2, follow: { session, from: 0 } })
    send({ id: 3, operation: { _tag: "Say", session, text: "hello" } })
    expect(await until(({ event, id }) => id === 2 && event?.at?.event._tag === "TaskFinished")).toMatchObject({ event: { at: { event: { result: "Hi." } } } })
    send({ id: 4, sessions: {} })
    expect(await until(({ id }) => id === 4)).toMatchObject({ sessions: [{ id: session, isOpen: true }] })
    send({ id: 5, operation: { _tag: "Say", session: "00000000", text: "hello" } })
    expect(await until(({ id }) => id === 5)).toMatchObject({ error: { reason: "NotFound" } })
    send({ cancel: 2 })
    running.child.stdin!.write("nonsense\n")
    expect(await until(({ id }) => id === -1)).toMatchObject({ error: { reason: "Invalid" } })
    running.child.stdin!.end()
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" })
  })
})

it("continues a fork in the server that made it", async () => {
  await using place = Process.scene()
  const server = await serve(place, place.script({ text: "One." }, { text: "Two." }))
  const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
  await server.operate({ _tag: "Say", session, text: "first" })
  await server.events(session, 0, isEnd)
  const { session: fork } = await server.operate({ _tag: "Fork", session })
  expect(fork).not.toBe(session)
  expect(await server.operate({ _tag: "Say", session: fork, text: "second" })).toMatchObject({ session: fork })
  expect((await server.events(fork, 0, ({ at }) => at?.event.result === "Two.")).some(isEnd)).toBe(true)
  await server.stop()
})

it("runs the hooks for the start and the end of a session and of its fork once each, and none for a fork that nobody used", async () => {
  await using place = Process.scene()
  const file = join(place.root, "hooks.txt")
  const hook = (event: string) => [{ hooks: [{ type: "command", command: `sed 's/.*"session_id":"\\([^"]*\\)".*/${event} \\1/' >> ${file}; echo >> ${file}` }] }]
  mkdirSync(join(place.root, "home"), { recursive: true })
  writeFileSync(join(place.root, "home", "config.jsonc"), JSON.stringify({ hooks: { SessionStart: hook("start"), SessionEnd: hook("end") } }))
  const server = await serve(place, place.script({ text: "One." }, { text: "Two." }))
  const { session } = await server.operate({ _tag: "Start", cwd: place.cwd })
  await server.operate({ _tag: "Say", session, text: "one" })
  await server.events(session, 0, isEnd)
  const { session: fork } = await server.operate({ _tag: "Fork", session })
  await server.operate({ _tag: "Fork", session })
  const { events } = await server.operate({ _tag: "Replay", session: fork, from: 0 })
  await server.operate({ _tag: "Say", session: fork, text: "two" })
  await server.events(fork, events.length, isEnd)
  await server.stop()
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => line !== "")
  expect(lines.toSorted()).toEqual([`end ${session}`, `end ${fork}`, `start ${session}`, `start ${fork}`].toSorted())
})
