/**
 * A session as the page follows it. Events change plain data at once; signals change once a frame, so that a fast model costs no more
 * than one drawing for each frame.
 */
import { batch, signal, type ReadonlySignal } from "@preact/signals"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { PendingRequest } from "../../domain/control/PendingRequest.ts"
import type { Operation } from "../../domain/control/Operation.ts"
import * as History from "../model/History.ts"
import * as LiveResponse from "../model/LiveResponse.ts"
import * as Api from "./Api.ts"
import { monotonicMs, nextFrame, pause } from "./Frames.ts"
import { report, requireLogin } from "./Messages.ts"

export type Connection = "loading" | "live" | "stored" | "reconnecting"

/** A request, and when it appeared here, in ms since the page was loaded. */
export interface Pending {
  readonly request: PendingRequest
  readonly since: number
}

export interface SessionStore {
  readonly id: string
  readonly history: History.History
  /** Counts the changes of the settled part. */
  readonly version: ReadonlySignal<number>
  readonly live: ReadonlySignal<LiveResponse.LiveResponse>
  readonly pending: ReadonlySignal<ReadonlyArray<Pending>>
  readonly connection: ReadonlySignal<Connection>
  /** Runs an operation on this session; a refusal is shown. */
  readonly operate: (operation: Operation) => Promise<boolean>
  readonly close: () => void
}

/** Pauses before the next attempt to connect, in ms; the last one repeats. */
const pauses = [250, 500, 1_000, 2_000, 5_000]

/** How often the log of a session is read that another process may be writing, in ms. */
const pollMs = 2_500

export const open = (id: string): SessionStore => {
  const history = History.make()
  const version = signal(0)
  const live = signal(LiveResponse.empty)
  const pending = signal<ReadonlyArray<Pending>>([])
  const connection = signal<Connection>("loading")
  const abort = new AbortController()
  const wake = new Set<() => void>()
  let liveNow = LiveResponse.empty
  let pendingNow: ReadonlyArray<Pending> = []
  let isDrawn = true

  const draw = (): void => {
    if (!isDrawn) return
    isDrawn = false
    nextFrame(() => {
      isDrawn = true
      batch(() => {
        version.value = history.events.length
        live.value = liveNow
        pending.value = pendingNow
      })
    })
  }

  const receive = (event: ClientEvent): void => {
    switch (event._tag) {
      case "Settled":
        if (History.push(history, event.at) === "gap") throw new Api.RequestError(0, "Events are missing.")
        liveNow = LiveResponse.settle(liveNow, event.at)
        return
      case "Requested":
        pendingNow = [...pendingNow.filter(({ request }) => request.id !== event.request.id), {
          request: event.request,
          since: monotonicMs()
        }]
        return
      case "Resolved":
        pendingNow = pendingNow.filter(({ request }) => request.id !== event.id)
        return
      default:
        liveNow = LiveResponse.push(liveNow, event)
    }
  }

  const readLog = async (): Promise<boolean> => {
    const page = await Api.log(id, history.events.length)
    for (const at of page.events) receive({ _tag: "Settled", at })
    draw()
    return page.isOpen
  }

  /** Follows an open session until its connection ends; live events that were missed are gone, settled ones are not. */
  const follow = async (): Promise<void> => {
    // The server sends nothing, not even headers, before something happens.
    connection.value = "live"
    pendingNow = []
    draw()
    for await (const events of Api.follow(id, history.events.length, abort.signal)) {
      events.forEach(receive)
      draw()
    }
  }

  const run = async (): Promise<void> => {
    let attempts = 0
    while (!abort.signal.aborted) {
      try {
        const isOpen = await readLog()
        attempts = 0
        if (isOpen) {
          liveNow = { ...LiveResponse.empty, isPartial: history.current.session.model === "requested" }
          await follow()
          connection.value = "reconnecting"
        } else {
          connection.value = "stored"
          await pause(pollMs, wake, abort.signal)
        }
      } catch (error) {
        if (abort.signal.aborted) return
        connection.value = "reconnecting"
        if (error instanceof Api.RequestError && error.status === 401) await requireLogin(abort.signal)
        else if (error instanceof Api.RequestError && error.status === 404) return report(error.message)
        else await pause(pauses[Math.min(attempts++, pauses.length - 1)]!, wake, abort.signal)
      }
    }
  }
  void run()

  return {
    id,
    history,
    version,
    live,
    pending,
    connection,
    operate: async (operation) => {
      try {
        await Api.operate(operation)
        wake.forEach((resolve) => resolve())
        return true
      } catch (error) {
        report(error instanceof Error ? error.message : String(error))
        return false
      }
    },
    close: () => abort.abort()
  }
}
