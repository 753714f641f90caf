/** The place of an event in a session, as people write it. */
import * as Effect from "effect/Effect"
import { UsageError } from "./process/CliError.ts"

export const parse = (text: string): Effect.Effect<number, UsageError> =>
  /^\d{1,12}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new UsageError({ message: `"${text}" is no event: a session's events are numbered from 0.` }))
