/** The user's messages in the sessions of a folder, for the history of the input line. */
import * as Effect from "effect/Effect"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import * as UserShell from "./UserShell.ts"

/** How many messages are listed, and how many events may be read for them. */
const maxMessages = 200
const maxEvents = 20_000

/** The newest messages of the folder's newest sessions, oldest first. Sessions that are too long or damaged are left out. */
export const inFolder = Effect.fnUntraced(function*(cwd: string) {
  const sessions = yield* (yield* Storage).list({ cwd, limit: maxMessages, parent: null })
  const { read } = yield* EventLog
  const messages: Array<string> = []
  let readEvents = 0
  for (const { archived, events, id } of sessions) {
    if (archived === true || readEvents + events > maxEvents) continue
    if (messages.length >= maxMessages) break
    readEvents += events
    const log = yield* Effect.orElseSucceed(read(id), () => [])
    messages.unshift(...log.flatMap(({ event }) => event._tag === "UserSaid" ? [UserShell.withoutTranscript(event.text)] : []))
  }
  return messages.slice(-maxMessages)
})
