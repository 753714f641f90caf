/** A browser action that failed, by what the reader can do next. */
import * as Schema from "effect/Schema"

/**
 * - `Missing`: no browser is installed, or nothing to drive it; `Broken`: it did not start, or it crashed.
 * - `NoPage`: nothing was opened yet. `Refused`: the guard does not allow the page.
 * - `Elsewhere`: the page is at a location that nobody opened. `Unreachable`: the page did not load.
 * - `Target`: the element is missing, or can't be used.
 */
export class BrowserError extends Schema.TaggedError<BrowserError>()("BrowserError", {
  reason: Schema.Literals(["Missing", "Broken", "NoPage", "Refused", "Elsewhere", "Unreachable", "Target"]),
  message: Schema.String
}) {}
