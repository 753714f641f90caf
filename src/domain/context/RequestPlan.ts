/** Plans the next request as a pure function of the session and the facts: what is shown, what is left out, and whether it fits. */
import * as Result from "effect/Result"
import { optional } from "../Optional.ts"
import type { Content, Message } from "../message/Message.ts"
import * as XmlHistory from "../message/XmlHistory.ts"
import * as Assemble from "../prompt/Assemble.ts"
import type { PromptInput } from "../prompt/Section.ts"
import * as Sections from "../prompt/Sections.ts"
import type { Model } from "../provider/Model.ts"
import type { ModelRequest } from "../provider/ModelRequest.ts"
import type { Session } from "../session/Session.ts"
import type { Facts, FactsChange as Change, IncludedFile } from "../session/SessionEvent.ts"
import * as LastCommand from "../session/LastCommand.ts"
import * as Transcript from "../session/Transcript.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"
import * as WindowBudget from "./WindowBudget.ts"
import { ContextError } from "./ContextError.ts"
import * as FactsChange from "./FactsChange.ts"
import * as WindowUsage from "./WindowUsage.ts"
import * as Tokens from "./Tokens.ts"

/**
 * `facts`, `included` and `current` as ContextPlanned logs them (`facts` only where they differ from what the session
 * knows); `system` is the prompt's text and `tools` the tools on offer: the caller stores both as blobs. `omissions` names
 * sections that are missing or reduced.
 */
export interface RequestPlan {
  readonly facts?: Change
  readonly system: string
  readonly tools: ReadonlyArray<ToolSpec>
  readonly included: ReadonlyArray<IncludedFile>
  readonly current?: string
  readonly tokens: number
  readonly omissions: ReadonlyArray<string>
  readonly request: ModelRequest
}

/** A request's texts as recorded in a log. */
export interface RecordedTexts {
  readonly system: string
  readonly tools: ReadonlyArray<ToolSpec>
  readonly current?: string
}

/** What a request is planned from; `recorded` takes the place of the prompt that would be rendered today. */
export interface Input {
  readonly session: Session
  readonly facts: Facts
  readonly model: Model
  readonly tools: ReadonlyArray<ToolSpec>
  readonly recorded?: Pick<RecordedTexts, "current" | "system"> | undefined
}

/** The token limit for current sections at the end of a message. */
const currentBudget = 2000

/** What a request would hold: `tokens` in our own count, before what providers report corrects it. */
export interface WeighedRequest {
  readonly input: Input
  readonly system: Assemble.Prompt
  readonly current: Assemble.Prompt | undefined
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolSpec>
  readonly tokens: number
}

/**
 * The first half of a plan, once for each request: compaction and the choice of files read it, and {@link make} ends it. Linear in the
 * messages; only those that were not counted before are read. Copies no text.
 */
export const weigh = (input: Input): Result.Result<WeighedRequest, ContextError> =>
  Result.gen(function*() {
    const system = yield* systemPrompt(input)
    return measure(input, system, yield* currentPrompt(input), [])
  })

/** The plan of a request that was weighed; `included` are files that are sent with it automatically. */
export const make = (
  weighedRequest: WeighedRequest,
  included: ReadonlyArray<IncludedFile> = []
): Result.Result<RequestPlan, ContextError> =>
  Result.flatMap(withIncluded(weighedRequest, included), (weighedRequest) => {
    const { current, input, messages, system, tools } = weighedRequest
    const { model, session } = input
    const tokens = WindowUsage.tokens(session.windowUsage, weighedRequest.tokens)
    const maxTokens = WindowBudget.maxTokens(model, tokens)
    if (maxTokens < WindowBudget.minResponseTokens(model)) return Result.fail(overflow(weighedRequest, tokens))
    const change = FactsChange.factsSince(session.facts, reportedFacts(input))
    return Result.succeed({
      ...optional({ facts: change }),
      system: system.text,
      tools: input.tools,
      included,
      ...(current === undefined ? {} : { current: current.text }),
      tokens,
      omissions: [...session.windowUsage.omissions, ...[...system.report, ...current?.report ?? []].flatMap(reduction)],
      request: {
        system: system.text,
        messages: session.settings.toolFormat === "native" ? messages : XmlHistory.toXmlMessages(messages, input.tools),
        tools,
        maxTokens,
        cacheKey: session.id,
        place: session.assistantMessageCount
      }
    })
  })

/** With the files in its last message; a changed file that is sent with it is not reported as changed. */
const withIncluded = (
  weighedRequest: WeighedRequest,
  included: ReadonlyArray<IncludedFile>
): Result.Result<WeighedRequest, ContextError> => {
  if (included.length === 0) return Result.succeed(weighedRequest)
  const { current, system } = weighedRequest
  const facts = withoutIncluded(weighedRequest.input.facts, included)
  const hasSameFacts = facts === weighedRequest.input.facts
  const input = hasSameFacts ? weighedRequest.input : { ...weighedRequest.input, facts }
  return Result.map(hasSameFacts ? Result.succeed(current) : currentPrompt(input), (current) => measure(input, system, current, included))
}

const measure = (
  input: Input,
  system: Assemble.Prompt,
  current: Assemble.Prompt | undefined,
  included: ReadonlyArray<IncludedFile>
): WeighedRequest => {
  const { calls, messages: sent, pendingContent, settings } = input.session
  const tools = settings.toolFormat === "native" ? input.tools : []
  const messages = hasPendingMessage(input) ? [...sent, Transcript.userMessage(calls, pendingContent, included, current?.text)] : sent
  const tokens = Tokens.ofPrompt(system.text) + Tokens.ofTools(tools) + Tokens.ofMessages(messages).tokens
  return { input, system, current, messages, tools, tokens }
}

const hasPendingMessage = ({ session: { calls, pendingContent } }: Input): boolean => calls.length + pendingContent.length > 0

/** Current facts are reported at the end of a new message; without one the session keeps those it knows, and reports the change later. */
const reportedFacts = (input: Input): Facts =>
  hasPendingMessage(input) || input.session.facts === undefined ? input.facts : withoutUnchanged(input.facts, input.session.facts)

const systemPrompt = (input: Input): Result.Result<Assemble.Prompt, ContextError> =>
  input.recorded !== undefined
    ? Result.succeed(Assemble.recorded(input.recorded.system, Tokens.ofPrompt))
    : assemble(input, Sections.system, Math.floor(input.model.window / 4))

/** The current sections; undefined where no message is sent that could end with them, or there are none. */
const currentPrompt = (input: Input): Result.Result<Assemble.Prompt | undefined, ContextError> => {
  if (!hasPendingMessage(input)) return Result.succeed(undefined)
  const { recorded } = input
  if (recorded !== undefined) {
    return Result.succeed(recorded.current === undefined ? undefined : Assemble.recorded(recorded.current, Tokens.ofPrompt))
  }
  return Result.map(assemble(input, Sections.current, currentBudget), (current) => current.text === "" ? undefined : current)
}

const assemble = (input: Input, sections: typeof Sections.system, budget: number): Result.Result<Assemble.Prompt, ContextError> => {
  const about = promptInput(input)
  return Result.mapError(
    Assemble.assemble(Sections.forModel(sections, about), about, { budget, count: Tokens.ofPrompt }),
    (error) => systemTooLarge(error, input.model)
  )
}

const promptInput = (input: Input): PromptInput => {
  const { model, session, tools } = input
  const { cwd, facts: previousFacts, offer, settings, task, terminal, todo } = session
  const failures = LastCommand.checkProblems(terminal)
  return {
    model,
    mode: settings.mode === "plan" ? "plan" : "act",
    toolFormat: settings.toolFormat,
    tools,
    offer,
    cwd,
    ...optional({ roots: settings.roots, prompt: settings.prompt }),
    facts: reportedFacts(input),
    previousFacts,
    turns: task.turns,
    ...optional({ failures }),
    todo
  }
}

/** The facts, with the current ones as the session knows them. */
const withoutUnchanged = (
  { changed: _, ended: __, git: ___, today: ____, ...stableFacts }: Facts,
  { changed, ended, git, today }: Facts
): Facts => ({
  ...stableFacts,
  git,
  ...optional({ changed, ended, today })
})

/** A changed file that is sent with the request needs no note to read it again. */
const withoutIncluded = (facts: Facts, included: ReadonlyArray<IncludedFile>): Facts => {
  const { changed = [] } = facts
  const remaining = changed.filter(({ path }) => !included.some((file) => file.path === path))
  return remaining.length === changed.length ? facts : { ...facts, changed: remaining }
}

const reduction = ({ alternative, form, section }: Assemble.SectionReport): ReadonlyArray<string> =>
  form === "full" ? [] : form === "omitted" ? [section] : [`${section} (${form}${alternative === undefined ? "" : ` ${alternative}`})`]

const systemTooLarge = ({ budget, needed, sections }: Assemble.PromptTooLarge, model: Model): ContextError =>
  new ContextError({
    message:
      `The system prompt alone needs about ${needed} tokens, but only ${budget} of the ${model.window}-token window of ${model.name} are available for it. Largest sections: ${
        sections.slice(0, 3).map(({ section, tokens }) => `${section} (${tokens})`).join(", ")
      }. Choose a model with a larger window.`,
    tokens: needed,
    window: model.window
  })

const overflow = ({ input: { model }, messages, system, tools }: WeighedRequest, tokens: number): ContextError => {
  const weights = [
    { name: "the system prompt", tokens: system.tokens },
    { name: "the tools", tokens: Tokens.ofTools(tools) },
    ...messages.flatMap(({ content, role }, i) =>
      content.map((part) => ({ name: nameOf(part, role, i + 1), tokens: Tokens.ofMessage({ role, content: [part] }) }))
    )
  ].sort((a, b) => b.tokens - a.tokens)
  return new ContextError({
    message:
      `The request needs about ${tokens} tokens, but ${model.name} has a window of ${model.window} tokens, response included. Largest parts: ${
        weights.slice(0, 3).map((weight) => `${weight.name} (${weight.tokens})`).join(", ")
      }. Start a new task with less in it, or choose a model with a larger window.`,
    tokens,
    window: model.window
  })
}

const nameOf = (part: Content, role: Message["role"], messageNumber: number): string => {
  const label = part._tag === "ToolResult" ? `the result of ${part.name}`
    : part._tag === "ToolCall" ? `the call of ${part.name}`
    : part._tag === "Text" ? (role === "user" ? "the user's text" : "the model's text")
    : `the ${part._tag.toLowerCase()}`
  return `${label} in message ${messageNumber}`
}
