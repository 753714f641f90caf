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
 * The options for a new session. Models are named `provider/model[:effort]`: `plan` responds in plan mode, those of
 * `fallback` take over in their order when a request fails (a single name instead of a list: only after temporary
 * failures, until the task ends), `cheap` writes summaries and titles. `cwd` is absolute, the workspace's first root.
 * Defaults: the model's tool format, no fallback, the provider's cheapest model that fits, mode `default`, the usual
 * limits, no rules, and approval prompts.
 */
export interface SessionOptions
  extends Partial<Omit<SessionSettings, "model" | "toolFormat" | "plan" | "fallback" | "fallbacks" | "cheap">>
{
  readonly cwd: string
  readonly model: string
  readonly toolFormat?: SessionSettings["toolFormat"] | "auto"
  readonly plan?: string
  readonly fallback?: string | ReadonlyArray<string>
  readonly cheap?: string
  /** The session that starts this one, and whose budget it spends. */
  readonly parent?: string
  /** Its id, a new one if absent; and a display name. */
  readonly id?: string
  readonly name?: string
  /** Prices by `provider/model`, if the user knows better than the catalogue. */
  readonly prices?: Readonly<Record<string, Price>>
}

/**
 * The rewind target: the moment after the event `to`. Files created since are deleted if we created them; those that
 * the user created, only if `remove` names them.
 */
export interface RewindOptions {
  readonly to: number
  readonly files: boolean
  readonly conversation: boolean
  readonly remove: ReadonlyArray<string>
}

/** What the rewind did to the files; `remaining` were created since and are still there. */
export interface RewindResult {
  readonly changes: ReadonlyArray<Change>
  readonly remaining: ReadonlyArray<string>
}

export class Agent extends Context.Service<Agent, {
  /** Creates a session in `cwd`; nothing runs until the first message. */
  readonly start: (options: SessionOptions) => Effect.Effect<string, LogError | ProviderError | SettingsError>
  /** Resumes a session under these settings; with `shouldContinue` an unfinished task continues. */
  readonly resume: (
    id: string,
    options: { readonly overrides: Partial<Omit<SessionOptions, "cwd">>; readonly shouldContinue: boolean }
  ) => Effect.Effect<void, LogError | ProviderError | SettingsError>
  /** Waits until nothing runs, then rewinds; one event, which another can undo. */
  readonly rewind: (id: string, options: RewindOptions) => Effect.Effect<RewindResult, LogError | CheckpointError>
  /** Creates a session from the events of another up to `at` (default: its last), under these settings; nothing runs. `id`: its own. */
  readonly fork: (
    origin: string,
    options: { readonly at?: number; readonly id?: string; readonly overrides: Partial<Omit<SessionOptions, "cwd">> }
  ) => Effect.Effect<string, LogError | ProviderError | SettingsError>
  /**
   * Logged when it returns. Begins a task, steers the running one, or waits for its end. In a message from an `agent`
   * nothing is a mention or a command. A message whose `key` is in the log already is not logged again.
   */
  readonly say: (id: string, text: string, delivery?: Delivery, from?: "user" | "agent", key?: string) => Effect.Effect<void, LogError>
  /** Effective from the next step; logged when it returns. */
  readonly switchMode: (id: string, mode: Mode) => Effect.Effect<void, LogError>
  /** The model `provider/model[:effort]` answers from the next request on; logged when it returns. */
  readonly switchModel: (id: string, model: string) => Effect.Effect<void, LogError | ProviderError | SettingsError>
  /** Compacts the conversation: before the next request, or now if nothing runs. `instructions`: what matters in it. */
  readonly compact: (id: string, instructions?: string) => Effect.Effect<void, LogError>
  /**
   * Stops whatever runs: when it returns, every open call has an outcome and none of their processes is left. A checkpoint of what
   * they changed follows, unless `savesFiles` is false, as in the replay of a session that was recorded without it. If that can't be
   * logged it fails, and nothing runs any more either: the session is closed when it is resumed, as after a crash.
   */
  readonly interrupt: (id: string, why: string, savesFiles?: boolean) => Effect.Effect<void, LogError>
  /** Waits until nothing runs any more, and returns the state. */
  readonly settled: (id: string) => Effect.Effect<Session, LogError>
  readonly state: (id: string) => Effect.Effect<Session, LogError>
  readonly follow: (id: string, from: number) => Stream.Stream<Followed, LogError>
}>()("dacapo/Agent") {}
