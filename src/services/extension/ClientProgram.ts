/**
 * The program that runs this process and talks to it on standard input: its callbacks for hooks, and the MCP servers that live in
 * it. Without a layer there is none.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The program refused, is not connected any more, or there is none. */
export class ClientProgramError extends Schema.TaggedError<ClientProgramError>()("ClientProgramError", { message: Schema.String }) {}

export interface ClientProgramConnection {
  /** Calls a hook of the program; `call` is the tool call that the moment is about. The response is the JSON that a hook prints. */
  readonly hook: (id: string, input: Schema.Json, call: string | undefined) => Effect.Effect<Schema.Json, ClientProgramError>
  /** Sends a JSON-RPC message to one of its MCP servers. The response to a request is the result; other messages have none. */
  readonly send: (server: string, message: Schema.Json) => Effect.Effect<Schema.Json | undefined, ClientProgramError>
  /** Calls `listener` with each message of a server until the returned function is called. */
  readonly subscribe: (server: string, listener: (message: Schema.Json) => void) => () => void
}

const noProgram = new ClientProgramError({ message: "no program is connected" })

export const ClientProgram = Context.Reference<ClientProgramConnection>("dacapo/ClientProgram", {
  defaultValue: () => ({ hook: () => noProgram, send: () => noProgram, subscribe: () => () => {} })
})
