/** Which tools a session has: by its mode, by who gave it its work, and by what MCP servers give. */
import * as Tokens from "../../domain/context/Tokens.ts"
import type { Offer } from "../../domain/mcp/ServerTools.ts"
import { speaker, type Session } from "../../domain/session/Session.ts"
import * as Child from "../../domain/subagent/Subagent.ts"
import * as ToolSpec from "../../domain/tool/ToolSpec.ts"
import type { Any } from "../../services/Tool.ts"
import * as ServerTool from "./ServerTool.ts"

export interface Entry<R> {
  readonly tool: Any<R>
  readonly spec: ToolSpec.ToolSpec
}

/** The part of the window that tools may fill: above it, servers' tools are told when the model has looked for them. */
const share = 0.1

/** What the next request of a session tells of tools: the same list for sessions that have the same. */
export const specs = (ours: ReadonlyArray<Entry<unknown>>): (session: Session) => ReadonlyArray<ToolSpec.ToolSpec> => {
  const told = new WeakMap<Offer, Map<string, ReadonlyArray<ToolSpec.ToolSpec>>>()
  return (session) => {
    const { loaded, offer, parent, settings: { limits, mode, onlyTools, readOnly } } = session
    const { window } = speaker(session).model
    const known = told.get(offer) ?? new Map<string, ReadonlyArray<ToolSpec.ToolSpec>>()
    const key = JSON.stringify([mode, readOnly, onlyTools, Child.depth(limits, parent), window, loaded])
    const specs = known.get(key) ?? listed(ours, [...served(offer).values()], session, window)
    told.set(offer, known.set(key, specs))
    return specs
  }
}

/** Ours, and those of servers: all where they leave room, else those that the model has looked for. */
const listed = (
  ours: ReadonlyArray<Entry<unknown>>,
  served: ReadonlyArray<Entry<unknown>>,
  session: Session,
  window: number
): ReadonlyArray<ToolSpec.ToolSpec> => {
  const { loaded, offer } = session
  const has = ({ tool }: Entry<unknown>) => refusal(tool, session) === undefined
  const specs = (entries: ReadonlyArray<Entry<unknown>>) => entries.filter(has).map(({ spec }) => spec)
  const of = (crowded: boolean) => specs(ours.filter(({ tool }) => tool.when?.({ offer, crowded }) ?? true))
  const all = [...of(false), ...specs(served)]
  const crowded = served.some(has) && Tokens.ofTools(all) > share * window
  return crowded ? [...of(true), ...specs(served.filter(({ spec }) => loaded.includes(spec.name)))] : all
}

/**
 * Why a session does not have a tool; undefined where it has. Plan mode reads and asks, and what changes anything is for act
 * mode; who is too far down the tree of children does its task itself.
 */
export const refusal = (
  { aliases = [], kind, modes, name, tasks }: Any<unknown>,
  { parent, settings: { limits, mode, onlyTools, readOnly } }: Pick<Session, "parent" | "settings">
): string | undefined => {
  const now = mode === "plan" ? "plan" : "act"
  if ((modes ?? now) !== now) return `${name} is for ${modes} mode alone.`
  if (now === "plan" && kind !== "read") return `${name} can't be used in plan mode: it would change something. Read, ask, and end with present_plan.`
  if (readOnly === true && kind !== "read") return `${name} can't be used here: this task only reads. End with what you found.`
  if (tasks !== undefined && Child.depth(limits, parent) <= 0) return `${name} can't be used here: this task was given to you to do it yourself.`
  return onlyTools === undefined || [name, ...aliases].some((one) => onlyTools.includes(one)) || onlyTools.some((server) => name.startsWith(`${server}__`)) ? undefined
    : `${name} is not one of the tools of this task: ${onlyTools.join(", ") || "it has none"}.`
}

/** The tools of an offer, made once for each. */
export const served = (offer: Offer): ReadonlyMap<string, Entry<never>> => {
  const known = offers.get(offer)
  if (known !== undefined) return known
  const made = new Map(offer.tools.map((offered) => {
    const tool = ServerTool.of(offered)
    return [tool.name, { tool, spec: ToolSpec.fromParams(tool) }] as const
  }))
  offers.set(offer, made)
  return made
}

const offers = new WeakMap<Offer, ReadonlyMap<string, Entry<never>>>()
