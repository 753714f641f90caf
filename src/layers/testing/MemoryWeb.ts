/** Web pages defined in a test, behind the same guard over URLs. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WebError } from "../../domain/network/WebError.ts"
import * as WebUrl from "../../domain/network/WebUrl.ts"
import { type Page, Web } from "../../services/Web.ts"

/** Pages by their URL; a text is of type `text/html`. */
export type Pages = Readonly<Record<string, string | Omit<Page, "url">>>

/** A web of these pages, behind the same guard as the real one. */
export const layer = (pages: Pages = {}): Layer.Layer<Web> =>
  Layer.succeed(
    Web,
    Web.of({
      get: ({ isHostAllowed, url }) => {
        const target = WebUrl.read(url)
        if (target._tag === "Refused" || (target._tag === "Private" && !isHostAllowed(url))) {
          return Effect.fail(new WebError({ url, reason: "Refused", message: `This URL is not fetched: ${target.why}.` }))
        }
        const page = pages[url]
        return page === undefined
          ? Effect.fail(new WebError({ url, reason: "Status", message: "The server responded with status 404." }))
          : Effect.succeed({ url, ...(typeof page === "string" ? { type: "text/html", text: page, isTruncated: false } : page) })
      }
    })
  )
