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
export const isSame = (secret: string, text: string): boolean => hasHash(sha256(secret), text)

/** Whether a secret has this SHA-256, in hex; in constant time. */
export const hasHash = (hash: string, text: string): boolean => timingSafeEqual(Buffer.from(hash), Buffer.from(sha256(text)))
