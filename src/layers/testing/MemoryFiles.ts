/** Files that live as long as the layer: changes are written at once. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { JsonFiles } from "../../services/JsonFiles.ts"
import * as JsonText from "../settings/JsonText.ts"

/** `texts` change in place. */
export const layer = (texts: Map<string, string> = new Map()): Layer.Layer<JsonFiles> =>
  Layer.sync(JsonFiles, () =>
    JsonFiles.of({
      at: (file) => {
        const text = () => texts.get(file) ?? ""
        return Effect.succeed({
          value: Effect.sync(() => Result.getOrUndefined(JsonText.parse(text()))),
          lines: (path) => Effect.sync(() => JsonText.lines(text(), path)),
          change: (path, change) => Effect.sync(() => void texts.set(file, JsonText.applyChange(text(), path, change))),
          changeNow: (path, decide) =>
            Effect.sync(() => {
              const [result, after] = decide(JsonText.at(Result.getOrUndefined(JsonText.parse(text())), path))
              texts.set(file, JsonText.applyChange(text(), path, () => after))
              return result
            }),
          pending: Effect.succeed([]),
          flush: Effect.void
        })
      }
    }))
