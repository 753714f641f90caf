/** Commands in the background that have ended, unless a tool result has said so: checked before each request. */
import * as Effect from "effect/Effect"
import type { EndedCommand } from "../../../domain/session/SessionEvent.ts"
import { type BackgroundCommand, BackgroundCommands } from "../../../services/BackgroundCommands.ts"
import { define } from "../../../services/Source.ts"

export const ended = define({
  name: "ended",
  isFixed: false,
  gather: Effect.fn("ended")(function*({ session }) {
    if (session === undefined) return {}
    const commands = yield* (yield* BackgroundCommands).list(session)
    return commands.length === 0 ? {} : { ended: commands.flatMap(endedCommand) }
  })
})

/** The last lines of output that are kept in the log, and the characters of each line. */
const limits = { lines: 5, characters: 200 }

const endedCommand = ({ command, durationMs, exit, id, isReported, output }: BackgroundCommand): ReadonlyArray<EndedCommand> => {
  const status = exit()
  if (status === undefined || isReported()) return []
  const lines = output.excerpt().output.split("\n").filter((line) => line.trim() !== "").slice(-limits.lines)
  return [{
    id,
    command,
    ...status,
    durationMs: Math.round(durationMs() ?? 0),
    lines: lines.map((line) => line.slice(0, limits.characters))
  }]
}
