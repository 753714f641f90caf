/** Secrets of one run: presented to one of our listeners as proof. */
import { timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import { Ids } from "../../services/Ids.ts"
import { sha256 } from "../storage/Digest.ts"

/** 256 bits, in hex. */
export const make = Effect.gen(function*() {
  const ids = yield* Ids
  return `${yield* ids.seed}${yield* ids.seed}`
})

/** In constant time. */
export const isSame = (secret: string, text: string): boolean => timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(sha256(text)))
