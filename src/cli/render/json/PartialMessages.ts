/**
 * The events of a streaming response for `--include-partial-messages`, in the shape of the Anthropic Messages API: text and thinking
 * as deltas, a tool call as one delta when it is complete. The complete message follows as a line of its own.
 */
import type { Part } from "../../../domain/message/Part.ts"
import type { Followed } from "../../../domain/session/SessionEvent.ts"
import type * as Schema from "effect/Schema"
import type { StreamEvent } from "./ControlSchema.ts"
import * as StreamJson from "./StreamJson.ts"
import type { ToolNames } from "../../../domain/tool/ToolNames.ts"

/** `open` is the kind of the last content block, if it is open; `blocks` counts the blocks of the message. */
interface State {
  readonly isStarted: boolean
  readonly open: "text" | "thinking" | undefined
  readonly blocks: number
}

const idle: State = { isStarted: false, open: undefined, blocks: 0 }

type Event = StreamEvent["event"]

/** A step: the events for what was followed. It belongs to one stream. */
export const make = (model: () => string, names: ToolNames): (followed: Followed) => ReadonlyArray<Event> => {
  let state = idle

  const start = (): ReadonlyArray<Event> => {
    if (state.isStarted) return []
    state = { ...idle, isStarted: true }
    return [{
      type: "message_start",
      message: {
        id: "msg",
        type: "message",
        role: "assistant",
        model: model(),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 0, output_tokens: 0 }
      }
    }]
  }

  const close = (): ReadonlyArray<Event> => {
    if (state.open === undefined) return []
    state = { ...state, open: undefined }
    return [{ type: "content_block_stop", index: state.blocks - 1 }]
  }

  const openBlock = (kind: State["open"], block: Schema.JsonObject): ReadonlyArray<Event> => {
    const closing = close()
    state = { ...state, open: kind, blocks: state.blocks + 1 }
    return [...closing, { type: "content_block_start", index: state.blocks - 1, content_block: block }]
  }

  const delta = (delta: Schema.JsonObject): Event => ({ type: "content_block_delta", index: state.blocks - 1, delta })

  const ofPart = (part: Part): ReadonlyArray<Event> => {
    switch (part._tag) {
      case "Text":
        return [
          ...state.open === "text" ? [] : openBlock("text", { type: "text", text: "" }),
          delta({ type: "text_delta", text: part.text })
        ]
      case "Reasoning":
        return [
          ...state.open === "thinking" ? [] : openBlock("thinking", { type: "thinking", thinking: "", signature: "" }),
          ...part.text === "" ? [] : [delta({ type: "thinking_delta", thinking: part.text })],
          ...part.signature === undefined ? [] : [delta({ type: "signature_delta", signature: part.signature })]
        ]
      case "ToolCall": {
        if (part.partial || part.malformed !== undefined) return []
        const { input, name } = names.call(part.name, part.params as Schema.JsonObject)
        const opening = openBlock(undefined, { type: "tool_use", id: part.id, name, input: {} })
        return [
          ...opening,
          delta({ type: "input_json_delta", partial_json: JSON.stringify(input) }),
          { type: "content_block_stop", index: state.blocks - 1 }
        ]
      }
    }
  }

  return (followed) => {
    if (followed._tag === "Parsed") return [...start(), ...ofPart(followed.part)]
    if (followed._tag === "Discarded") {
      // The next attempt is a message of its own.
      state = idle
      return []
    }
    if (followed._tag !== "Settled" || followed.at.event._tag !== "ModelResponded" || !state.isStarted) return []
    const { stop, usage } = followed.at.event
    const closing = close()
    state = idle
    return [
      ...closing,
      {
        type: "message_delta",
        delta: { stop_reason: StreamJson.stopReason(stop), stop_sequence: null },
        usage: StreamJson.usage(usage)
      },
      { type: "message_stop" }
    ]
  }
}
