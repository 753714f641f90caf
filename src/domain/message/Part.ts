/**
 * What a message parser emits: the model's words, its reasoning and its tool calls, whatever the dialect they came in.
 *
 * Parts are plain values. From a parser's `push`, `Text` and `Reasoning` are deltas to append, and a `ToolCall` is the
 * call's state so far under one id; from `parse` and `collect` all parts are whole.
 */

/** Words for the user. */
export interface Text {
  readonly _tag: "Text"
  readonly text: string
}

/** What the model thought aloud: shown apart, never searched for tool calls. */
export interface Reasoning {
  readonly _tag: "Reasoning"
  readonly text: string
}

/**
 * A tool call as it stands. `params` holds strings as written (calls in text) or JSON values (native calls).
 *
 * `partial`: the stream ended inside the call. `malformed`: what is wrong with it. Either way it is never run; the
 * model is told. `appended`, while the call streams: which parameter grew, and by what.
 */
export interface ToolCall {
  readonly _tag: "ToolCall"
  readonly id: string
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
  readonly partial: boolean
  readonly malformed?: string
  readonly warnings: ReadonlyArray<string>
  readonly appended?: { readonly param: string; readonly text: string }
}

export type Part = Text | Reasoning | ToolCall

/** A call may be run: it is whole and well formed. */
export const isRunnable = (call: ToolCall): boolean => !call.partial && call.malformed === undefined

/**
 * Joins what `push` and `end` emitted into whole parts: neighbouring text and reasoning become one part, each call its
 * last state where it first stood. Linear in the number of parts.
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
    } else {
      const last = whole.at(-1)
      if (last?._tag === part._tag) whole[whole.length - 1] = { _tag: part._tag, text: last.text + part.text }
      else whole.push(part)
    }
  }
  return whole
}
