/** What an answer that did not end was worth: the words that had come, and what they cost. */
import type { Timed } from "../message/Chunk.ts"
import type { Model } from "../provider/Model.ts"
import * as Usage from "./Usage.ts"

/** What had come: as much of it as tells what it cost. `characters` are UTF-16 units of text. */
export interface Heard {
  readonly chunks: number
  readonly characters: number
  /** What the provider said of it last. */
  readonly usage: Usage.TokenUsage | undefined
}

export const nothing: Heard = { chunks: 0, characters: 0, usage: undefined }

export const hear = ({ characters, chunks, usage }: Heard, { chunk }: Timed): Heard => ({
  chunks: chunks + 1,
  characters: characters + ("text" in chunk ? chunk.text.length : 0),
  usage: chunk._tag === "Usage" ? chunk.usage : usage
})

/** All of a recording. */
export const heard = (recording: ReadonlyArray<Timed>): Heard => recording.reduce(hear, nothing)

/** An estimate of what was written, for answers without usage: four characters a token. */
export const tokens = ({ characters }: Heard): number => Math.ceil(characters / 4)

export const text = (recording: ReadonlyArray<Timed>): string =>
  recording.map(({ chunk }) => chunk._tag === "TextDelta" ? chunk.text : "").join("")

/** `asked` is our count of the request, in tokens; what the provider said of it so far goes before. Undefined where nothing had come. */
export const spent = (heard: Heard, asked: number, model: Model): Usage.Spent | undefined => {
  if (heard.chunks === 0) return undefined
  const known = heard.usage ?? { ...Usage.none, input: asked }
  const usage = { ...known, output: Math.max(known.output, tokens(heard)), estimated: true }
  return { usage, cost: model.price === undefined ? null : Usage.cost(usage, model.price) }
}
