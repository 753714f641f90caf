/** Pages of the world outside, behind the network guard: what may not be reached gets no byte. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { WebError } from "../domain/network/WebError.ts"

export interface Asked {
  readonly url: string
  /** Whether a rule of the user names this URL's host: only then may it be of a private network. */
  readonly named: (url: string) => boolean
}

/** `url` is where redirects led; `cut` says that the body was longer than what is read of one. */
export interface Page {
  readonly url: string
  /** As the server names it, without parameters, in lower case. */
  readonly type: string
  readonly text: string
  readonly cut: boolean
}

export class Web extends Context.Service<Web, {
  /** One GET without cookies or credentials; redirects are followed on the same host, each judged and connected anew. */
  readonly get: (asked: Asked) => Effect.Effect<Page, WebError>
}>()("dacapo/Web") {}
