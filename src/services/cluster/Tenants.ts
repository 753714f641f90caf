/** The tenants that share a session store: whose each session is, and what each tenant uses of the cluster. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Tenant } from "../../domain/config/Tenants.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Storage } from "../Storage.ts"
import type { SharedSpending } from "./SharedSpending.ts"

/** All of it is counted in the store, over every process that uses it. */
export interface TenantStore {
  /** Stores the tenants' limits, which apply to all processes from then on. */
  readonly define: (tenants: ReadonlyArray<Tenant>) => Effect.Effect<void, LogError>
  /** Whose session this is, also one that has only been claimed; undefined for a session of no tenant. */
  readonly tenantOf: (session: string) => Effect.Effect<string | undefined, LogError>
  /**
   * The store as one tenant sees it: other sessions do not exist, and what is begun in it is the tenant's. Maintenance that concerns all
   * sessions does nothing.
   */
  readonly storage: (tenant: string) => Storage["Service"]
  /** Makes a new session the tenant's, before it has events. */
  readonly claim: (tenant: string, session: string) => Effect.Effect<void, LogError>
  /** Counts a message; the result is 0, or the ms to wait if the tenant has sent as many as it may in a minute. */
  readonly countMessage: (tenant: string) => Effect.Effect<number, LogError>
  /**
   * Admits a message to a session, unless as many other sessions of the tenant work as may at once: those with a message that the cluster
   * has not answered, and those that one was admitted to. An admission ends with `admitted`, or after a minute.
   */
  readonly admit: (tenant: string, session: string, message: string) => Effect.Effect<boolean, LogError>
  /** The cluster has stored the message. */
  readonly admitted: (session: string, message: string) => Effect.Effect<void, LogError>
  /** What the tenant's sessions spend. */
  readonly spending: (tenant: string) => SharedSpending
}

/** Undefined for a store that nobody shares. */
export const Tenants = Context.Reference<TenantStore | undefined>("dacapo/Tenants", { defaultValue: () => undefined })
