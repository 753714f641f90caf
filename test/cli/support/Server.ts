/** A running `dacapo serve`, and a client of it. */
import { expect } from "@effect/vitest"
import * as ClientEvents from "./ClientEvents.ts"
import * as Process from "./Process.ts"

export type Event = Record<string, any>

export const serve = async (place: Process.Place, model: string, ...more: ReadonlyArray<string>) => {
  const running = Process.start(place, ["serve", "--model", model, ...more])
  await running.shows("stderr", /Bearer \S+\n/)
  const [, url = ""] = /at (http:\S+)\./.exec(running.said("stderr"))!
  const [, token = ""] = /Bearer (\S+)/.exec(running.said("stderr"))!
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const operate = async (operation: object): Promise<Event> =>
    await (await fetch(`${url}/operations`, { method: "POST", headers, body: JSON.stringify(operation) })).json() as Event
  return {
    url,
    token,
    running,
    operate,
    get: async (path: string): Promise<any> => await (await fetch(`${url}${path}`, { headers })).json(),
    /** Client events up to the first that fits. */
    events: async (session: string, from: number, isLast: (event: Event) => boolean): Promise<ReadonlyArray<Event>> => {
      const after = from === 0 ? {} : { "last-event-id": `${from - 1}` }
      const all: Array<Event> = []
      for await (const event of ClientEvents.read(await fetch(`${url}/sessions/${session}/events`, { headers: { ...headers, ...after } }))) {
        all.push(event)
        if (isLast(event)) break
      }
      return all
    },
    stop: async () => {
      running.child.kill("SIGTERM")
      expect(await running.ended).toMatchObject({ code: 143 })
    }
  }
}

export const isEnd = ({ at }: Event): boolean => at?.event._tag === "TaskFinished"
export const seqs = (events: ReadonlyArray<Event>) => events.flatMap(({ at }) => at === undefined ? [] : [at.seq as number])
