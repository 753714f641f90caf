/**
 * What this machine learned about model servers, for other sessions and for `dacapo doctor`: one small file for each fact in the state
 * folder, which expires. Facts are hints: one that can't be read or written is not there.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { optional } from "../../domain/Optional.ts"
import { Environment } from "../../services/Environment.ts"
import * as ReplaceFile from "../settings/ReplaceFile.ts"
import { sha256 } from "../storage/Digest.ts"
import * as ProcessLease from "../storage/ProcessLease.ts"

/**
 * - `circuit`: an endpoint that failed so often that the process `holder` sends it no requests until `until`.
 * - `xml-tools`: a server that refused a model's native tools.
 *
 * Times are in ms since the epoch; `message` is the server's error. A fact is forgotten after `expires`.
 */
const Note = Schema.Struct({
  kind: Schema.Literals(["circuit", "xml-tools"]),
  provider: Schema.String,
  address: Schema.String,
  model: Schema.optionalKey(Schema.String),
  message: Schema.String,
  holder: Schema.Struct({ pid: Schema.Int, born: Schema.String, host: Schema.String }),
  since: Schema.Finite,
  until: Schema.Finite,
  expires: Schema.Finite
})
export type Note = typeof Note.Type

/** What a fact is about. `address` is the base URL as it was configured. */
export type Subject = Pick<Note, "kind" | "provider" | "address" | "model">

/** How long facts are kept, in ms: servers are updated, and a circuit that was open matters for the next hour. */
const lifetimeMs = { "xml-tools": 7 * 24 * 60 * 60 * 1000, circuit: 60 * 60 * 1000 } as const

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Note))

/** The address without credentials and parameters, as it may be shown. */
const publicAddress = (address: string): string => {
  const url = URL.parse(address)
  return url === null ? "" : `${url.origin}${url.pathname}`
}

export interface EndpointNotes {
  readonly find: (subject: Subject) => Effect.Effect<Note | undefined>
  /** `pauseMs`: for how long from now it applies, if that is shorter than its lifetime. */
  readonly save: (subject: Subject, message: string, pauseMs?: number) => Effect.Effect<void>
  readonly remove: (subject: Subject) => Effect.Effect<void>
  /** All facts of a kind, oldest first. */
  readonly list: (kind: Note["kind"]) => Effect.Effect<ReadonlyArray<Note>>
}

/** Nothing is remembered. */
export const none: EndpointNotes = {
  find: () => Effect.succeed(undefined),
  save: () => Effect.void,
  remove: () => Effect.void,
  list: () => Effect.succeed([])
}

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Whether the process that noted a fact still runs, at `now`. */
export const isCurrent = ({ holder, since }: Note, now: number): boolean =>
  ProcessLease.isAlive(holder, ProcessLease.currentHolder(), now - since)

/** The facts of the state folder. */
export const make = Effect.map(Environment, ({ folders }): EndpointNotes => {
  const folder = join(folders.state, "endpoints")
  const fileOf = ({ address, kind, model = "", provider }: Subject) =>
    join(folder, `${kind}-${sha256(JSON.stringify([provider, publicAddress(address), model])).slice(0, 24)}.json`)
  const read = (file: string, now: number): Note | undefined => {
    const note = attempt(() => Option.getOrUndefined(decode(readFileSync(file, "utf8"))))
    return note === undefined || note.expires <= now ? undefined : note
  }
  const files = () => (attempt(() => readdirSync(folder)) ?? []).filter((name) => name.endsWith(".json")).map((name) => join(folder, name))
  return {
    find: (subject) => Effect.map(Clock.currentTimeMillis, (now) => read(fileOf(subject), now)),
    save: (subject, message, pauseMs = lifetimeMs[subject.kind]) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const file of files()) if (read(file, now) === undefined) attempt(() => rmSync(file, { force: true }))
        const { address, kind, model, provider } = subject
        const note: Note = {
          kind,
          provider,
          address: publicAddress(address),
          ...optional({ model }),
          message: message.slice(0, 500),
          holder: ProcessLease.currentHolder(),
          since: now,
          until: now + pauseMs,
          expires: now + lifetimeMs[kind]
        }
        attempt(() => ReplaceFile.write(fileOf(subject), JSON.stringify(note)))
      }),
    remove: (subject) => Effect.sync(() => attempt(() => rmSync(fileOf(subject), { force: true }))),
    list: (kind) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) => files().flatMap((file) => read(file, now) ?? []).filter((note) => note.kind === kind).toSorted((a, b) => a.since - b.since)
      )
  }
})
