/** Responses to servers' own requests: the open folders, a person's replies, a model's response. */
import type { Client, ClientOptions } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import * as Elicitation from "../../../domain/mcp/Elicitation.ts"
import * as SafeText from "../../../domain/message/SafeText.ts"
import { Approver } from "../../../services/Approver.ts"
import type { SamplingRequest } from "./Sampling.ts"

export const capabilities: NonNullable<ClientOptions["capabilities"]> = {
  roots: {},
  sampling: {},
  elicitation: { form: { applyDefaults: true }, url: {} }
}

/** `run` runs an effect until the request is cancelled; `sample` calls a model. */
export interface Options {
  readonly server: string
  readonly roots: ReadonlyArray<string>
  readonly run: <A>(effect: Effect.Effect<A, Error, Approver>, signal: AbortSignal) => Promise<A>
  readonly sample: (
    request: SamplingRequest
  ) => Effect.Effect<{ readonly model: string; readonly text: string; readonly isTruncated: boolean }, Error>
}

export const prepare = ({ roots, run, sample, server }: Options) => (client: Client): void => {
  client.setRequestHandler(
    "roots/list",
    () => ({ roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) })
  )
  client.setRequestHandler(
    "elicitation/create",
    ({ params }, { mcpReq }) =>
      run(
        "url" in params ? openUrl(server, params.message, params.url) : fillForm(server, params.message, params.requestedSchema),
        mcpReq.signal
      )
  )
  client.setRequestHandler(
    "sampling/createMessage",
    ({ params: { maxTokens, messages, systemPrompt } }, { mcpReq }) =>
      run(
        Effect.map(sample({ system: systemPrompt ?? "", messages, maxTokens }), ({ isTruncated, model, text }) => ({
          role: "assistant" as const,
          model,
          stopReason: isTruncated ? "maxTokens" : "endTurn",
          content: { type: "text" as const, text }
        })),
        mcpReq.signal
      )
  )
}

type ElicitationResult = {
  readonly action: "accept" | "decline"
  readonly content?: Record<string, string | number | boolean | Array<string>>
}

const declineOption = "Decline"
const isDecline = (text: string): boolean => text.trim().toLowerCase() === declineOption.toLowerCase()

/** A form, field by field; "Decline" declines, and so does a headless run. */
const fillForm = Effect.fnUntraced(
  function*(server: string, message: string, schema: unknown): Effect.fn.Return<ElicitationResult, never, Approver> {
    const approver = yield* Approver
    const head = `The MCP server ${server} asks: ${SafeText.of(message)}`
    const fields = Elicitation.fields(schema)
    if (fields.length === 0) {
      const reply = yield* approver.question(head, ["Accept", declineOption])
      return reply.by === "user" && !isDecline(reply.text) ? { action: "accept", content: {} } : { action: "decline" }
    }
    const content: Record<string, Schema.Json> = {}
    for (const [i, field] of fields.entries()) {
      let problem = ""
      while (true) {
        const reply = yield* approver.question(`${i === 0 ? `${head}\n` : ""}${problem}${field.question}`, [
          ...field.options,
          declineOption
        ])
        if (reply.by === "nobody" || isDecline(reply.text)) return { action: "decline" }
        const value = Elicitation.parseAnswer(field, reply.text)
        if (Result.isSuccess(value)) {
          if (value.success !== undefined) content[field.name] = value.success
          break
        }
        problem = `That is not a valid answer; expected ${value.failure}. `
      }
    }
    return { action: "accept", content: content as NonNullable<ElicitationResult["content"]> }
  }
)

/** An address for the person to open: we open nothing. */
const openUrl = Effect.fnUntraced(
  function*(server: string, message: string, url: string): Effect.fn.Return<ElicitationResult, never, Approver> {
    const approver = yield* Approver
    const reply = yield* approver.question(
      `The MCP server ${server} asks you to open this address yourself: ${SafeText.of(url)}\n${SafeText.of(message)}`,
      ["Done", declineOption]
    )
    return { action: reply.by === "user" && !isDecline(reply.text) ? "accept" : "decline" }
  }
)
