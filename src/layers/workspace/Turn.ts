/** Lets whatever else waits in this process have its turn, between two pieces of work that are done at once. */
import { setImmediate } from "node:timers/promises"

export const give = (): Promise<void> => setImmediate()
