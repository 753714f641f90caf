/** Chromium by its driver: a browser of its own for each session that opens a page, started then and ended with the session's page. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Reach } from "../../domain/approval/BrowserReach.ts"
import { BrowserError } from "../../domain/network/BrowserError.ts"
import { Browser } from "../../services/Browser.ts"
import { Environment } from "../../services/Environment.ts"
import * as Pinned from "../network/Pinned.ts"
import * as ProcessTree from "../workspace/shell/ProcessTree.ts"
import * as Chromium from "./Chromium.ts"
import * as GuardProxy from "./GuardProxy.ts"
import * as Page from "./Page.ts"
import * as Requests from "./Requests.ts"

/** A page, the rules that hold for it now, and what ends it. */
interface Opened {
  readonly page: Page.Page
  readonly scope: Scope.Closeable
  reach: Reach
}

export const layerWith = (wires: Pinned.Wires): Layer.Layer<Browser, never, Environment> =>
  Layer.effect(Browser, Effect.gen(function*() {
    const environment = yield* Environment
    const layer = yield* Effect.scope
    const opened = new Map<string, Opened>()
    const ports = new Set<number>()
    const outer = environment.variables[ProcessTree.variable]
    let count = 0

    const open = Effect.fn("Browser.open")(function*(reach: Reach, scope: Scope.Closeable) {
      const marker = [...(outer === undefined ? [] : [outer]), `${ProcessTree.owner()}.browser-${++count}`].join("/")
      const one: { reach: Reach; page?: Page.Page } = { reach }
      const requests = Requests.make(() => one.reach)
      const guard: GuardProxy.Guard = {
        ports,
        named: (url) => one.reach.named(url),
        admitted: requests.admitted,
        refused: (url, why) => one.page?.refused(url, why)
      }
      const { port } = yield* GuardProxy.open(guard, wires)
      ports.add(port)
      const context = yield* Chromium.launch(environment, { marker, proxy: `http://127.0.0.1:${port}` })
      const page = yield* Effect.tryPromise({
        try: () => Page.attach(context, requests),
        catch: (cause) => new BrowserError({ reason: "Broken", message: `The browser has no page: ${String(cause)}` })
      })
      return Object.assign(one, { page, scope })
    })

    const close = (session: string) =>
      Effect.suspend(() => {
        const one = opened.get(session)
        opened.delete(session)
        return one === undefined ? Effect.succeed(false) : Effect.as(Scope.close(one.scope, Exit.void), true)
      })

    const start = (session: string, reach: Reach) =>
      Effect.gen(function*() {
        const scope = yield* Scope.fork(layer)
        const one = yield* open(reach, scope).pipe(Scope.provide(scope), Effect.onError(() => Scope.close(scope, Exit.void)))
        opened.set(session, one)
        return one
      })

    return Browser.of({
      close,
      perform: Effect.fn("Browser.perform")(function*(session, reach, action) {
        const there = opened.get(session)
        if (there === undefined && action._tag !== "Open") {
          return yield* new BrowserError({ reason: "NoPage", message: "No page is open: begin with action open and a url." })
        }
        const one = there ?? (yield* start(session, reach))
        one.reach = reach
        return yield* Effect.tryPromise({
          try: () => one.page.perform(action),
          catch: (cause) => cause instanceof BrowserError ? cause : new BrowserError({ reason: "Broken", message: String(cause) })
        }).pipe(
          Effect.onInterrupt(() => close(session)),
          Effect.tapError(({ reason }) => reason === "Broken" ? close(session) : Effect.void)
        )
      })
    })
  }))

export const layer: Layer.Layer<Browser, never, Environment> = layerWith(Pinned.wires)
