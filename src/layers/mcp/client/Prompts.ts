/** Prompts of servers: listed, and expanded with their arguments. */
import * as Effect from "effect/Effect"
import * as Content from "../../../domain/mcp/Content.ts"
import type { McpError } from "../../../domain/mcp/McpError.ts"
import * as Naming from "../../../domain/mcp/Naming.ts"
import type * as Prompt from "../../../domain/mcp/Prompt.ts"
import type { Servers } from "../../../services/Mcp.ts"
import { send, type ServerLookup } from "./Calls.ts"
import type { ActiveConnection, ServerConnection } from "./ServerConnection.ts"

export const make = ({ all }: ServerLookup): Pick<Servers, "prompt" | "prompts"> => {
  /** Prompts with the server of each; one that does not respond has none. */
  const allPrompts = Effect.fnUntraced(function*(cwd: string, session: string) {
    const perServer = yield* Effect.forEach(yield* all(cwd, session), ({ slot }) =>
      slot.connection.pipe(
        Effect.flatMap((connected) =>
          Effect.map(listPrompts(slot, connected), (prompts) => prompts.map((prompt) => ({ prompt, slot, connected })))
        ),
        Effect.orElseSucceed(() => [])
      ), { concurrency: "unbounded" })
    return perServer.flat()
  })
  return {
    prompts: (cwd, session) => Effect.map(allPrompts(cwd, session), (list) => list.map(({ prompt }) => prompt)),
    prompt: Effect.fn("Mcp.prompt")(function*(cwd, session, name, argumentsFor) {
      const one = (yield* allPrompts(cwd, session)).find(({ prompt }) => prompt.name === name)
      return one === undefined ? undefined : yield* Effect.catch(
        promptText(one.slot, one.connected, one.prompt, argumentsFor(one.prompt)),
        ({ message, server }) => Effect.succeed(`[The prompt ${name} is not available: the MCP server ${server} ${message}.]`)
      )
    })
  }
}

/** Prompts of a running server. */
const listPrompts = (slot: ServerConnection, connection: ActiveConnection): Effect.Effect<ReadonlyArray<Prompt.Prompt>, McpError> =>
  Effect.gen(function*() {
    const { server } = yield* connection.listing
    if (!server.prompts) return []
    const { prompts } = yield* send(slot, connection, (signal) => connection.client.listPrompts(undefined, { signal }))
    return prompts.map(({ arguments: parameters = [], description = "", name }) => ({
      name: Naming.toolName(server.name, name),
      server: server.name,
      prompt: name,
      description,
      arguments: parameters.map(({ name, required = false }) => ({ name, required }))
    }))
  })

/** A prompt as text: the content of its messages, one after the other. */
const promptText = (slot: ServerConnection, connection: ActiveConnection, prompt: Prompt.Prompt, args: Readonly<Record<string, string>>) =>
  Effect.map(
    send(slot, connection, (signal) => connection.client.getPrompt({ name: prompt.prompt, arguments: { ...args } }, { signal })),
    ({ messages }) =>
      messages.map(({ content }) => Content.ofBlock(content)).map((item) => item._tag === "Text" ? item.text : "[an image]").join("\n\n")
  )
