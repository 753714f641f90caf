/** Claude on Amazon Bedrock in its maker's own wire: each event comes as base64 in a frame, errors as frames of their own. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as AnthropicMessages from "./AnthropicMessages.ts"
import * as BedrockStream from "./BedrockStream.ts"
import type { Protocol } from "./Protocol.ts"

/** What a frame holds, or a frame that holds no event. */
export type Event = { readonly event: AnthropicMessages.Event } | { readonly frame: BedrockStream.Event }

/** Throws for what is no JSON. Servers that copy the service put the event into the frame as it is. */
export const decode = (data: string): Event => {
  const frame = JSON.parse(data) as BedrockStream.Event
  const { bytes, type } = frame.chunk ?? {}
  return typeof bytes === "string" ? { event: JSON.parse(Result.getOrThrow(Base64.decodeString(bytes))) as AnthropicMessages.Event }
    : typeof type === "string" ? { event: frame.chunk as unknown as AnthropicMessages.Event }
    : { frame }
}

const { failure, step, ...wire } = AnthropicMessages.protocol

export const protocol: Protocol<AnthropicMessages.State, Event> = {
  ...wire,
  encode: AnthropicMessages.hosted({ anthropic_version: "bedrock-2023-05-31" }),
  step: (state, got) => step(state, "event" in got ? got.event : { type: "frame", ...got.frame }),
  failure: (got) => "event" in got ? failure(got.event) : BedrockStream.failure(got.frame)
}
