/** Session ids and seeds from the clock and the system's random bytes. */
import { randomBytes } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ids } from "../../services/Ids.ts"

/** A UUID of version 7 (RFC 9562, section 5.7): 48 bits of ms since the epoch, then random ones. */
export const uuid = (ms: number, random: Uint8Array): string => {
  const bytes = Buffer.from(random)
  bytes.writeUIntBE(ms, 0, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

export const layer: Layer.Layer<Ids> = Layer.succeed(Ids, {
  session: Effect.map(Clock.currentTimeMillis, (ms) => uuid(ms, randomBytes(16))),
  seed: Effect.sync(() => randomBytes(16).toString("hex"))
})
