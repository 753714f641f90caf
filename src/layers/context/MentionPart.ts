/** The message part for a mention: its content, or why it has none. */
import type * as Effect from "effect/Effect"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"

/** Where mentions are read, and where the bytes of images are stored. */
export interface MentionContext {
  readonly session: Session
  readonly putBlob: (bytes: Uint8Array) => Effect.Effect<string, LogError>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
}

/** The maximum number of characters per mention. */
export const maxCharacters = 48_000

/** Its content, clipped. */
export const mentionText = (mention: Mention.Mention, text: string): Content => ({
  _tag: "Text",
  text: `<mention of=${JSON.stringify(Mention.mentionText(mention))}>\n${Truncate.middle(text, maxCharacters)}\n</mention>`,
  origin: "mention"
})

/** Why it has no content, for the user and the model. */
export const notice = (mention: Mention.Mention, why: string): Content => ({
  _tag: "Text",
  text: `[${Mention.mentionText(mention)} could not be read: ${why}]`,
  origin: "notice"
})
