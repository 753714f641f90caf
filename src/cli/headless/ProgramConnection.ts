/** Requests to the program on standard input: hook callbacks, and messages to the MCP servers that live in it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { isObject } from "../../domain/tool/ParamSchema.ts"
import { ClientProgramError, type ClientProgramConnection } from "../../services/extension/ClientProgram.ts"
import type * as ControlSchema from "../render/json/ControlSchema.ts"
import type { WriteLine } from "./StreamOutput.ts"

export interface ProgramConnection extends ClientProgramConnection {
  /** Whether a response was to one of these requests. */
  readonly respond: (line: ControlSchema.ControlResponse) => boolean
  /** Delivers a message that a server of the program sent by itself; whether anyone listens to it. */
  readonly receive: (server: string, message: Schema.Json) => boolean
  /** Requests wait until there is an output for them. */
  readonly open: (writeLine: WriteLine) => Effect.Effect<void>
  /** Standard input has ended: no response will come. */
  readonly close: Effect.Effect<void>
}

const disconnected = new ClientProgramError({ message: "the program has disconnected" })

export const make = (): ProgramConnection => {
  const output = Deferred.makeUnsafe<WriteLine, ClientProgramError>()
  const waiting = new Map<string, Deferred.Deferred<Schema.Json, ClientProgramError>>()
  const listeners = new Map<string, (message: Schema.Json) => void>()
  let count = 0
  let isClosed = false

  const request = (request: ControlSchema.ProcessRequest["request"]): Effect.Effect<Schema.Json, ClientProgramError> =>
    Effect.suspend(() => {
      if (isClosed) return disconnected
      const id = `${request.subtype}_${++count}`
      const deferred = Deferred.makeUnsafe<Schema.Json, ClientProgramError>()
      waiting.set(id, deferred)
      const write = (line: Parameters<WriteLine>[0]) =>
        Effect.flatMap(Deferred.await(output), (writeLine) => Effect.mapError(writeLine(line), () => disconnected))
      return write({ type: "control_request", request_id: id, request }).pipe(
        Effect.andThen(Deferred.await(deferred)),
        Effect.onInterrupt(() => waiting.has(id) ? Effect.ignore(write({ type: "control_cancel_request", request_id: id })) : Effect.void),
        Effect.ensuring(Effect.sync(() => waiting.delete(id)))
      )
    })

  return {
    hook: (id, input, call) =>
      request({ subtype: "hook_callback", callback_id: id, input, ...(call === undefined ? {} : { tool_use_id: call }) }),
    send: (server, message) =>
      Effect.map(
        request({ subtype: "mcp_message", server_name: server, message }),
        (response) => isRequest(message) && isObject(response) ? response["mcp_response"] as Schema.Json | undefined : undefined
      ),
    subscribe: (server, listener) => {
      listeners.set(server, listener)
      return () => void listeners.delete(server)
    },
    respond: ({ response }) => {
      const deferred = waiting.get(response.request_id)
      if (deferred === undefined) return false
      waiting.delete(response.request_id)
      Deferred.doneUnsafe(
        deferred,
        response.subtype === "success"
          ? Effect.succeed(response.response ?? {})
          : Effect.fail(new ClientProgramError({ message: response.error }))
      )
      return true
    },
    receive: (server, message) => {
      const listener = listeners.get(server)
      listener?.(message)
      return listener !== undefined
    },
    open: (writeLine) => Effect.sync(() => Deferred.doneUnsafe(output, Effect.succeed(writeLine))),
    close: Effect.sync(() => {
      isClosed = true
      Deferred.doneUnsafe(output, Effect.fail(disconnected))
      for (const deferred of waiting.values()) Deferred.doneUnsafe(deferred, Effect.fail(disconnected))
      waiting.clear()
    })
  }
}

/** A JSON-RPC request has a response; a notification, or a response of ours, has none. */
const isRequest = (message: Schema.Json): boolean => isObject(message) && "method" in message && "id" in message
