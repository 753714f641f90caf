/** Prompts of servers: listed, and written out with their arguments. */
import * as Effect from "effect/Effect"
import * as Content from "../../../domain/mcp/Content.ts"
import type { McpError } from "../../../domain/mcp/McpError.ts"
import * as Naming from "../../../domain/mcp/Naming.ts"
import type * as Prompt from "../../../domain/mcp/Prompt.ts"
import type { Servers } from "../../../services/Mcp.ts"
import { ask, type Asked } from "./Calls.ts"
import type { Connected, Slot } from "./ServerConnection.ts"

export const make = ({ all }: Asked): Pick<Servers, "prompt" | "prompts"> => {
  /** Prompts with the server that has each; one that does not answer has none. */
  const found = Effect.fnUntraced(function*(cwd: string, session: string) {
    const each = yield* Effect.forEach(yield* all(cwd, session), ({ slot }) =>
      slot.connected.pipe(
        Effect.flatMap((connected) => Effect.map(listed(slot, connected), (prompts) => prompts.map((prompt) => ({ prompt, slot, connected })))),
        Effect.orElseSucceed(() => [])
      ), { concurrency: "unbounded" })
    return each.flat()
  })
  return {
    prompts: (cwd, session) => Effect.map(found(cwd, session), (all) => all.map(({ prompt }) => prompt)),
    prompt: Effect.fn("Mcp.prompt")(function*(cwd, session, name, given) {
      const one = (yield* found(cwd, session)).find(({ prompt }) => prompt.name === name)
      return one === undefined ? undefined : yield* Effect.catch(
        written(one.slot, one.connected, one.prompt, given(one.prompt)),
        ({ message, server }) => Effect.succeed(`[The prompt ${name} could not be had: the MCP server ${server} ${message}.]`)
      )
    })
  }
}

/** Prompts of a server that runs. */
const listed = (slot: Slot, connected: Connected): Effect.Effect<ReadonlyArray<Prompt.Prompt>, McpError> =>
  Effect.gen(function*() {
    const { server } = yield* connected.given
    if (!server.prompts) return []
    const { prompts } = yield* ask(slot, connected, (signal) => connected.client.listPrompts(undefined, { signal }))
    return prompts.map(({ arguments: asked = [], description = "", name }) => ({
      name: Naming.toolName(server.name, name),
      server: server.name,
      prompt: name,
      description,
      arguments: asked.map(({ name, required = false }) => ({ name, required }))
    }))
  })

/** A prompt as text: what its messages say, one after the other. */
const written = (slot: Slot, connected: Connected, prompt: Prompt.Prompt, given: Readonly<Record<string, string>>) =>
  Effect.map(
    ask(slot, connected, (signal) => connected.client.getPrompt({ name: prompt.prompt, arguments: { ...given } }, { signal })),
    ({ messages }) => messages.map(({ content }) => Content.ofBlock(content)).map((said) => said._tag === "Text" ? said.text : "[a picture]").join("\n\n")
  )
