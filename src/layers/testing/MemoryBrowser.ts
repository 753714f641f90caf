/** A browser of pages that are written in a test: they open, behind the same rules, and nothing in them moves. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { placeOf } from "../../domain/approval/BrowserReach.ts"
import { BrowserError } from "../../domain/network/BrowserError.ts"
import * as Clip from "../../domain/tool/Clip.ts"
import { Browser, limits, type Seen } from "../../services/Browser.ts"
import type { Pages } from "./MemoryWeb.ts"

/** A screenshot of nothing: a PNG of one pixel. */
export const pixel = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (char) => char.charCodeAt(0)
)

const fail = (reason: BrowserError["reason"], message: string) => Effect.fail(new BrowserError({ reason, message }))

/** A browser that knows these pages. */
export const layer = (pages: Pages = {}): Layer.Layer<Browser> =>
  Layer.sync(Browser, () => {
    const open = new Map<string, Seen>()
    return Browser.of({
      close: (session) => Effect.sync(() => open.delete(session)),
      perform: (session, reach, action) =>
        Effect.suspend(() => {
          const there = open.get(session)
          if (action._tag !== "Open") {
            if (there === undefined) return fail("NoPage", "No page is open: begin with action open and a url.")
            return Effect.succeed(action._tag === "Screenshot" ? { ...there, image: pixel } : there)
          }
          const { url } = action
          const why = reach.refusal(url, new Set([placeOf(url) ?? ""]))
          if (why !== undefined) return fail("Refused", `${url}: ${why}.`)
          const page = pages[url]
          if (page === undefined) return fail("Unreachable", `${url}: there is no such page.`)
          const text = typeof page === "string" ? page : page.text
          const seen: Seen = { url, title: /<title>(.*?)<\/title>/i.exec(text)?.[1] ?? "", outline: Clip.middle(text.replace(/<[^>]+>/g, " ").trim(), limits.outline), lines: [] }
          open.set(session, seen)
          return Effect.succeed(seen)
        })
    })
  })
