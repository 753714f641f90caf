/** The prompt of a request beside the conversation, as a log keeps it: a replay sends it again, word for word. */
import * as Schema from "effect/Schema"
import { Message } from "../message/Message.ts"
import type { ModelRequest } from "../provider/ModelRequest.ts"

const Stored = Schema.fromJsonString(Schema.Struct({ system: Schema.String, messages: Schema.Array(Message) }))

export type RecordedPrompt = Pick<ModelRequest, "messages" | "system">

/** As the text of a blob. */
export const encode = ({ messages, system }: RecordedPrompt): string => JSON.stringify({ system, messages })

/** What `encode` wrote. */
export const decode = Schema.decodeUnknownEffect(Stored)
