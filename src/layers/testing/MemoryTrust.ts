/** Trust in memory: these folders and everything beneath them are trusted with any content, until that is changed. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PathSpec from "../../domain/approval/PathSpec.ts"
import { Trust } from "../../services/Trust.ts"

/** A user who trusts these folders. */
export const layer = (folders: ReadonlyArray<string>): Layer.Layer<Trust> =>
  Layer.effect(
    Trust,
    Effect.sync(() => {
      const trustedFolders = new Set(folders)
      const isTrusted = (folder: string) => PathSpec.isInsideAny([...trustedFolders], folder)
      return Trust.of({
        isTrusted: (folder) => Effect.sync(() => isTrusted(folder)),
        activePredicate: (folder) => Effect.sync(() => () => isTrusted(folder)),
        change: (folder, answer) =>
          Effect.sync(() => {
            if (answer === "trusted") trustedFolders.add(folder)
            if (answer === "refused") trustedFolders.delete(folder)
          }),
        items: () => Effect.succeed([]),
        pendingItems: () => Effect.succeed([]),
        preserveTrust: (_, __, change) => change
      })
    })
  )
