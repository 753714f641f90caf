/** `dacapo serve --stdio`: the control protocol on standard input and output, for a tunnel such as ssh. Whoever has the pipe may use it. */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { optional } from "../../domain/Optional.ts"
import { ClientLine, ServerLine } from "../../domain/control/ServerLine.ts"
import { Host } from "../process/Host.ts"
import { type LimitReached, RequestFailed } from "../../domain/control/RequestFailed.ts"
import type { ServedSessions } from "./ServedSessions.ts"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(ClientLine))
const encode = Schema.encodeEffect(Schema.fromJsonString(ServerLine))

/** Serves until the input ends; then what runs is interrupted. */
export const serve = Effect.fnUntraced(function*(sessions: ServedSessions) {
  const { stdin, stdout } = yield* Host
  const followers = yield* FiberMap.make<number>()
  const requests = yield* FiberSet.make()

  const write = (line: ServerLine) => Effect.flatMap(Effect.orDie(encode(line)), (text) => Effect.ignore(stdout.write(`${text}\n`)))
  const respond = (id: number, response: Effect.Effect<ServerLine, LimitReached | RequestFailed>) =>
    Effect.catch(
      Effect.catchTag(response, "LimitReached", ({ message }) => Effect.fail(new RequestFailed({ reason: "Failed", message }))),
      ({ error, message, reason }) => Effect.succeed<ServerLine>({ id, error: { reason, message, ...optional({ error }) } })
    ).pipe(
      Effect.flatMap(write)
    )

  const follow = (id: number, session: string, from: number) =>
    sessions.events(session, from).pipe(
      Effect.flatMap(Stream.runForEach((event) => write({ id, event }))),
      Effect.as<ServerLine>({ id, end: true }),
      (following) => respond(id, following)
    )

  const handle = (line: ClientLine) => {
    if ("cancel" in line) return FiberMap.remove(followers, line.cancel)
    const { id } = line
    if ("follow" in line) return Effect.asVoid(FiberMap.run(followers, id, follow(id, line.follow.session, line.follow.from)))
    const response = "sessions" in line
      ? Effect.map(sessions.list(line.sessions.cwd), (list): ServerLine => ({ id, sessions: list }))
      : Effect.map(sessions.run(line.operation), (result): ServerLine => ({ id, result }))
    return Effect.asVoid(FiberSet.run(requests, respond(id, response)))
  }

  yield* stdin.lines.pipe(
    Stream.filter((line) => line.trim() !== ""),
    Stream.runForEach((line) => {
      const decoded = decode(line)
      return Result.isSuccess(decoded)
        ? handle(decoded.success)
        : write({ id: -1, error: { reason: "Invalid", message: "A line is not a valid request." } })
    })
  )
})
