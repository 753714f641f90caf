/** What we answer to servers' own requests: the folders that are open, a person's words, a model's. */
import type { Client, ClientOptions } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import * as Form from "../../../domain/mcp/Elicitation.ts"
import * as Printable from "../../../domain/message/SafeText.ts"
import { Approver } from "../../../services/Approver.ts"
import type { Asked } from "./Sampling.ts"

export const capabilities: NonNullable<ClientOptions["capabilities"]> = { roots: {}, sampling: {}, elicitation: { form: { applyDefaults: true }, url: {} } }

/** `run` runs an effect until the request is cancelled; `sample` asks a model. */
export interface Options {
  readonly server: string
  readonly roots: ReadonlyArray<string>
  readonly run: <A>(effect: Effect.Effect<A, Error, Approver>, signal: AbortSignal) => Promise<A>
  readonly sample: (asked: Asked) => Effect.Effect<{ readonly model: string; readonly text: string; readonly cut: boolean }, Error>
}

export const prepare = ({ roots, run, sample, server }: Options) => (client: Client): void => {
  client.setRequestHandler("roots/list", () => ({ roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) }))
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
    run("url" in params ? visit(server, params.message, params.url) : fill(server, params.message, params.requestedSchema), mcpReq.signal))
  client.setRequestHandler("sampling/createMessage", ({ params: { maxTokens, messages, systemPrompt } }, { mcpReq }) =>
    run(Effect.map(sample({ system: systemPrompt ?? "", messages, maxTokens }), ({ cut, model, text }) => ({
      role: "assistant" as const,
      model,
      stopReason: cut ? "maxTokens" : "endTurn",
      content: { type: "text" as const, text }
    })), mcpReq.signal))
}

type Reply = { readonly action: "accept" | "decline"; readonly content?: Record<string, string | number | boolean | Array<string>> }

const declines = "Decline"
const isRefusal = (words: string): boolean => words.trim().toLowerCase() === declines.toLowerCase()

/** A form, field by field; whoever says "Decline" has declined, and nobody there is a refusal too. */
const fill = Effect.fnUntraced(function*(server: string, message: string, schema: unknown): Effect.fn.Return<Reply, never, Approver> {
  const approver = yield* Approver
  const head = `The MCP server ${server} asks: ${Printable.of(message)}`
  const fields = Form.fields(schema)
  if (fields.length === 0) {
    const reply = yield* approver.question(head, ["Accept", declines])
    return reply.by === "user" && !isRefusal(reply.words) ? { action: "accept", content: {} } : { action: "decline" }
  }
  const content: Record<string, Schema.Json> = {}
  for (const [i, field] of fields.entries()) {
    let why = ""
    while (true) {
      const reply = yield* approver.question(`${i === 0 ? `${head}\n` : ""}${why}${field.question}`, [...field.options, declines])
      if (reply.by === "nobody" || isRefusal(reply.words)) return { action: "decline" }
      const read = Form.read(field, reply.words)
      if (Result.isSuccess(read)) {
        if (read.success !== undefined) content[field.name] = read.success
        break
      }
      why = `That is not what is wanted (${read.failure}). `
    }
  }
  return { action: "accept", content: content as NonNullable<Reply["content"]> }
})

/** An address that the person is to open themself: we open nothing. */
const visit = Effect.fnUntraced(function*(server: string, message: string, url: string): Effect.fn.Return<Reply, never, Approver> {
  const approver = yield* Approver
  const reply = yield* approver.question(`The MCP server ${server} asks you to open an address yourself: ${Printable.of(url)}\n${Printable.of(message)}`, ["Done", declines])
  return { action: reply.by === "user" && !isRefusal(reply.words) ? "accept" : "decline" }
})
