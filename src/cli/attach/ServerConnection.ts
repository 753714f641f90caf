/** A connection to a running server: over HTTP to its address, or over the standard streams of a command that runs it (a tunnel). */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { InputError } from "../process/CliError.ts"
import type { Host } from "../process/Host.ts"
import type { Wire, WireError } from "./Wire.ts"

export interface ServerConnection extends Wire {
  /** The address or the command, as the user gave it but without a token. */
  readonly name: string
}

/** How often a lost connection is made again, one second apart, before that is an error. */
const maxRetries = 30

/** `target` is an address with the token in its fragment, or a command. */
export const open = Effect.fnUntraced(
  function*(target: string, tokenFile: string | undefined): Effect.fn.Return<ServerConnection, InputError, Host | Scope.Scope> {
    if (!/^https?:\/\//.test(target)) {
      const { open } = yield* Effect.promise(() => import("./StdioWire.ts"))
      return { ...reconnecting(yield* open(target)), name: target }
    }
    const { open } = yield* Effect.promise(() => import("./HttpWire.ts"))
    return { ...reconnecting(yield* open(target, tokenFile)), name: target.split("#", 1)[0]! }
  }
)

/** Follows again after the last settled event, so that a broken connection loses nothing. */
export const reconnecting = (wire: Wire): Wire => ({
  ...wire,
  follow: (session, from) =>
    Stream.suspend(() => {
      let next = from
      let failures = 0
      const attempt: Stream.Stream<ClientEvent, WireError> = Stream.suspend(() => wire.follow(session, next)).pipe(
        Stream.tap((event) =>
          Effect.sync(() => {
            failures = 0
            if (event._tag === "Settled") next = event.at.seq + 1
          })
        ),
        // What the server itself reports, another attempt would not change.
        Stream.catch((error) =>
          error._tag !== "InputError" || ++failures > maxRetries ? Stream.fail(error)
            : Stream.drain(Stream.fromEffect(Effect.sleep("1 second")))
        ),
        Stream.concat(Stream.drain(Stream.fromEffect(Effect.sleep("100 millis")))),
        Stream.concat(Stream.suspend(() => attempt))
      )
      return attempt
    })
})
