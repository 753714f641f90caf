/** Web pages, behind the network guard: no byte is sent to a blocked address. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WebError } from "../domain/network/WebError.ts"

export interface PageRequest {
  readonly url: string
  /** Whether one of the user's rules names this URL's host: only then may it be on a private network. */
  readonly isHostAllowed: (url: string) => boolean
}

/** `url` is the final one after redirects; `isTruncated` says that the body was longer than the limit. */
export interface Page {
  readonly url: string
  /** As the server names it, without parameters, in lower case. */
  readonly type: string
  readonly text: string
  readonly isTruncated: boolean
}

export class Web extends Context.Service<Web, {
  /** One GET without cookies or credentials; redirects are followed on the same host, each judged and connected separately. */
  readonly get: (request: PageRequest) => Effect.Effect<Page, WebError>
}>()("dacapo/Web") {}
