/** What an answer that did not end was worth: the words that had come, and what they cost. */
import type { Timed } from "../message/Chunk.ts"
import type { Model } from "../provider/Model.ts"
import * as Usage from "./Usage.ts"

/** An estimate of what was written, for answers without usage: four characters a token. */
export const tokens = (recording: ReadonlyArray<Timed>): number =>
  Math.ceil(recording.reduce((sum, { chunk }) => sum + ("text" in chunk ? chunk.text.length : 0), 0) / 4)

export const text = (recording: ReadonlyArray<Timed>): string =>
  recording.map(({ chunk }) => chunk._tag === "TextDelta" ? chunk.text : "").join("")

/** `asked` is our count of the request, in tokens; what the provider said of it so far goes before. Undefined where nothing had come. */
export const spent = (recording: ReadonlyArray<Timed>, asked: number, model: Model): Usage.Spent | undefined => {
  if (recording.length === 0) return undefined
  const told = recording.findLast(({ chunk }) => chunk._tag === "Usage")?.chunk
  const known = told?._tag === "Usage" ? told.usage : { ...Usage.none, input: asked }
  const usage = { ...known, output: Math.max(known.output, tokens(recording)), estimated: true }
  return { usage, cost: model.price === undefined ? null : Usage.cost(usage, model.price) }
}
