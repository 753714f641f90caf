/** What waits for an answer in the open sessions of the server, read again and again. */
import { signal } from "@preact/signals"
import type { Operation } from "../../domain/control/Operation.ts"
import type { WaitingRequest } from "../../domain/control/PageData.ts"
import * as Api from "./Api.ts"
import { after, monotonicMs } from "./Frames.ts"
import { attempt, report } from "./Messages.ts"

/** `since` is when it appeared here, in ms since the page was loaded. */
export interface Waiting extends Omit<WaitingRequest, "root"> {
  readonly root?: string
  readonly since: number
}

/** Unlike an id alone, it names one request of all sessions. */
export const keyOf = ({ request, session }: Pick<Waiting, "request" | "session">): string => `${session} ${request.id}`

export const waiting = signal<ReadonlyArray<Waiting>>([])

/** How often, in ms, while the page is visible. */
const refreshMs = 1_500

const refresh = async (): Promise<void> => {
  const list = await attempt(Api.waiting)
  if (list === undefined) return
  const past = new Map(waiting.value.map((one) => [keyOf(one), one]))
  const next = list.map((one) => past.get(keyOf(one)) ?? { ...one, since: monotonicMs() })
  if (next.length !== past.size || next.some((one) => !waiting.value.includes(one))) waiting.value = next
}

/** Keeps the list fresh until the returned function is called. */
export const start = (): () => void => {
  let isStopped = false
  const poll = async (): Promise<void> => {
    if (!document.hidden) await refresh()
    if (!isStopped) after(refreshMs, poll)
  }
  void poll()
  return () => {
    isStopped = true
  }
}

/** Answers one of them; a refusal is shown. */
export const operate = async (operation: Operation): Promise<boolean> => {
  const isDone = await Api.operate(operation).then(() => true, (error: Error) => (report(error.message), false))
  await refresh()
  return isDone
}
