/** Trust that is kept nowhere: these folders and what is beneath them are trusted, until that is changed. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Location from "../../domain/approval/Location.ts"
import { Trust } from "../../services/Trust.ts"

export const layer = (folders: ReadonlyArray<string>): Layer.Layer<Trust> =>
  Layer.effect(Trust, Effect.sync(() => {
    const trusted = new Set(folders)
    const refused = new Set<string>()
    const holds = (folder: string) => Location.isInsideAny([...trusted], folder)
    return Trust.of({
      holds: (folder) => Effect.sync(() => holds(folder)),
      answered: (folder) => Effect.sync(() => holds(folder) || refused.has(folder)),
      change: (folder, isTrusted) => Effect.sync(() => {
        const [to, from] = isTrusted ? [trusted, refused] : [refused, trusted]
        to.add(folder)
        from.delete(folder)
      }),
      waiting: () => Effect.succeed([])
    })
  }))
