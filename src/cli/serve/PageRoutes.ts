/** What the page reads beside the control protocol: stored sessions and logs, files at checkpoints, usage, images. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as PageData from "../../domain/control/PageData.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Rewind from "../../domain/session/Rewind.ts"
import * as Session from "../../domain/session/Session.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import * as UsageReport from "../../domain/session/UsageReport.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Storage, type Summary } from "../../services/Storage.ts"
import type { Values } from "../args/Flags.ts"
import { AgentLayers, type RecordServices } from "../process/AgentLayers.ts"
import { InputError } from "../process/CliError.ts"
import * as ErrorMessage from "../process/ErrorMessage.ts"
import type { Failure } from "../process/ExitCode.ts"
import type { Host } from "../process/Host.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as AvailableModels from "../start/AvailableModels.ts"
import * as Favourites from "../start/Favourites.ts"
import * as FindSession from "../start/FindSession.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import * as PageFiles from "./PageFiles.ts"
import * as PageServers from "./PageServers.ts"
import * as PageSettings from "./PageSettings.ts"

/** How many sessions the list shows, the newest of all folders. */
const maxSessions = 200

/**
 * The sessions that this server runs, what waits for an answer in them, and the stored ones. A tenant does not see what is read in the
 * server's own folders or settings.
 */
interface OpenSessions {
  readonly isOpen: (session: string) => boolean
  readonly waiting: Effect.Effect<ReadonlyArray<PageData.WaitingRequest>>
  readonly records: AgentLayers["Service"]["records"]
  readonly isTenant: boolean
}

/** The routes under `/page/`; `values` are the flags of the server. */
export const make = Effect.fnUntraced(function*({ isOpen, isTenant, records, waiting }: OpenSessions, values: Values) {
  const context = yield* Effect.context<AgentLayers | Host>()
  const services = yield* Layer.build(records)
  const withRecords = Effect.provide(services)

  /** Tags, ids and paths occur again and again in a log. */
  const redacted = <A>(value: A) =>
    Effect.map(Effect.flatMap(Redactor, ({ redact }) => redact), (redact) => {
      const texts = new Map<string, string>()
      const redactOnce = (text: string): string => {
        const result = texts.get(text) ?? redact(text)
        texts.set(text, result)
        return result
      }
      return JSON.stringify(value, function(this: object, key, part: unknown) {
        // The chain's own digests hold no secret, and no two of them are the same.
        const isDigest = (key === "hash" || key === "prev") && "event" in this && "seq" in this
        return typeof part === "string" && !isDigest ? redactOnce(part) : part
      })
    })

  /** What a log says about its session, by its length: logs only grow. */
  const facts = new Map<string, { readonly events: number; readonly row: Pick<PageData.SessionRow, LoggedFact> }>()

  const sessionRow = Effect.fnUntraced(function*(summary: Summary) {
    const { id, cwd, title, model, created, updated, events, parent } = summary
    let entry = facts.get(id)
    if (entry?.events !== events) {
      const log = yield* Effect.flatMap(EventLog, ({ read }) => read(id))
      const total = UsageReport.sum(id, UsageReport.requests(log))
      const origin = forkOrigin(log)
      entry = {
        events,
        row: {
          phase: Session.phase(Session.fold(log)),
          cost: total.cost,
          isUnpriced: total.unpriced > 0,
          ...(origin === undefined ? {} : { origin })
        }
      }
      facts.set(id, entry)
    }
    return {
      ...{ id, cwd, title, model, created, updated, events },
      ...(parent === undefined ? {} : { parent }),
      isOpen: isOpen(id),
      isFavourite: (yield* Favourites.ids).has(id),
      ...entry.row
    } satisfies PageData.SessionRow
  })

  const sessionRows = (parent: string | null) =>
    Effect.flatMap(Storage, ({ list }) => list({ parent, limit: maxSessions })).pipe(
      // One that can't be read is not in the list; `dacapo fsck` names it.
      Effect.flatMap(Effect.forEach((summary) => Effect.option(sessionRow(summary)))),
      Effect.map((rows) => rows.flatMap((row) => row._tag === "Some" ? [row.value] : []))
    )

  const search = Effect.fnUntraced(function*(query: string) {
    const hits = yield* Effect.flatMap(Storage, ({ search }) => search(query, { limit: 50 }))
    return hits.map(({ seq, session, text }): PageData.SearchHit => ({ session: session.id, title: session.title, seq, text }))
  })

  const log = Effect.fnUntraced(function*(name: string, from: number) {
    const { id, events: length } = yield* FindSession.find(name)
    // A page asks again and again whether a session of another process has grown.
    const events = length <= from ? [] : yield* Effect.flatMap(EventLog, ({ read }) => read(id))
    return { events: events.slice(from), isOpen: isOpen(id) } satisfies PageData.LogPage
  })

  const usage = Effect.gen(function*() {
    const sessions = yield* Effect.flatMap(Storage, ({ list }) => list({}))
    const { read } = yield* EventLog
    const requests = yield* Effect.forEach(sessions, ({ id }) => Effect.orElseSucceed(Effect.map(read(id), UsageReport.requests), () => []))
    return requests.flat()
  })

  /** The files at two events of a session: -1 for the current ones. */
  const compare = Effect.fnUntraced(function*(name: string, from: number, to: number) {
    const session = yield* FindSession.find(name)
    const events = yield* Effect.flatMap(EventLog, ({ read }) => read(session.id))
    const checkpointAt = (seq: number) => seq < 0 ? Rewind.Files.Now() : Rewind.filesAt(events, seq)
    const [first, second] = [checkpointAt(from), checkpointAt(to)]
    if (first._tag === "Unknown" || second._tag === "Unknown") {
      return yield* new InputError({ message: "No checkpoint has the files of that moment." })
    }
    const empty: PageData.Comparison = { patch: "", changes: [], counts: { files: 0, added: 0, removed: 0 } }
    if (first._tag === "Now") return second._tag === "Now" ? empty : yield* new InputError({ message: "Name the earlier moment first." })
    const work = Effect.flatMap(Checkpoints, ({ diff }) => second._tag === "Now" ? diff(first.id) : diff(first.id, second.id))
    return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(yield* WorkingFolder.open(session.cwd, undefined)))
  })

  const contextReport = Effect.fnUntraced(function*(name: string) {
    const { cwd, id } = yield* FindSession.find(name)
    const work = Effect.gen(function*() {
      const session = Session.fold(yield* Effect.flatMap(EventLog, ({ read }) => read(id)))
      return yield* Effect.flatMap(ContextWindow, ({ report }) => report(session, Session.activeModel(session).model))
    })
    return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(yield* WorkingFolder.open(cwd, undefined)))
  })

  const verify = Effect.fnUntraced(function*(name: string) {
    const { cwd, id } = yield* FindSession.find(name)
    const events = yield* Effect.flatMap(EventLog, ({ read }) => read(id))
    const { getBlob } = yield* Storage
    const replay = yield* Effect.promise(() => import("../../layers/replay/Replay.ts"))
    const exact = Effect.map(
      replay.verify(events, { getBlob }),
      ({ events }): PageData.Verification => ({ isExact: true, events })
    ).pipe(
      Effect.catchTag(
        "Diverged",
        (diverged) => Effect.succeed<PageData.Verification>({ isExact: false, seq: diverged.seq, message: diverged.message })
      )
    )
    return yield* Effect.provide(
      exact,
      yield* UnattendedAgent.unattendedLayer(yield* WorkingFolder.open(cwd, undefined), { plugins: false })
    )
  })

  /** Only images: nothing else that a tool stored is shown by a browser. */
  const image = Effect.fnUntraced(function*(hash: string) {
    const bytes = yield* Effect.flatMap(Storage, ({ getBlob }) => getBlob(hash))
    const kind = FileKind.of("", bytes)
    if (kind?._tag !== "Image") return yield* new InputError({ message: "This is not an image." })
    return new Response(new Uint8Array(bytes), {
      headers: { ...PageFiles.headers, "content-type": kind.mediaType, "cache-control": "private, max-age=31536000, immutable" }
    })
  })

  const json = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.map(
      Effect.flatMap(effect, redacted),
      (value) =>
        new Response(value, {
          headers: { ...PageFiles.headers, "content-type": "application/json", "cache-control": "no-store" }
        })
    )

  const number = (text: string | null, otherwise: number): number => text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : otherwise

  /** A request that changes something, or sends more than fits an address. */
  const posted = <S extends Schema.ConstraintDecoder<unknown>, A, E, R>(
    schema: S,
    body: Effect.Effect<string, InputError>,
    run: (value: S["Type"]) => Effect.Effect<A, E, R>
  ) =>
    Effect.flatMap(body, Schema.decodeUnknownEffect(Schema.fromJsonString(schema))).pipe(
      Effect.mapError((error) => new InputError({ message: error.message })),
      Effect.flatMap((value) => run(value as S["Type"])),
      json
    )

  /** The response to a request; undefined if the path is not one of ours. `body` is read if a route needs it. */
  const respond = (method: string, url: URL, body: Effect.Effect<string, InputError>) => {
    const [, page, name, id = "", part] = url.pathname.split("/").map(decodeURIComponent)
    if (page !== "page") return undefined
    const query = url.searchParams
    if (isTenant && (method !== "GET" || ofServer.has(part ?? name ?? ""))) return Effect.succeed(failed(notForTenants))
    const route: Effect.Effect<Response, Failure, AgentLayers | Host | RecordServices> | undefined = method === "POST"
      ? name === "settings" ? posted(PageData.SettingsChange, body, (change) => PageSettings.change(change, values))
        : name === "servers" ? posted(PageData.ServerRequest, body, (request) => PageServers.request(request, values))
        : name === "trial" ? posted(PageData.TrialRequest, body, PageSettings.trial)
        : undefined
      : method !== "GET" ? undefined
      : name === "sessions" && part === undefined ? id === "" ? json(sessionRows(null)) : undefined
      : name === "sessions" && part === "log" ? json(log(id, number(query.get("from"), 0)))
      : name === "sessions" && part === "subagents" ? json(sessionRows(id))
      : name === "sessions" && part === "diff" ? json(compare(id, number(query.get("from"), 0), number(query.get("to"), -1)))
      : name === "sessions" && part === "context" ? json(contextReport(id))
      : name === "sessions" && part === "verify" ? json(verify(id))
      : name === "settings" ? json(PageSettings.read(query.get("cwd") ?? "", values))
      : name === "waiting" ? json(waiting)
      : name === "models" ? json(Effect.map(AvailableModels.list, (models) => models.map(Model.title)))
      : name === "search" ? json(search(query.get("q") ?? ""))
      : name === "usage" ? json(usage)
      : name === "images" ? image(id)
      : undefined
    return route?.pipe(
      withRecords,
      Effect.provide(context),
      Effect.catch((failure: Failure) => Effect.succeed(failed(failure)))
    )
  }
  return { respond }
})

/** What is read in the server's own folders and settings. */
const ofServer: ReadonlySet<string> = new Set(["context", "diff", "settings", "verify"])

const notForTenants = new InputError({ message: "This is not available here: a cluster with tenants shows only their sessions." })

/** What a row says of a log. */
type LoggedFact = "cost" | "isUnpriced" | "origin" | "phase"

/** Where a fork began; undefined for any other session. */
const forkOrigin = (log: ReadonlyArray<SessionEvent>): PageData.SessionRow["origin"] => {
  const start = log.findLast(({ event }) => event._tag === "SessionStarted")?.event
  return start?._tag === "SessionStarted" && start.origin !== undefined ? { id: start.origin.id, seq: start.origin.seq } : undefined
}

const failed = (failure: Failure): Response =>
  Response.json(ErrorMessage.body(failure), {
    status: failure._tag === "LogError" && failure.reason._tag === "NotFound" ? 404 : 422,
    headers: PageFiles.headers
  })
