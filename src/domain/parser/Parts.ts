/** Joins what a parser emitted piece by piece into whole parts. */
import type { Part, ReasoningPart } from "../message/Part.ts"

/**
 * Neighbouring text is one part, reasoning is one part up to a piece with its signature, and each call is its last
 * state, where it first stood. Linear in the number of parts.
 */
export const collect = (parts: Iterable<Part>): ReadonlyArray<Part> => {
  const whole: Array<Part> = []
  const places = new Map<string, number>()
  for (const part of parts) {
    if (part._tag === "ToolCall") {
      const { appended: _, ...call } = part
      const place = places.get(part.id)
      if (place === undefined) places.set(part.id, whole.push(call) - 1)
      else whole[place] = call
      continue
    }
    const last = whole.at(-1)
    if (part._tag === "Text" && last?._tag === "Text") {
      whole[whole.length - 1] = { _tag: "Text", text: last.text + part.text }
    } else if (part._tag === "Reasoning" && last?._tag === "Reasoning" && !isSigned(last)) {
      whole[whole.length - 1] = { ...part, text: last.text + part.text }
    } else {
      whole.push(part)
    }
  }
  return whole
}

/** Ends a block of reasoning: the provider wants it back as it was. */
export const isSigned = (part: Pick<ReasoningPart, "signature" | "encrypted">): boolean =>
  part.signature !== undefined || part.encrypted !== undefined
