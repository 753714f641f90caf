/** Lets long synchronous work yield to everything else that waits. */
import { setImmediate } from "node:timers/promises"

/** Continues when everything waiting has run: input, system callbacks, an interrupt. */
export const yieldToEventLoop = (): Promise<void> => setImmediate()
