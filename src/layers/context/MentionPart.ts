/** The part of a message that stands for a mention: what it brought, or why it brought nothing. */
import type * as Effect from "effect/Effect"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Clip from "../../domain/tool/Clip.ts"

/** Where mentions are read, and where the bytes of images go. */
export interface At {
  readonly session: Session
  readonly putBlob: (bytes: Uint8Array) => Effect.Effect<string, LogError>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
}

/** Characters that one mention may bring. */
export const most = 48_000

/** What it brought, clipped. */
export const shown = (mention: Mention.Mention, text: string): Content =>
  ({ _tag: "Text", text: `<mention of=${JSON.stringify(Mention.told(mention))}>\n${Clip.middle(text, most)}\n</mention>`, origin: "mention" })

/** Why it brought nothing, for the user and the model. */
export const notice = (mention: Mention.Mention, why: string): Content =>
  ({ _tag: "Text", text: `[${Mention.told(mention)} could not be read: ${why}]`, origin: "notice" })
