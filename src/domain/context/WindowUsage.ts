/**
 * How full the window is, as far as a session knows: estimates are corrected by what providers report, so that the
 * next plan is right where the last one was not.
 */
import type { Model } from "../provider/Model.ts"
import { inputTotal, type TokenUsage } from "../session/Usage.ts"

/**
 * - `factor` is what the provider counted by what we counted. `planned` is the last request in our own count.
 * - `refusals`: how often in a row the provider called a request too long; `due`: since then nothing was made smaller.
 * - `asked`: the user wants it smaller, and `wish` is what of it matters to them; "" for nothing in particular. `failed`: a summary failed since the last answer, and is not tried again before.
 * - `left`: what was taken out since the last plan, by name.
 */
export interface Gauge {
  readonly factor: number
  readonly planned: number
  readonly refusals: number
  readonly due: boolean
  readonly asked: boolean
  readonly wish: string
  readonly failed: boolean
  readonly left: ReadonlyArray<string>
}

export const initial: Gauge = { factor: 1, planned: 0, refusals: 0, due: false, asked: false, wish: "", failed: false, left: [] }

/** Beyond this a report is no count of the same request: a server that counts nothing, or only what it did not cache. */
const trusted = { least: 0.4, most: 3 }

/** A count of ours in the provider's tokens. */
export const tokens = ({ factor }: Gauge, counted: number): number => Math.ceil(counted * factor)

/** After a plan of `estimate` tokens, as they were told. */
export const planned = (gauge: Gauge, estimate: number): Gauge => ({ ...gauge, planned: estimate / gauge.factor, left: [] })

/** After an answer: its request was not too long, and this is what it weighed. */
export const reported = (gauge: Gauge, usage: TokenUsage): Gauge => {
  const ratio = gauge.planned > 0 && usage.estimated !== true ? inputTotal(usage) / gauge.planned : 0
  const factor = ratio < trusted.least ? gauge.factor : Math.min(ratio, trusted.most)
  return { ...gauge, factor, refusals: 0, due: false, failed: false }
}

/** After a refusal: the request weighed at least what the window holds. */
export const refused = (gauge: Gauge, { window }: Pick<Model, "window">): Gauge => ({
  ...gauge,
  refusals: gauge.refusals + 1,
  due: true,
  factor: gauge.planned === 0 ? gauge.factor : Math.min(trusted.most, Math.max(gauge.factor, window / gauge.planned))
})

/** A request that was too long is sent once more, made smaller. */
export const isMendable = ({ refusals }: Gauge): boolean => refusals === 0

/** After a compaction. */
export const compacted = (gauge: Gauge, { failed, left }: { readonly failed?: string; readonly left: ReadonlyArray<string> }): Gauge => ({
  ...gauge,
  due: false,
  asked: false,
  wish: "",
  failed: gauge.failed || failed !== undefined,
  left: [...gauge.left, ...left]
})
