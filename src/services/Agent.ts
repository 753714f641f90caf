/** Runs tasks: each session's loop is one supervised fiber. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Change, CheckpointError } from "../domain/workspace/Checkpoint.ts"
import type { LogError } from "../domain/session/LogError.ts"
import type { ProviderError } from "../domain/provider/ProviderError.ts"
import type { SettingsError } from "../domain/config/SettingsError.ts"
import type { Price } from "../domain/session/Usage.ts"
import type { Session } from "../domain/session/Session.ts"
import type { Mode } from "../domain/approval/Mode.ts"
import type { Delivery, Followed, SessionSettings } from "../domain/session/SessionEvent.ts"

/**
 * What is asked for when a session starts. Models are named `provider/model[:effort]`: `plan` answers in plan mode,
 * `fallback` when the model can't, `cheap` writes summaries and titles. `cwd` is absolute, the workspace's first root.
 * Left out: tool format by the model, no fallback, the provider's cheapest model that fits, mode `default`, the usual
 * limits, no rules, and questions are asked.
 */
export interface Wanted extends Partial<Omit<SessionSettings, "model" | "toolFormat" | "plan" | "fallback" | "cheap">> {
  readonly cwd: string
  readonly model: string
  readonly toolFormat?: SessionSettings["toolFormat"] | "auto"
  readonly plan?: string
  readonly fallback?: string
  readonly cheap?: string
  /** The session that starts this one, and whose budget it spends. */
  readonly parent?: string
  /** Its id, a new one where absent; and a name to list it by. */
  readonly id?: string
  readonly name?: string
  /** What models cost, by `provider/model`, where the user knows better than the catalogue. */
  readonly prices?: Readonly<Record<string, Price>>
}

/**
 * Where to go back to: the moment after the event `to`. Files that were made since are deleted where we made them; those
 * that the user made, only where `remove` names them.
 */
export interface Back {
  readonly to: number
  readonly files: boolean
  readonly conversation: boolean
  readonly remove: ReadonlyArray<string>
}

/** What going back did to the files; `kept` were made since and are still there. */
export interface WentBack {
  readonly changes: ReadonlyArray<Change>
  readonly kept: ReadonlyArray<string>
}

export class Agent extends Context.Service<Agent, {
  /** A new session in `cwd`; nothing runs until something is said. */
  readonly start: (wanted: Wanted) => Effect.Effect<string, LogError | ProviderError | SettingsError>
  /** Takes up a session under these settings; with `goOn` an unfinished task runs on. */
  readonly resume: (
    id: string,
    options: { readonly wanted: Partial<Omit<Wanted, "cwd">>; readonly goOn: boolean }
  ) => Effect.Effect<void, LogError | ProviderError | SettingsError>
  /** Waits until nothing runs, then goes back; an event that can be undone by another. */
  readonly rewind: (id: string, back: Back) => Effect.Effect<WentBack, LogError | CheckpointError>
  /** A new session that has the events of another up to `at` (its last) for its own, under these settings; nothing runs. */
  readonly fork: (
    origin: string,
    options: { readonly at?: number; readonly wanted: Partial<Omit<Wanted, "cwd">> }
  ) => Effect.Effect<string, LogError | ProviderError | SettingsError>
  /**
   * Logged when it returns. Begins a task, steers the running one, or waits for its end. In words of an `agent` nothing is
   * a mention or a command.
   */
  readonly say: (id: string, text: string, delivery?: Delivery, from?: "user" | "agent") => Effect.Effect<void, LogError>
  /** From the next step on; logged when it returns. */
  readonly switchMode: (id: string, mode: Mode) => Effect.Effect<void, LogError>
  /** Makes what the model is shown of the conversation smaller: before the next request, or now where nothing runs. `words`: what of it matters. */
  readonly compact: (id: string, words?: string) => Effect.Effect<void, LogError>
  /** Stops what runs: every open call has an outcome and no process is left when it returns. */
  readonly interrupt: (id: string, why: string) => Effect.Effect<void>
  /** Waits until nothing runs any more, and gives the state. */
  readonly settled: (id: string) => Effect.Effect<Session, LogError>
  readonly state: (id: string) => Effect.Effect<Session, LogError>
  readonly follow: (id: string, from: number) => Stream.Stream<Followed, LogError>
}>()("dacapo/Agent") {}
