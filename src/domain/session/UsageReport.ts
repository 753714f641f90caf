/** What requests used, individually and in total, and why the provider's cache missed where it did. */
import { optional } from "../Optional.ts"
import type { SessionEvent } from "./SessionEvent.ts"
import * as Usage from "./Usage.ts"

/** Why little of a request was read from the cache, though most of it may have been sent before. */
export type CacheMiss =
  | "first request"
  | "another model"
  | "other instructions"
  | "other tools"
  | "compacted"
  | "went back"
  | "a fork's first request"
  | "over 5 minutes since the last"
  | "the provider reports no cache"
  | "too short to be cached"
  | "the prefix was the same"

/** One completed request. `hitRate`: the part of its input that was read from the cache; `miss`: why it is under a half. */
export interface Request {
  readonly session: string
  readonly seq: number
  /** ms since the epoch, when its response was complete. */
  readonly time: number
  readonly model: string
  readonly usage: Usage.TokenUsage
  /** USD; null if the price is unknown. */
  readonly cost: number | null
  readonly hitRate: number
  readonly miss?: CacheMiss
}

/** How long providers keep a cached prefix, in ms, and the fewest tokens that they cache. */
const cacheLifetimeMs = 5 * 60_000
const minCacheableTokens = 1024

interface FoldState {
  readonly requests: Array<Request>
  session: string
  model: string
  /** Whether this session's provider ever reported a cached token. */
  hasCache: boolean
  last: number | undefined
  /** What happened since the last request that changes its prefix. */
  missReason: CacheMiss | undefined
}

/** The requests of a log; a fork's begin at the fork, for the earlier ones are its origin's. */
export const requests = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<Request> => {
  const fold: FoldState = { requests: [], session: "", model: "", hasCache: false, last: undefined, missReason: undefined }
  events.forEach((at) => step(fold, at))
  return fold.requests.map((request) =>
    !fold.hasCache && request.miss !== undefined && request.miss !== "too short to be cached"
      ? { ...request, miss: "the provider reports no cache" } : request
  )
}

const step = (fold: FoldState, { event, seq, time }: SessionEvent): void => {
  switch (event._tag) {
    case "SessionStarted":
      fold.session = event.id
      fold.requests.length = 0
      fold.missReason = event.origin === undefined ? "first request" : "a fork's first request"
      return
    case "ContextPlanned":
      if (event.system !== undefined) fold.missReason ??= "other instructions"
      if (event.tools !== undefined) fold.missReason ??= "other tools"
      return
    case "ContextCompacted":
      fold.missReason = "compacted"
      return
    case "Rewound":
      if (event.conversation) fold.missReason = "went back"
      return
    case "ToolsChanged":
      fold.missReason ??= "other tools"
      return
    case "ModelRequested":
      if (fold.model !== "" && fold.model !== event.model && fold.missReason !== "a fork's first request") fold.missReason = "another model"
      fold.model = event.model
      return
    case "ModelResponded": {
      const input = Usage.inputTotal(event.usage)
      const hitRate = input === 0 ? 0 : event.usage.cacheRead / input
      const miss = hitRate >= 0.5 ? undefined
        : input < minCacheableTokens ? "too short to be cached"
        : fold.missReason ??
          (fold.last !== undefined && time - fold.last > cacheLifetimeMs ? "over 5 minutes since the last" : "the prefix was the same")
      fold.hasCache ||= event.usage.cacheRead + event.usage.cacheWrite > 0
      fold.requests.push({
        session: fold.session,
        seq,
        time,
        model: fold.model,
        usage: event.usage,
        cost: event.cost,
        hitRate,
        ...optional({ miss })
      })
      fold.last = time
      fold.missReason = undefined
      return
    }
    default:
      return
  }
}

export type By = "request" | "session" | "day" | "model" | "provider"

/** A sum of requests. `misses` counts them by reason; `unpriced`: those of unknown cost. */
export interface Row {
  readonly name: string
  readonly requests: number
  readonly usage: Usage.TokenUsage
  readonly cost: number
  readonly unpriced: number
  readonly hitRate: number
  readonly misses: Readonly<Partial<Record<CacheMiss, number>>>
}

const names: Readonly<Record<By, (request: Request) => string>> = {
  request: ({ seq, session }) => `${session}@${seq}`,
  session: ({ session }) => session,
  day: ({ time }) => Usage.formatDay(time),
  model: ({ model }) => model,
  provider: ({ model }) => model.slice(0, Math.max(0, model.indexOf("/")))
}

/** Sums in the order in which their first requests came; days are UTC. */
export const rows = (requests: ReadonlyArray<Request>, by: By): ReadonlyArray<Row> =>
  [...Map.groupBy(requests, names[by])].map(([name, group]) => sum(name, group))

export const sum = (name: string, requests: ReadonlyArray<Request>): Row => {
  const usage = requests.reduce((sum, { usage }) => Usage.add(sum, usage), Usage.zero)
  const input = Usage.inputTotal(usage)
  const misses: Partial<Record<CacheMiss, number>> = {}
  for (const { miss } of requests) if (miss !== undefined) misses[miss] = (misses[miss] ?? 0) + 1
  return {
    name,
    requests: requests.length,
    usage,
    cost: requests.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    unpriced: requests.filter(({ cost }) => cost === null).length,
    hitRate: input === 0 ? 0 : usage.cacheRead / input,
    misses
  }
}
