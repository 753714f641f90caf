/** A browser with pages defined in a test: they open, behind the same rules, and are static. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hostPort } from "../../domain/approval/BrowserReach.ts"
import { BrowserError } from "../../domain/network/BrowserError.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import { Browser, limits, type PageSnapshot } from "../../services/Browser.ts"
import type { Pages } from "./MemoryWeb.ts"

/** A blank screenshot: a PNG of one pixel. */
export const pixel = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (char) => char.charCodeAt(0)
)

const fail = (reason: BrowserError["reason"], message: string) => Effect.fail(new BrowserError({ reason, message }))

/** A browser that knows these pages. */
export const layer = (pages: Pages = {}): Layer.Layer<Browser> =>
  Layer.sync(Browser, () => {
    const openPages = new Map<string, PageSnapshot>()
    return Browser.of({
      isInstalled: Effect.succeed(true),
      close: (session) => Effect.sync(() => openPages.delete(session)),
      perform: (session, reach, action) =>
        Effect.suspend(() => {
          const current = openPages.get(session)
          if (action._tag !== "Open") {
            if (current === undefined) return fail("NoPage", "No page is open: start with action open and a url.")
            return Effect.succeed(action._tag === "Screenshot" ? { ...current, image: pixel } : current)
          }
          const { url } = action
          const reason = reach.refusal(url, new Set([hostPort(url) ?? ""]))
          if (reason !== undefined) return fail("Refused", `${url}: ${reason}.`)
          const page = pages[url]
          if (page === undefined) return fail("Unreachable", `${url}: the page does not exist.`)
          const text = typeof page === "string" ? page : page.text
          const state: PageSnapshot = {
            url,
            title: /<title>(.*?)<\/title>/i.exec(text)?.[1] ?? "",
            outline: Truncate.middle(text.replace(/<[^>]+>/g, " ").trim(), limits.outline),
            lines: []
          }
          openPages.set(session, state)
          return Effect.succeed(state)
        })
    })
  })
