/** The redactor of a test: the same secret has the same placeholder in every run. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Redactor } from "../../services/Redactor.ts"
import * as RedactorLive from "../settings/RedactorLive.ts"

/** `secrets` are known besides those that their form gives away. */
export const layer = (secrets: ReadonlyArray<string> = []): Layer.Layer<Redactor> =>
  Layer.effect(Redactor, Effect.map(Effect.cached(Effect.promise(() => RedactorLive.make("test", secrets))), (redact) => ({ redact })))
