/** The session that a view belongs to, for parts deep in it that say something in its name. */
import { createContext } from "preact"
import type { SessionStore } from "../client/SessionStore.ts"

export const StoreContext = createContext<SessionStore | undefined>(undefined)
