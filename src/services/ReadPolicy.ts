/** Which files' content may be part of a request of the current session. */
import * as Context from "effect/Context"

/** Paths are absolute; `target` is where `path` leads once all links are followed. */
export interface ReadPolicy {
  /** Why the content must not be read, as a sentence; undefined if it may be. */
  readonly refusal: (path: string, target: string) => string | undefined
  /** Whether a list may name the file: what a rule denies is not named. */
  readonly canList: (path: string, target: string) => boolean
}

/** Without a session, as in `dacapo skills`, nothing is sent to a model. */
export const ReadPolicy = Context.Reference<ReadPolicy>("dacapo/ReadPolicy", {
  defaultValue: () => ({ refusal: () => undefined, canList: () => true })
})
