/** Processes user input for the model: custom slash commands expanded, mentions read. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Content } from "../domain/message/Message.ts"
import type { SlashCommand } from "../domain/message/SlashCommand.ts"
import type { LogError } from "../domain/session/LogError.ts"
import type { Session } from "../domain/session/Session.ts"

/** `parts` follow the text, in its order; what could not be read is a notice among them. */
export interface UserInput {
  readonly text: string
  readonly parts: ReadonlyArray<Content>
}

export class Intake extends Context.Service<Intake, {
  readonly read: (
    context: {
      readonly session: Session
      readonly putBlob: (bytes: Uint8Array) => Effect.Effect<string, LogError>
      readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
    },
    text: string
  ) => Effect.Effect<UserInput, LogError>
  /** Custom slash commands for this folder. */
  readonly commands: (cwd: string) => Effect.Effect<ReadonlyArray<SlashCommand>>
}>()("dacapo/Intake") {}
