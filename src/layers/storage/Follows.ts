/** Whether lines follow what a session's log ends with: what every back-end asks before it appends. */
import { LogError } from "../../domain/session/LogError.ts"
import type { Line } from "../../services/Storage.ts"

/** The place after which lines may come: the last seq and its hash. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** The head of a log without lines. */
export const start: Head = { seq: -1, hash: "" }

/** The first line that doesn't follow the one before it, as an error; undefined when all do. */
export const broken = (session: string, head: Head, lines: ReadonlyArray<Line>): LogError | undefined => {
  let last = head
  for (const line of lines) {
    if (line.seq !== last.seq + 1 || line.prev !== last.hash) {
      return new LogError({
        session,
        message: `Event ${line.seq} does not follow event ${last.seq}, with which the log of session ${session} ends.`,
        reason: { _tag: "Corrupt", seq: line.seq }
      })
    }
    last = line
  }
  return undefined
}
