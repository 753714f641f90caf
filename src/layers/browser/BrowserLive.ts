/**
 * Chromium through its driver: each session that opens a page gets its own browser, started then and closed with the
 * session's page.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { BrowserReach } from "../../domain/approval/BrowserReach.ts"
import { BrowserError } from "../../domain/network/BrowserError.ts"
import { Browser } from "../../services/Browser.ts"
import { Environment } from "../../services/Environment.ts"
import { Ids } from "../../services/Ids.ts"
import * as Pinned from "../network/Pinned.ts"
import * as ProcessTree from "../workspace/shell/ProcessTree.ts"
import * as Chromium from "./Chromium.ts"
import * as GuardProxy from "./GuardProxy.ts"
import * as Page from "./Page.ts"
import * as Requests from "./Requests.ts"

/** A page, the rules that currently apply to it, and what closes it. */
interface OpenPage {
  readonly page: Page.Page
  readonly scope: Scope.Closeable
  reach: BrowserReach
}

export const layerWith = (wires: Pinned.Wires): Layer.Layer<Browser, never, Environment | Ids> =>
  Layer.effect(
    Browser,
    Effect.gen(function*() {
      const environment = yield* Environment
      const ids = yield* Ids
      const layer = yield* Effect.scope
      const pages = new Map<string, OpenPage>()
      const ports = new Set<number>()

      const open = Effect.fn("Browser.open")(function*(reach: BrowserReach, scope: Scope.Closeable) {
        const marker = ProcessTree.marker(environment.variables)
        const state: { reach: BrowserReach; page?: Page.Page } = { reach }
        const requests = Requests.make(() => state.reach)
        const guard: GuardProxy.Guard = {
          ports,
          isHostAllowed: (url) => state.reach.namesHost(url),
          isAdmitted: requests.isAdmitted,
          onRefused: (url, why) => state.page?.onRefused(url, why)
        }
        const { password, port } = yield* GuardProxy.open(guard, wires).pipe(Effect.provideService(Ids, ids))
        ports.add(port)
        const context = yield* Chromium.launch(environment, {
          marker,
          proxy: { server: `http://127.0.0.1:${port}`, username: GuardProxy.user, password }
        })
        const page = yield* Effect.tryPromise({
          try: () => Page.attach(context, requests),
          catch: (cause) => new BrowserError({ reason: "Broken", message: `The browser has no page: ${String(cause)}` })
        })
        return Object.assign(state, { page, scope })
      })

      const close = (session: string) =>
        Effect.suspend(() => {
          const openPage = pages.get(session)
          pages.delete(session)
          return openPage === undefined ? Effect.succeed(false) : Effect.as(Scope.close(openPage.scope, Exit.void), true)
        })

      const start = (session: string, reach: BrowserReach) =>
        Effect.gen(function*() {
          const scope = yield* Scope.fork(layer)
          const openPage = yield* open(reach, scope).pipe(Scope.provide(scope), Effect.onError(() => Scope.close(scope, Exit.void)))
          pages.set(session, openPage)
          return openPage
        })

      return Browser.of({
        isInstalled: Effect.sync(() => Chromium.program(environment) !== undefined),
        close,
        perform: Effect.fn("Browser.perform")(function*(session, reach, action) {
          const existing = pages.get(session)
          if (existing === undefined && action._tag !== "Open") {
            return yield* new BrowserError({ reason: "NoPage", message: "No page is open: start with action open and a url." })
          }
          const openPage = existing ?? (yield* start(session, reach))
          openPage.reach = reach
          return yield* Effect.tryPromise({
            try: () => openPage.page.perform(action),
            catch: (cause) => cause instanceof BrowserError ? cause : new BrowserError({ reason: "Broken", message: String(cause) })
          }).pipe(
            Effect.onInterrupt(() => close(session)),
            Effect.tapError(({ reason }) => reason === "Broken" ? close(session) : Effect.void)
          )
        })
      })
    })
  )

export const layer: Layer.Layer<Browser, never, Environment | Ids> = layerWith(Pinned.wires)
