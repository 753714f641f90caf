/**
 * Messages of the user, one JSON object a line, while the agent works: the shape in which other agents take them
 * (Claude Code's `--input-format stream-json`), and beside it whether one steers the running task or waits for its end.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Delivery } from "../../domain/session/SessionEvent.ts"
import { InputError } from "../process/CliError.ts"
import * as Protocol from "../render/json/StreamJsonSchema.ts"

export interface Said {
  readonly text: string
  readonly delivery: Delivery
}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Protocol.Input))

const expected = "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"…\"},\"delivery\":\"steer\" or \"queue\"}"

/** What each line says; a message without a delivery waits for the end of the task. Empty lines say nothing. */
export const said = (lines: Stream.Stream<string, InputError>): Stream.Stream<Said, InputError> =>
  lines.pipe(
    Stream.zipWithIndex,
    Stream.filter(([line]) => line.trim() !== ""),
    Stream.mapEffect(([line, i]) =>
      decode(line).pipe(Effect.matchEffect({
        onFailure: () => new InputError({ message: `Line ${i + 1} of standard input is no message: a line is ${expected}.` }),
        onSuccess: ({ delivery = "queue", message: { content } }) =>
          Effect.succeed<Said>({ text: typeof content === "string" ? content : content.map(({ text }) => text).join("\n"), delivery })
      }))
    )
  )
