/** Text without a terminal: progress on standard error, line by line. */
import type { Followed } from "../../domain/session/SessionEvent.ts"
import * as View from "./View.ts"

/** What `--verbose` says of an event; nothing for most. */
export const progress = (followed: Followed): string => {
  const line = followed._tag === "Settled" ? settled(followed.at.event) : followed._tag === "Notice" ? followed.text : undefined
  return line === undefined ? "" : `${View.text(line).replaceAll("\n", " ")}\n`
}

const settled = (event: Extract<Followed, { readonly _tag: "Settled" }>["at"]["event"]): string | undefined => {
  switch (event._tag) {
    case "SessionStarted":
      return `session ${event.id}`
    case "ModelRetrying":
      return `Attempt ${event.attempt} failed: ${event.message} Trying again in ${View.seconds(event.delayMs)}.`
    case "ToolProposed":
      return `${event.decision}: ${event.access.map(View.touch).join(", ")}`
    case "ToolStarted":
      return `${event.call} started`
    case "ToolFinished":
      return `${event.call} ${event.outcome.status}`
    case "CheckpointSaved":
      return `checkpoint ${event.id.slice(0, 10)} ${event.why}`
    case "CheckpointsOff":
      return `no checkpoints: ${event.why}`
    default:
      return undefined
  }
}
