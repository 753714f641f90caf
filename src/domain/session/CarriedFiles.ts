/** What a log says about the files that it carries: which packs rebuild them, and whether they are the newest. */
import type { StoredRepository } from "../workspace/StoredFiles.ts"
import type { SessionEvent } from "./SessionEvent.ts"

/** A checkpoint, or a commit of the user's repository, and the blob of its pack. */
export interface CarriedPack {
  readonly id: string
  readonly blob: string
}

/**
 * `packs` and `repositoryPacks` in the order of their events: each builds on those before it. `checkpoint` shows the files, `seq` is its
 * event. `isCurrent`: no edit or command has ended since.
 */
export interface CarriedFiles {
  readonly checkpoint: string
  readonly seq: number
  readonly isCurrent: boolean
  readonly packs: ReadonlyArray<CarriedPack>
  readonly repository?: StoredRepository
  readonly repositoryPacks: ReadonlyArray<CarriedPack>
}

/** Undefined for a log that carries no files. */
export const of = (events: ReadonlyArray<SessionEvent>): CarriedFiles | undefined => {
  const saved = events.flatMap(({ event, seq }) => event._tag === "CheckpointSaved" && event.pack !== undefined ? [{ event, seq }] : [])
  const last = saved.at(-1)
  if (last === undefined) return undefined
  const repositories = saved.flatMap(({ event: { repository } }) => repository === undefined ? [] : [repository])
  const repository = repositories.at(-1)
  return {
    checkpoint: last.event.id,
    seq: last.seq,
    isCurrent: !changesFiles(events, last.seq),
    packs: saved.map(({ event }) => ({ id: event.id, blob: event.pack! })),
    ...(repository === undefined ? {} : { repository }),
    repositoryPacks: repositories.flatMap(({ head, pack }) => pack === undefined ? [] : [{ id: head, blob: pack }])
  }
}

/** Whether something of ours may have changed the files after `seq`. */
const changesFiles = (events: ReadonlyArray<SessionEvent>, after: number): boolean => {
  const changing = new Set<string>()
  return events.some(({ event, seq }) => {
    if (event._tag === "ToolProposed") {
      if (event.kind === "read") changing.delete(event.call)
      else changing.add(event.call)
    }
    return seq > after &&
      (event._tag === "ToolFinished" ? changing.has(event.call) && event.outcome.status !== "denied"
        : event._tag === "Rewound" && event.files)
  })
}
