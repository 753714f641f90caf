/** Which tools a session has: by its mode, by who delegated its work, and by what MCP servers offer. */
import * as Effect from "effect/Effect"
import * as Tokens from "../../domain/context/Tokens.ts"
import type { ServerTools } from "../../domain/mcp/ServerTools.ts"
import * as GrowingFold from "../../domain/message/GrowingFold.ts"
import type { Content, Message } from "../../domain/message/Message.ts"
import * as ModelFamily from "../../domain/prompt/ModelFamily.ts"
import { activeModel, type Session } from "../../domain/session/Session.ts"
import * as Subagent from "../../domain/subagent/Subagent.ts"
import * as ToolSpec from "../../domain/tool/ToolSpec.ts"
import type { Any, OfferConditions } from "../../services/Tool.ts"
import type { CustomTools } from "../../services/extension/CustomTools.ts"
import type { Servers } from "../../services/Mcp.ts"
import * as CustomTool from "./CustomTool.ts"
import * as ServerTool from "./ServerTool.ts"

/** `concise` is the spec for models that know such tools well. */
export interface Entry<R> {
  readonly tool: Any<R>
  readonly spec: ToolSpec.ToolSpec
  readonly concise?: ToolSpec.ToolSpec
}

/** The part of the window that tools may fill: above it, MCP tools are declared only after the model has searched for them. */
const maxShare = 0.1

/** The tools that the next request of a session declares: the same list for sessions with the same tools. */
export const specs = (
  builtins: ReadonlyArray<Entry<unknown>>,
  { hasBrowser }: Pick<OfferConditions, "hasBrowser">
): (session: Session) => ReadonlyArray<ToolSpec.ToolSpec> => {
  const cache = new WeakMap<ServerTools, Map<string, ReadonlyArray<ToolSpec.ToolSpec>>>()
  return (session) => {
    const { loadedTools, offer, parent, settings: { limits, mode, onlyTools, readOnly, search } } = session
    const choice = activeModel(session)
    const { window } = choice.model
    const cachedSpecs = cache.get(offer) ?? new Map<string, ReadonlyArray<ToolSpec.ToolSpec>>()
    const detail = ModelFamily.of(choice).tools
    const conditions = { ...conditionsOf(session), hasBrowser }
    const key = JSON.stringify([mode, readOnly, onlyTools, Subagent.depth(limits, parent), window, loadedTools, conditions, search, detail])
    const entries = [...builtins, ...customTools(offer).values()]
    const specs = cachedSpecs.get(key) ?? listSpecs(entries, [...serverTools(offer).values()], session, { window, detail, conditions })
    cache.set(offer, cachedSpecs.set(key, specs))
    return specs
  }
}

type SessionConditions = Omit<OfferConditions, "needsSearch" | "offer">

const conditionsOf = (session: Session): Omit<SessionConditions, "hasBrowser"> => ({
  hasSkills: hasSkills(session),
  mentionsMcp: mentionsMcp(session),
  canAsk: session.settings.onAsk !== "deny",
  hasTerminalCommands: session.terminalCommands.size > 0
})

/** Before facts are gathered, there may be some. */
const hasSkills = ({ facts }: Session): boolean => facts === undefined || (facts.skills ?? []).length > 0

/** Whether the user has mentioned MCP: a request to write a server contains the term. */
const mentionsMcp = ({ messages, pendingContent }: Session): boolean => pendingContent.some(isMcpMention) || hasMcpMention(messages)

const hasMcpMention = GrowingFold.make<Message, boolean>({
  empty: () => false,
  add: (isMentioned, { content, role }) => isMentioned || (role === "user" && content.some(isMcpMention)),
  fork: GrowingFold.immutable
})

const isMcpMention = (part: Content): boolean => part._tag === "Text" && part.origin === undefined && /\bmcp\b/i.test(part.text)

/** Our tools and MCP tools: all of them if they fit, else those that the model has searched for. */
const listSpecs = (
  builtins: ReadonlyArray<Entry<unknown>>,
  serverEntries: ReadonlyArray<Entry<unknown>>,
  session: Session,
  { conditions, detail, window }: {
    readonly window: number
    readonly detail: ModelFamily.ModelFamily["tools"]
    readonly conditions: SessionConditions
  }
): ReadonlyArray<ToolSpec.ToolSpec> => {
  const { loadedTools, offer } = session
  const isAvailable = ({ tool }: Entry<unknown>) => refusal(tool, session) === undefined
  const specs = (entries: ReadonlyArray<Entry<unknown>>) =>
    entries.filter(isAvailable).map(({ concise, spec }) => detail === "concise" ? concise ?? spec : spec)
  const available = (needsSearch: boolean) =>
    specs(builtins.filter(({ tool }) => isEnabled(tool, session) && (tool.when?.({ ...conditions, offer, needsSearch }) ?? true)))
  const all = [...available(false), ...specs(serverEntries)]
  const needsSearch = serverEntries.some(isAvailable) && Tokens.ofTools(all) > maxShare * window
  return needsSearch ? [...available(true), ...specs(serverEntries.filter(({ spec }) => loadedTools.includes(spec.name)))] : all
}

/** Whether the settings of a session turn a tool on. */
export const isEnabled = (tool: Any<unknown>, { settings: { search = {} } }: Pick<Session, "settings">): boolean =>
  tool.isEnabled?.(search) ?? true

/**
 * Why a session does not have a tool; undefined if it does. Plan mode reads, with commands too, and asks; changes are for act mode; at
 * the maximum subagent depth a session does its task itself.
 */
export const refusal = (
  { aliases = [], kind, modes, name, readsInPlanMode = false, tasks }: Any<unknown>,
  { parent, settings: { limits, mode, onlyTools, readOnly } }: Pick<Session, "parent" | "settings">
): string | undefined => {
  const currentMode = mode === "plan" ? "plan" : "act"
  if ((modes ?? currentMode) !== currentMode) return `${name} is only available in ${modes} mode.`
  if (currentMode === "plan" && kind !== "read" && !readsInPlanMode)
    return `${name} is not available in plan mode, because it changes things. Read, ask questions, and end with present_plan.`
  if (readOnly === true && kind !== "read") return `${name} is not available: this task is read-only. End with what you found.`
  if (tasks !== undefined && Subagent.depth(limits, parent) <= 0)
    return `${name} is not available to a subagent at this depth. Do the task yourself.`
  return onlyTools === undefined || [name, ...aliases].some((one) => onlyTools.includes(one)) ||
      onlyTools.some((server) => name.startsWith(`${server}__`)) ? undefined
    : `${name} is not one of the tools of this task: ${onlyTools.join(", ") || "none"}.`
}

/** The entries of an offer, created once for each. */
const entriesOf = <R>(tools: (offer: ServerTools) => ReadonlyArray<Any<R>>) => {
  const entriesByOffer = new WeakMap<ServerTools, ReadonlyMap<string, Entry<R>>>()
  return (offer: ServerTools): ReadonlyMap<string, Entry<R>> => {
    const cachedEntries = entriesByOffer.get(offer)
    if (cachedEntries !== undefined) return cachedEntries
    const entries = new Map(tools(offer).map((tool) => [tool.name, { tool, spec: ToolSpec.fromParams(tool) }] as const))
    entriesByOffer.set(offer, entries)
    return entries
  }
}

/** The tools of MCP servers. */
export const serverTools = entriesOf(({ tools }): ReadonlyArray<Any<never>> => tools.map(ServerTool.of))

/** The tools of files and plugins, which are always declared. Their services are those of run_command, which every session has. */
export const customTools = entriesOf(({ custom = [] }) =>
  custom.map(CustomTool.of) as ReadonlyArray<Any<unknown>> as ReadonlyArray<Any<never>>
)

/** What a session may be offered now besides the built-in tools, compared with what it knows: checked before each of its requests. */
export const refresher = ({ refresh }: Servers, { list }: typeof CustomTools.Service): Servers["refresh"] => {
  /** Notes already shown, by session. */
  const reportedNotes = new Set<string>()
  return Effect.fn("Tools.refresh")(function*(session) {
    const { custom: known = [], ...serverOffer } = session.offer
    const ofServers = yield* refresh({ ...session, offer: serverOffer })
    const { notes, tools } = yield* list(session.cwd)
    const newNotes = notes.filter((note) => {
      const key = `${session.parent ?? session.id} ${note}`
      return !reportedNotes.has(key) && reportedNotes.add(key)
    })
    const isChanged = JSON.stringify(tools) !== JSON.stringify(known)
    if (ofServers === undefined && newNotes.length === 0 && !isChanged) return undefined
    const { notes: serverNotes, offer } = ofServers ?? { notes: [], offer: serverOffer }
    return {
      offer: { ...offer, ...(tools.length === 0 ? {} : { custom: tools }) } satisfies ServerTools,
      notes: [...serverNotes, ...newNotes]
    }
  })
}
