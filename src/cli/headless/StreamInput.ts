/**
 * Standard input of `--input-format stream-json`: one JSON object per line, read while the agent works. The format is that of Claude
 * Code: messages of the user, and control lines (ControlSchema).
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Image } from "../../domain/control/Operation.ts"
import type { Delivery } from "../../domain/session/SessionEvent.ts"
import { InputError } from "../process/CliError.ts"
import * as StreamJsonSchema from "../render/json/StreamJsonSchema.ts"

export interface InputMessage {
  readonly text: string
  readonly images?: ReadonlyArray<Image>
  readonly delivery: Delivery
}

/** A source that is read line by line: `next` is undefined at its end. */
export interface Lines {
  readonly next: Effect.Effect<StreamJsonSchema.Input | undefined, InputError>
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(StreamJsonSchema.Input))

const expectedFormat =
  "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"…\"},\"delivery\":\"steer\" or \"queue\"}, or a control line"

/** The content of a message. Without a delivery it waits for the end of the task. */
export const message = ({ delivery, message: { content }, priority }: StreamJsonSchema.UserInput): InputMessage => {
  const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content
  const images = blocks.flatMap((block) => block.type === "image" ? [{ mediaType: block.source.media_type, data: block.source.data }] : [])
  return {
    text: blocks.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n"),
    ...(images.length === 0 ? {} : { images }),
    delivery: delivery ?? (priority === "now" ? "steer" : "queue")
  }
}

/** Reads lines until the scope closes; empty lines are ignored. */
export const open = Effect.fnUntraced(function*(lines: Stream.Stream<string, InputError>) {
  const queue = yield* Queue.unbounded<StreamJsonSchema.Input, InputError | Cause.Done>()
  yield* lines.pipe(
    Stream.zipWithIndex,
    Stream.filter(([line]) => line.trim() !== ""),
    Stream.mapEffect(([line, i]) =>
      Effect.catch(
        decode(line),
        () => new InputError({ message: `Line ${i + 1} of standard input is not a valid message; expected ${expectedFormat}.` })
      )
    ),
    Stream.runIntoQueue(queue),
    Effect.forkScoped
  )
  return {
    next: Effect.catchIf(Queue.take(queue), Cause.isDone, () => Effect.succeed(undefined)) as Lines["next"]
  } satisfies Lines
})
