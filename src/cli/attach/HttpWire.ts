/** The HTTP API of a server, with server-sent events. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { type ClientEvent, WireEvent } from "../../domain/control/ClientEvent.ts"
import { Operation, OperationResult } from "../../domain/control/Operation.ts"
import { OperationFailure } from "../../domain/control/OperationFailure.ts"
import { StoredSession } from "../../domain/control/ServerLine.ts"
import { Fetch } from "../../services/Fetch.ts"
import { Host } from "../process/Host.ts"
import { serverError, type Wire, type WireError } from "./Wire.ts"

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"])

/** The token is in the fragment of the address (`#token=…`) or in a file. */
export const open = Effect.fnUntraced(function*(address: string, tokenFile: string | undefined) {
  const fetch = yield* Fetch
  const { cwd } = yield* Host
  if (!URL.canParse(address)) return yield* serverError(`${address} is not a valid address.`)
  const { hash, hostname, origin, protocol } = new URL(address)
  if (protocol === "http:" && !loopback.has(hostname)) {
    return yield* serverError(`${origin} would get the token unencrypted. Use a tunnel: --attach "ssh <host> dacapo serve --stdio".`)
  }
  const token = new URLSearchParams(hash.slice(1)).get("token") ?? (tokenFile === undefined ? undefined : yield* Effect.tryPromise({
    try: async () => (await readFile(resolve(cwd, tokenFile), "utf8")).trim(),
    catch: (error) => serverError(`Can't read ${tokenFile}: ${(error as NodeJS.ErrnoException).code}.`)
  }))
  if (token === undefined) {
    return yield* serverError("The token of the server is missing: add #token=<token> to the address, or name a file with --token-file.")
  }

  const request = (path: string, init: RequestInit = {}) =>
    Effect.tryPromise({
      try: (signal) =>
        fetch(`${origin}${path}`, {
          ...init,
          redirect: "error",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          signal
        }),
      catch: () => serverError(`No server answers at ${origin}.`)
    }).pipe(
      Effect.tap((response) =>
        response.ok ? Effect.void : Effect.flatMap(
          Effect.promise(() => response.text()),
          (text) => Effect.fail(failureIn(text) ?? serverError(`The server at ${origin} refused: ${response.status}.`))
        )
      )
    )
  const json = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, response: Response) =>
    Effect.flatMap(
      Effect.tryPromise({ try: () => response.json(), catch: () => serverError(`The connection to ${origin} broke.`) }),
      (value) =>
        Effect.mapError(Schema.decodeUnknownEffect(schema)(value), () => serverError(`The server at ${origin} is of another version.`))
    )

  return {
    operate: Effect.fnUntraced(function*(operation) {
      const body = JSON.stringify(Schema.encodeSync(Operation)(operation))
      return yield* json(OperationResult, yield* request("/operations", { method: "POST", body }))
    }),
    sessions: (cwd) =>
      Effect.flatMap(
        request(`/sessions${cwd === undefined ? "" : `?cwd=${encodeURIComponent(cwd)}`}`),
        (response) => json(Schema.Array(StoredSession), response)
      ),
    follow: (session, from) =>
      Stream.unwrap(Effect.map(
        request(`/sessions/${encodeURIComponent(session)}/events?from=${from}`),
        (response) =>
          Stream.fromReadableStream({
            evaluate: () => response.body!,
            onError: () => serverError(`The connection to ${origin} broke.`)
          }).pipe(
            Stream.decodeText,
            Stream.splitLines,
            Stream.filter((line) => line.startsWith("data: ")),
            Stream.mapEffect((line) =>
              Effect.mapError(decodeEvent(line.slice(6)), () => serverError(`The server at ${origin} is of another version.`))
            )
          )
      ))
  } satisfies Wire as Wire
})

const decodeEvent = (text: string) =>
  Effect.map(Schema.decodeUnknownEffect(Schema.fromJsonString(WireEvent))(text), (event) => event as ClientEvent)

const Failed = Schema.fromJsonString(Schema.Struct({ message: Schema.String, error: Schema.optionalKey(OperationFailure) }))
const decodeFailed = Schema.decodeUnknownOption(Failed)

const failureIn = (text: string): WireError | undefined =>
  Option.match(decodeFailed(text), { onNone: () => undefined, onSome: ({ error, message }) => error ?? serverError(message) })
