/** A page that was not fetched, by what the reader can do next. */
import * as Schema from "effect/Schema"

/**
 * - `Refused`: the guard does not let it be asked for, or what it leads to.
 * - `Elsewhere`: it leads to another host, `url`, which is a question of its own.
 * - `Kind`: it is nothing that can be read as text. `Status`: the server said no.
 * - `Unreachable`: no name, no connection, an answer that broke. `TimedOut`: it took too long.
 */
export class WebError extends Schema.TaggedError<WebError>()("WebError", {
  url: Schema.String,
  reason: Schema.Literals(["Refused", "Elsewhere", "Kind", "Status", "Unreachable", "TimedOut"]),
  message: Schema.String
}) {}
