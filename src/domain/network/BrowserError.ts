/** Something that could not be done in the browser, by what the reader can do next. */
import * as Schema from "effect/Schema"

/**
 * - `Missing`: there is no browser here, or nothing to drive it; `Broken`: it did not start, or it died.
 * - `NoPage`: nothing was opened yet. `Refused`: the guard does not let a page be asked for.
 * - `Elsewhere`: the page is at a place that nobody opened. `Unreachable`: the page did not come.
 * - `Target`: what was to be used is not there, or can't be used.
 */
export class BrowserError extends Schema.TaggedError<BrowserError>()("BrowserError", {
  reason: Schema.Literals(["Missing", "Broken", "NoPage", "Refused", "Elsewhere", "Unreachable", "Target"]),
  message: Schema.String
}) {}
