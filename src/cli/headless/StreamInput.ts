/**
 * User messages as one JSON object per line, read while the agent works. The format is that of Claude Code's
 * `--input-format stream-json`, with a `delivery` that says whether a message steers the running task or waits for its end.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Delivery } from "../../domain/session/SessionEvent.ts"
import { InputError } from "../process/CliError.ts"
import * as StreamJsonSchema from "../render/json/StreamJsonSchema.ts"

export interface InputMessage {
  readonly text: string
  readonly delivery: Delivery
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(StreamJsonSchema.Input))

const expectedFormat = "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"…\"},\"delivery\":\"steer\" or \"queue\"}"

/** The message of each line. A message without a delivery waits for the end of the task; empty lines are ignored. */
export const messages = (lines: Stream.Stream<string, InputError>): Stream.Stream<InputMessage, InputError> =>
  lines.pipe(
    Stream.zipWithIndex,
    Stream.filter(([line]) => line.trim() !== ""),
    Stream.mapEffect(([line, i]) =>
      decode(line).pipe(Effect.matchEffect({
        onFailure: () => new InputError({ message: `Line ${i + 1} of standard input is not a valid message; expected ${expectedFormat}.` }),
        onSuccess: ({ delivery = "queue", message: { content } }) =>
          Effect.succeed<InputMessage>({
            text: typeof content === "string" ? content : content.map(({ text }) => text).join("\n"),
            delivery
          })
      }))
    )
  )
