/** The lines of `dacapo serve --stdio`, over the standard streams of a command: `ssh host dacapo serve --stdio`. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import { ClientLine, ServerLine } from "../../domain/control/ServerLine.ts"
import { Host } from "../process/Host.ts"
import { serverError, type Wire, type WireError } from "./Wire.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ServerLine))
const encode = Schema.encodeSync(Schema.fromJsonString(ClientLine))

type Listener = (line: ServerLine | WireError) => void

/** Runs the command until the scope closes. What it prints to standard error is shown. */
export const open = Effect.fnUntraced(function*(command: string) {
  const { cwd, environment } = yield* Host
  const endError = serverError("The command that runs the server has ended.")
  const listeners = new Map<number, Listener>()
  let count = 0
  let isGone = false
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("/bin/sh", ["-c", command], { cwd, env: environment.variables as NodeJS.ProcessEnv, stdio: ["pipe", "pipe", "inherit"] })
    ),
    (child) => Effect.sync(() => child.stdin.end())
  )
  const end = () => {
    isGone = true
    for (const listener of listeners.values()) listener(endError)
    listeners.clear()
  }
  child.once("error", end)
  child.once("close", end)
  child.stdin.on("error", () => undefined)
  yield* Stream.fromAsyncIterable(child.stdout, () => endError).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.mapEffect((line) => Effect.option(decode(line))),
    Stream.runForEach((line) => Effect.sync(() => line._tag === "Some" && listeners.get(line.value.id)?.(line.value))),
    Effect.ignore,
    Effect.forkScoped
  )

  const send = (id: number, line: ClientLine, listener: Listener) => {
    if (isGone) return listener(endError)
    listeners.set(id, listener)
    child.stdin.write(`${encode(line)}\n`)
  }
  const ask = <A>(line: (id: number) => ClientLine, read: (line: ServerLine) => A | undefined): Effect.Effect<A, WireError> =>
    Effect.suspend(() => {
      const id = ++count
      const deferred = Deferred.makeUnsafe<A, WireError>()
      send(id, line(id), (response) => {
        listeners.delete(id)
        const value = "_tag" in response ? undefined : read(response)
        Deferred.doneUnsafe(deferred, value === undefined ? Effect.fail(failureOf(response)) : Effect.succeed(value))
      })
      return Deferred.await(deferred)
    })

  return {
    operate: (operation) => ask((id) => ({ id, operation }), (line) => "result" in line ? line.result : undefined),
    sessions: (folder) =>
      ask(
        (id) => ({ id, sessions: folder === undefined ? {} : { cwd: folder } }),
        (line) => "sessions" in line ? line.sessions : undefined
      ),
    follow: (session, from) =>
      Stream.callback<ClientEvent, WireError>((queue) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const id = ++count
            send(id, { id, follow: { session, from } }, (line) => {
              if ("event" in line) Queue.offerUnsafe(queue, line.event as ClientEvent)
              else if ("end" in line) Queue.endUnsafe(queue)
              else Queue.failCauseUnsafe(queue, Cause.fail(failureOf(line)))
            })
            return id
          }),
          (id) =>
            Effect.sync(() => {
              if (listeners.delete(id) && !isGone) child.stdin.write(`${encode({ cancel: id })}\n`)
            })
        )
      )
  } satisfies Wire as Wire
})

const failureOf = (line: ServerLine | WireError): WireError =>
  "_tag" in line ? line
    : "error" in line ? line.error.error ?? serverError(line.error.message) : serverError("The server is of another version.")
