/** What fills the window: every section and every part of the conversation, with its size and why it is there. */
import * as Result from "effect/Result"
import type { Content, Message } from "../message/Message.ts"
import { title } from "../provider/Model.ts"
import * as WindowBudget from "./WindowBudget.ts"
import * as Carryover from "./compaction/Carryover.ts"
import type { ContextError } from "./ContextError.ts"
import * as WindowUsage from "./WindowUsage.ts"
import * as RequestPlan from "./RequestPlan.ts"
import * as Tokens from "./Tokens.ts"
import * as Turns from "./compaction/Turns.ts"

/** One item in the window. `tokens` are estimated, then corrected by what the provider reported. */
export interface Item {
  readonly kind: "section" | "tools" | "message"
  readonly name: string
  readonly tokens: number
  readonly why: string
}

/**
 * `factor` is what the provider counts for one of our tokens; `rules` are the rules files that were read, farthest first, with their
 * tokens; `notes` describe the parts of them that are not shown.
 */
export interface ContextReport {
  readonly model: string
  readonly window: number
  readonly usable: number
  readonly tokens: number
  readonly factor: number
  readonly items: ReadonlyArray<Item>
  readonly rules: ReadonlyArray<{ readonly path: string; readonly tokens: number }>
  readonly notes: ReadonlyArray<string>
}

export const make = (input: RequestPlan.Input): Result.Result<ContextReport, ContextError> =>
  Result.map(RequestPlan.weigh(input), (weighedRequest) => {
    const { facts, model, session } = input
    const providerTokens = (estimate: number): number => WindowUsage.tokens(session.windowUsage, estimate)
    const recent = Turns.recent(weighedRequest.messages, Turns.recentTurns)
    const sections = [...weighedRequest.system.report, ...weighedRequest.current?.report ?? []].map((
      { alternative, form, section, tokens }
    ): Item => ({
      kind: "section",
      name: sectionNames[section] ?? section,
      tokens: form === "omitted" ? 0 : providerTokens(tokens),
      why: form === "full" ? "complete"
        : form === "omitted" ? `left out: it would take ${providerTokens(tokens)} tokens`
        : form === "summary" ? "as a summary"
        : `shorter (form ${alternative! + 1})`
    }))
    const tools = Tokens.ofTools(weighedRequest.tools)
    return {
      model: title(model),
      window: model.window,
      usable: WindowBudget.usable(model),
      tokens: providerTokens(weighedRequest.tokens),
      factor: Math.round(session.windowUsage.factor * 1000) / 1000,
      items: [
        ...sections,
        ...(tools === 0 ? []
          : [{
            kind: "tools" as const,
            name: `${weighedRequest.tools.length} tools`,
            tokens: providerTokens(tools),
            why: "sent as native tools"
          }]),
        ...weighedRequest.messages.flatMap((message, i) =>
          message.content.map((part): Item => ({
            kind: "message",
            name: `${i + 1}. ${describePart(part, message)}`,
            tokens: providerTokens(Tokens.ofPart(part).tokens),
            why: reason(part, message, i >= recent)
          }))
        )
      ],
      rules: facts.rules.map(({ path, text }) => ({ path, tokens: providerTokens(Tokens.ofText(text)) })),
      notes: facts.notes ?? []
    }
  })

/** Sections that are called by what they are to people. */
const sectionNames: Readonly<Record<string, string>> = { base: "system prompt", "family notes": "model notes" }

const describePart = (part: Content, { role }: Message): string => {
  const touched = part._tag === "Text" || part._tag === "ToolResult" ? [...new Set((part.touched ?? []).map(({ path }) => path))] : []
  const of = touched.length === 0 ? "" : ` (${touched.slice(0, 3).join(", ")})`
  switch (part._tag) {
    case "Text":
      return part.origin === "included" ? `included${of}`
        : `${part.origin ?? (role === "user" ? "user" : "response")}${of}: ${part.text.trim().split("\n", 1)[0]!.slice(0, 60)}`
    case "ToolCall":
      return `call of ${part.name}`
    case "ToolResult":
      return `result of ${part.name}${of}`
    case "Reasoning":
      return "reasoning"
    default:
      return `${part._tag.toLowerCase()} (${part.mediaType})`
  }
}

const reason = (part: Content, { role }: Message, recent: boolean): string =>
  Carryover.isSynthetic(part) ? "replaces earlier turns"
    : part._tag === "Text" && part.origin === "notice" ? "replaces what was removed"
    : part._tag === "Text" && part.origin === "included" ?
    `included automatically: ${inclusionReason(part.text)}; removed early when room is needed`
    : role === "user" && Turns.isUserContent(part) ? "your message: never removed"
    : recent ? `one of the last ${Turns.recentTurns} turns: kept`
    : "removed first when room is needed"

/** Why a file was included, as the message itself puts it. */
const inclusionReason = (text: string): string => {
  const reason = /^<file path="(?:[^"\\]|\\.)*" shown-because=("(?:[^"\\]|\\.)*")>/.exec(text)?.[1]
  return reason === undefined ? "it seemed relevant" : JSON.parse(reason) as string
}

/** The items grouped, largest first, for an overview. */
export const groups = ({ items }: ContextReport): ReadonlyArray<readonly [string, number]> => {
  const sums = new Map<string, number>()
  for (const { kind, name, tokens } of items) {
    const group = kind === "message" ? name.replace(/^\d+\. /, "").replace(/ \(.*$|:.*$/, "") : name
    sums.set(group, (sums.get(group) ?? 0) + tokens)
  }
  return [...sums].filter(([, tokens]) => tokens > 0).sort((a, b) => b[1] - a[1])
}
