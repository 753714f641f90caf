/**
 * Which folders the user trusts: in any other folder, files of others have no effect on their own. Trust is bound to
 * the content that the user approved: changed or new content waits for confirmation.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { SettingsError } from "../domain/config/SettingsError.ts"

/** Active content of a folder: a file, or a folder of files, and its effect. */
export interface TrustItem {
  /** Relative to the folder. */
  readonly path: string
  readonly effect: string
  /** Its files, each with the SHA-256 of its active content. */
  readonly files: Readonly<Record<string, string>>
  /** Those of its files that are inactive: the user has not confirmed their current content. */
  readonly changed: ReadonlyArray<string>
}

/** Whether the file at a path relative to the folder is active with this content: its value if it is JSON, else its text. */
export type ActivePredicate = (path: string, content: Schema.Json) => boolean

/** `unchanged`: previously confirmed content stays active, and the rest is not asked about again. */
export type TrustAnswer = "trusted" | "refused" | "unchanged"

export class Trust extends Context.Service<Trust, {
  /** True for a trusted folder, and for everything beneath it. */
  readonly isTrusted: (folder: string) => Effect.Effect<boolean, SettingsError>
  /** What is active in a folder, decided by content: read a file once, ask about what was read, use that. */
  readonly activePredicate: (folder: string) => Effect.Effect<ActivePredicate, SettingsError>
  /** The folder's content that is active, or would be once the user confirms it. */
  readonly items: (folder: string) => Effect.Effect<ReadonlyArray<TrustItem>>
  /** Its inactive content that the user has not been asked about in its current form. */
  readonly pendingItems: (folder: string) => Effect.Effect<ReadonlyArray<TrustItem>, SettingsError>
  /** Stores the user's decision about a folder, for the content that was shown. */
  readonly change: (folder: string, answer: TrustAnswer, items: ReadonlyArray<TrustItem>) => Effect.Effect<void, SettingsError>
  /** Performs the user's own change of a file in a folder: if it was active before, or did not exist, it is active afterwards. */
  readonly preserveTrust: <A, E, R>(folder: string, path: string, change: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SettingsError, R>
}>()("dacapo/Trust") {}
