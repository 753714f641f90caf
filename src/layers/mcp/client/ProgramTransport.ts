/** A server that lives in the program that runs this process: its messages travel on the program's own connection. */
import type { JSONRPCMessage, Transport as Wire } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import { ClientProgram } from "../../../services/extension/ClientProgram.ts"

/** The wire to a server, until the scope closes. */
export const wire = (server: string) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const program = yield* ClientProgram
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
      let unsubscribe = () => {}
      const receive = (message: unknown) => {
        if (isObject(message)) wire.onmessage?.(message as unknown as JSONRPCMessage)
      }
      const wire: Wire = {
        start: () => {
          unsubscribe = program.subscribe(server, receive)
          return Promise.resolve()
        },
        send: (message) =>
          runPromise(Effect.map(program.send(server, message as unknown as Schema.Json), (response) => {
            if (response !== undefined) receive(response)
          })),
        close: () => {
          unsubscribe()
          wire.onclose?.()
          return Promise.resolve()
        }
      }
      return wire
    }),
    (wire) => Effect.promise(() => wire.close())
  )
