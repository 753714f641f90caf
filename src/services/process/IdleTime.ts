/** How long this process has had nothing to do, in ms since any moment. */
import * as Context from "effect/Context"

/** By default what the event loop has measured. Where time is virtual, all of it passes in idleness. */
export const IdleTime = Context.Reference<() => number>("dacapo/IdleTime", {
  defaultValue: () => () => performance.eventLoopUtilization().idle
})
