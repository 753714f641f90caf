/** Long work that is no effect lets everything else that waits have its turn. */
import { setImmediate } from "node:timers/promises"

/** Goes on when what waits now has run: input, answers of the system, an interrupt. */
export const others = (): Promise<void> => setImmediate()
