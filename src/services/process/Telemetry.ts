/** Sees every event that a session stores, for traces, metrics and logs of a running agent. By default nobody looks. */
import * as Context from "effect/Context"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import type { TraceContext } from "../../domain/telemetry/TraceContext.ts"

export interface TelemetryService {
  /** A session was opened for writing; `past` are the events that it has. */
  readonly open: (session: string, past: ReadonlyArray<SessionEvent>) => void
  /** It is not written any more, for now. */
  readonly close: (session: string) => void
  /** Events were stored, and `blobs` with them, by digest. Never waits and never fails. */
  readonly record: (session: string, events: ReadonlyArray<SessionEvent>, blobs: ReadonlyMap<string, Uint8Array>) => void
  /** The span of a running call: what its programs and servers should name as their parent. */
  readonly spanOf: (session: string, call: string) => TraceContext | undefined
}

const none: TelemetryService = { open: () => {}, close: () => {}, record: () => {}, spanOf: () => undefined }

export const Telemetry = Context.Reference<TelemetryService>("dacapo/Telemetry", { defaultValue: () => none })
