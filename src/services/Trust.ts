/** Which folders the user trusts: what others put into any other folder does nothing by itself. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SettingsError } from "../domain/config/SettingsError.ts"

/** Something that lies in a folder and would act: a file, and what it would do. */
export interface Waiting {
  /** Relative to the folder. */
  readonly path: string
  readonly what: string
}

export class Trust extends Context.Service<Trust, {
  /** True for a folder that the user trusts, and for all beneath it. */
  readonly holds: (folder: string) => Effect.Effect<boolean, SettingsError>
  /** Whether it holds, or the user has said of this very folder that it does not: then nobody asks. */
  readonly answered: (folder: string) => Effect.Effect<boolean, SettingsError>
  /** Keeps what the user says of a folder. */
  readonly change: (folder: string, trusted: boolean) => Effect.Effect<void, SettingsError>
  /** What of a folder acts once it is trusted. */
  readonly waiting: (folder: string) => Effect.Effect<ReadonlyArray<Waiting>>
}>()("dacapo/Trust") {}
