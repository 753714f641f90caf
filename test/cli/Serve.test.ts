/** Programs use the command over HTTP: with its token and from this machine only. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import * as Process from "./support/Process.ts"

type Event = Record<string, any>

/** A running server, and a client of it. */
const serve = async (place: Process.Place, model: string) => {
  const running = Process.start(place, ["serve", "--model", model])
  await running.shows("stderr", /Bearer \S+\n/)
  const [, url = ""] = /at (http:\S+)\./.exec(running.said("stderr"))!
  const [, token = ""] = /Bearer (\S+)/.exec(running.said("stderr"))!
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const operate = async (operation: object): Promise<Event> =>
    await (await fetch(`${url}/operations`, { method: "POST", headers, body: JSON.stringify(operation) })).json() as Event
  return {
    url,
    token,
    operate,
    get: async (path: string): Promise<any> => await (await fetch(`${url}${path}`, { headers })).json(),
    /** Client events until one fits; then the connection is closed. */
    events: async (session: string, from: number, isLast: (event: Event) => boolean): Promise<ReadonlyArray<Event>> => {
      const abort = new AbortController()
      const response = await fetch(`${url}/sessions/${session}/events`, {
        headers: { ...headers, ...(from === 0 ? {} : { "last-event-id": `${from - 1}` }) },
        signal: abort.signal
      })
      const all: Array<Event> = []
      let text = ""
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        const blocks = (text + part).split("\n\n")
        text = blocks.pop()!
        for (const block of blocks) {
          const data = block.split("\n").find((line) => line.startsWith("data: "))
          if (data !== undefined) all.push(JSON.parse(data.slice(6)))
          if (isLast(all.at(-1)!)) {
            abort.abort()
            return all
          }
        }
      }
      return all
    },
    stop: async () => {
      running.child.kill("SIGTERM")
      expect(await running.ended).toMatchObject({ code: 143 })
    }
  }
}

const isEnd = ({ at }: Event): boolean => at?.event._tag === "TaskFinished"
const seqs = (events: ReadonlyArray<Event>) => events.flatMap(({ at }) => at === undefined ? [] : [at.seq as number])
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
})
