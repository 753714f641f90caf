/** A page that was not fetched, by what the reader can do next. */
import * as Schema from "effect/Schema"

/**
 * - `Refused`: the guard does not allow the page, or what it leads to.
 * - `Elsewhere`: it redirects to another host, `url`, which needs its own decision.
 * - `Kind`: it can't be read as text. `Status`: the server responded with an error.
 * - `Unreachable`: no name, no connection, a broken response. `TimedOut`: it took too long.
 */
export class WebError extends Schema.TaggedError<WebError>()("WebError", {
  url: Schema.String,
  reason: Schema.Literals(["Refused", "Elsewhere", "Kind", "Status", "Unreachable", "TimedOut"]),
  message: Schema.String
}) {}
