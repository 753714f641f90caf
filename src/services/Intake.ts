/** What a user typed, made into what the model is told: commands of theirs written out, mentions read. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Content } from "../domain/message/Message.ts"
import type { SlashCommand } from "../domain/message/SlashCommand.ts"
import type { LogError } from "../domain/session/LogError.ts"
import type { Session } from "../domain/session/Session.ts"

/** `parts` stand behind the text, in its order; what could not be read is a notice among them. */
export interface Read {
  readonly text: string
  readonly parts: ReadonlyArray<Content>
}

export class Intake extends Context.Service<Intake, {
  readonly read: (
    at: { readonly session: Session; readonly putBlob: (bytes: Uint8Array) => Effect.Effect<string, LogError>; readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError> },
    text: string
  ) => Effect.Effect<Read, LogError>
  /** Commands that users wrote down for this folder. */
  readonly commands: (cwd: string) => Effect.Effect<ReadonlyArray<SlashCommand>>
}>()("dacapo/Intake") {}
