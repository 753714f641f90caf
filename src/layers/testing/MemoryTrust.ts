/** Trust that is kept nowhere: these folders and what is beneath them are trusted, until that is changed. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Location from "../../domain/approval/Location.ts"
import { Trust } from "../../services/Trust.ts"

export const layer = (folders: ReadonlyArray<string>): Layer.Layer<Trust> =>
  Layer.effect(Trust, Effect.sync(() => {
    const trusted = new Set(folders)
    return Trust.of({
      holds: (folder) => Effect.sync(() => Location.isInsideAny([...trusted], folder)),
      change: (folder, isTrusted) => Effect.sync(() => void (isTrusted ? trusted.add(folder) : trusted.delete(folder))),
      waiting: () => Effect.succeed([])
    })
  }))
