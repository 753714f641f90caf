/** What fills the window: every section and every part of the conversation, with what it weighs and why it is there. */
import * as Result from "effect/Result"
import type { Content, Message } from "../message/Message.ts"
import { title } from "../provider/Model.ts"
import * as Budget from "./WindowBudget.ts"
import * as Carried from "./compaction/Carryover.ts"
import type { ContextError } from "./ContextError.ts"
import * as Gauge from "./WindowUsage.ts"
import * as Plan from "./RequestPlan.ts"
import * as Tokens from "./Tokens.ts"
import * as Turns from "./compaction/Turns.ts"

/** One thing in the window. `tokens` are estimated, corrected by what the provider reported. */
export interface Item {
  readonly kind: "section" | "tools" | "message"
  readonly name: string
  readonly tokens: number
  readonly why: string
}

/** `factor` is what the provider counts for one token of ours; `notes` say what of the rules is not shown. */
export interface Report {
  readonly model: string
  readonly window: number
  readonly usable: number
  readonly tokens: number
  readonly factor: number
  readonly items: ReadonlyArray<Item>
  readonly notes: ReadonlyArray<string>
}

export const make = (input: Plan.Input): Result.Result<Report, ContextError> =>
  Result.map(Plan.weigh(input), (weighed) => {
    const { facts, model, session } = input
    const told = (counted: number): number => Gauge.tokens(session.gauge, counted)
    const recent = Turns.recent(weighed.messages, Turns.kept)
    const sections = [...weighed.system.report, ...weighed.current?.report ?? []].map(({ alternative, how, section, tokens }): Item => ({
      kind: "section",
      name: section,
      tokens: how === "left" ? 0 : told(tokens),
      why: how === "whole" ? "whole" : how === "left" ? `left out: it would take ${told(tokens)} tokens` : how === "summary" ? "as a summary" : `shorter (form ${alternative! + 1})`
    }))
    const tools = Tokens.ofTools(weighed.tools)
    return {
      model: title(model),
      window: model.window,
      usable: Budget.usable(model),
      tokens: told(weighed.tokens),
      factor: Math.round(session.gauge.factor * 1000) / 1000,
      items: [
        ...sections,
        ...(tools === 0 ? [] : [{ kind: "tools" as const, name: `${weighed.tools.length} tools`, tokens: told(tools), why: "told natively" }]),
        ...weighed.messages.flatMap((message, i) => message.content.map((part): Item => ({
          kind: "message",
          name: `${i + 1}. ${named(part, message)}`,
          tokens: told(Tokens.ofPart(part).tokens),
          why: reason(part, message, i >= recent)
        })))
      ],
      notes: facts.notes ?? []
    }
  })

const named = (part: Content, { role }: Message): string => {
  const touched = part._tag === "Text" || part._tag === "ToolResult" ? [...new Set((part.touched ?? []).map(({ path }) => path))] : []
  const of = touched.length === 0 ? "" : ` (${touched.slice(0, 3).join(", ")})`
  switch (part._tag) {
    case "Text":
      return part.origin === "included" ? `included${of}` : `${part.origin ?? (role === "user" ? "user" : "answer")}${of}: ${part.text.trim().split("\n", 1)[0]!.slice(0, 60)}`
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
  Carried.isOurs(part) ? "stands for earlier turns"
  : part._tag === "Text" && part.origin === "notice" ? "stands for what was left out"
  : part._tag === "Text" && part.origin === "included" ? `shown by itself: ${becauseOf(part.text)}; among the first to go`
  : role === "user" && Turns.isOwn(part) ? "the user's words: never left out"
  : recent ? `of the last ${Turns.kept} turns: kept`
  : "goes first when room is needed"

/** Why a file went along, as the message itself says it. */
const becauseOf = (text: string): string => {
  const told = /^<file path="(?:[^"\\]|\\.)*" shown-because=("(?:[^"\\]|\\.)*")>/.exec(text)?.[1]
  return told === undefined ? "it seemed to matter" : JSON.parse(told) as string
}

/** What belongs together, largest first, for a glance. */
export const groups = ({ items }: Report): ReadonlyArray<readonly [string, number]> => {
  const sums = new Map<string, number>()
  for (const { kind, name, tokens } of items) {
    const group = kind === "message" ? name.replace(/^\d+\. /, "").replace(/ \(.*$|:.*$/, "") : name
    sums.set(group, (sums.get(group) ?? 0) + tokens)
  }
  return [...sums].filter(([, tokens]) => tokens > 0).sort((a, b) => b[1] - a[1])
}
