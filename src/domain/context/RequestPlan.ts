/** The next request, as a pure function of the session and the facts: what is shown, what is left out, and whether it fits. */
import * as Result from "effect/Result"
import type { Content, Message } from "../message/Message.ts"
import * as XmlHistory from "../message/XmlHistory.ts"
import * as Assemble from "../prompt/Assemble.ts"
import type { About } from "../prompt/Section.ts"
import * as Sections from "../prompt/Sections.ts"
import type { Model } from "../provider/Model.ts"
import type { ModelRequest } from "../provider/ModelRequest.ts"
import type { Session } from "../session/Session.ts"
import type { Facts, FactsChange as Change, Included } from "../session/SessionEvent.ts"
import * as Terminal from "../session/LastCommand.ts"
import * as Transcript from "../session/Transcript.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"
import * as Budget from "./WindowBudget.ts"
import { ContextError } from "./ContextError.ts"
import * as FactsChange from "./FactsChange.ts"
import * as Gauge from "./WindowUsage.ts"
import * as Tokens from "./Tokens.ts"

/**
 * `facts`, `included` and `current` as ContextPlanned logs them (`facts` only where they differ from what the session knows);
 * `system` is the prompt's text, which the caller stores as a blob. `left` names sections that are not there or poorer.
 */
export interface Plan {
  readonly facts?: Change
  readonly system: string
  readonly included: ReadonlyArray<Included>
  readonly current?: string
  readonly tokens: number
  readonly left: ReadonlyArray<string>
  readonly request: ModelRequest
}

/** `included` are files that go along by themselves. */
export interface Input {
  readonly session: Session
  readonly facts: Facts
  readonly model: Model
  readonly tools: ReadonlyArray<ToolSpec>
  readonly included?: ReadonlyArray<Included>
}

/** Tokens that current sections may take at the end of a message. */
const currentBudget = 2000

/** What a request would hold and weigh: `tokens` in our own count, before what providers report corrects it. */
export interface Weighed extends Prompts {
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolSpec>
  readonly tokens: number
}

/** Linear in the messages; only those that were not counted before are read. Copies no text. */
export const weigh = (input: Input): Result.Result<Weighed, ContextError> =>
  Result.map(prompts(input), (prompts) => {
    const { session } = input
    const tools = session.settings.toolFormat === "native" ? input.tools : []
    const messages = withNewest(input, prompts.current?.text)
    const tokens = Tokens.ofPrompt(prompts.system.text) + Tokens.ofTools(tools) + Tokens.ofMessages(messages).tokens
    return { ...prompts, messages, tools, tokens }
  })

export const make = (input: Input): Result.Result<Plan, ContextError> =>
  Result.flatMap(weigh(input), (weighed) => {
    const { current, facts, messages, system, tools } = weighed
    const { model, session } = input
    const tokens = Gauge.tokens(session.gauge, weighed.tokens)
    const maxTokens = Budget.maxTokens(model, tokens)
    if (maxTokens < Budget.leastAnswer(model)) return Result.fail(overflow(input, weighed, tokens))
    const change = FactsChange.since(session.facts, facts)
    return Result.succeed({
      ...(change === undefined ? {} : { facts: change }),
      system: system.text,
      included: input.included ?? [],
      ...(current === undefined ? {} : { current: current.text }),
      tokens,
      left: [...session.gauge.left, ...[...system.report, ...current?.report ?? []].flatMap(poorer)],
      request: {
        system: system.text,
        messages: session.settings.toolFormat === "native" ? messages : XmlHistory.tell(messages, input.tools),
        tools,
        maxTokens,
        cacheKey: session.id,
        place: session.answers
      }
    })
  })

interface Prompts {
  readonly facts: Facts
  readonly system: Assemble.Assembled
  readonly current: Assemble.Assembled | undefined
}

const prompts = ({ facts: gathered, included = [], model, session, tools }: Input): Result.Result<Prompts, ContextError> => {
  const { calls, said, settings, task, todo } = session
  const facts = unseen(gathered, included)
  // What is current is told at the end of a new message; without one the session keeps what it knows, and tells it later.
  const pending = calls.length + said.length > 0
  const told = pending || session.facts === undefined ? facts : untold(facts, session.facts)
  const faults = Terminal.faults(session.terminal)
  const about: About = {
    model,
    mode: settings.mode === "plan" ? "plan" : "act",
    toolFormat: settings.toolFormat,
    tools,
    offer: session.offer,
    cwd: session.cwd,
    ...(settings.roots === undefined ? {} : { roots: settings.roots }),
    ...(settings.prompt === undefined ? {} : { prompt: settings.prompt }),
    facts: told,
    known: session.facts,
    turns: task.turns,
    ...(faults === undefined ? {} : { faults }),
    todo
  }
  const budget = Math.floor(model.window / 4)
  return Result.gen(function*() {
    const system = yield* Assemble.assemble(Sections.of(about, "fixed"), about, { budget, count: Tokens.ofPrompt })
    const current = yield* Assemble.assemble(Sections.of(about, "current"), about, { budget: currentBudget, count: Tokens.ofPrompt })
    return { facts: told, system, current: pending && current.text !== "" ? current : undefined }
  }).pipe(Result.mapError((error) => systemTooLarge(error, model)))
}

/** Facts as they are, but those that are current as the session knows them. */
const untold = ({ changed: _, git: __, today: ___, ...lasting }: Facts, { changed, git, today }: Facts): Facts => ({
  ...lasting,
  git,
  ...(changed === undefined ? {} : { changed }),
  ...(today === undefined ? {} : { today })
})

/** The messages of the session and the one that is sent now. */
const withNewest = ({ included = [], session: { calls, messages, said } }: Input, current: string | undefined): ReadonlyArray<Message> =>
  calls.length + said.length === 0 ? messages : [...messages, Transcript.userMessage(calls, said, included, current)]

/** What changed and goes along as it is now needs no word that it has to be read again. */
const unseen = (facts: Facts, included: ReadonlyArray<Included>): Facts => {
  const { changed = [] } = facts
  const left = changed.filter(({ path }) => !included.some((file) => file.path === path))
  return left.length === changed.length ? facts : { ...facts, changed: left }
}

const poorer = ({ alternative, how, section }: Assemble.Entry): ReadonlyArray<string> =>
  how === "whole" ? [] : how === "left" ? [section] : [`${section} (${how}${alternative === undefined ? "" : ` ${alternative}`})`]

const systemTooLarge = ({ budget, needed, sections }: Assemble.TooLarge, model: Model): ContextError =>
  new ContextError({
    message: `The system prompt alone needs about ${needed} tokens, and ${budget} of the ${model.window} of ${model.name} are for it. The largest: ${
      sections.slice(0, 3).map(({ section, tokens }) => `${section} (${tokens})`).join(", ")
    }. Choose a model with a larger window.`,
    tokens: needed,
    window: model.window
  })

const overflow = ({ model }: Input, { messages, system, tools }: Weighed, tokens: number): ContextError => {
  const weights = [
    { name: "the system prompt", tokens: system.tokens },
    { name: "the tools", tokens: Tokens.ofTools(tools) },
    ...messages.flatMap(({ content, role }, i) =>
      content.map((part) => ({ name: nameOf(part, role, i + 1), tokens: Tokens.ofMessage({ role, content: [part] }) }))
    )
  ].sort((a, b) => b.tokens - a.tokens)
  return new ContextError({
    message: `The request needs about ${tokens} tokens, and ${model.name} takes ${model.window} with its answer. The largest: ${
      weights.slice(0, 3).map((one) => `${one.name} (${one.tokens})`).join(", ")
    }. Begin a new task with less, or choose a model with a larger window.`,
    tokens,
    window: model.window
  })
}

const nameOf = (part: Content, role: Message["role"], place: number): string => {
  const what = part._tag === "ToolResult" ? `the result of ${part.name}`
    : part._tag === "ToolCall" ? `the call of ${part.name}`
    : part._tag === "Text" ? (role === "user" ? "the user's text" : "the model's text")
    : `the ${part._tag.toLowerCase()}`
  return `${what} in message ${place}`
}
