/** What a parser makes of a response while it streams: text, reasoning, and tool calls in progress. */

export type Part =
  | { readonly _tag: "Text"; readonly text: string }
  | ReasoningPart
  | ToolCallPart

/** `signature` and `encrypted` come with the piece that ends a block of reasoning, if its provider supplies them. */
export interface ReasoningPart {
  readonly _tag: "Reasoning"
  readonly text: string
  readonly signature?: string
  readonly encrypted?: string
}

/**
 * A parser's findings about a complete response, once, at its end. `nearMiss` is for the model: the response contained
 * no call, but something that was meant as one.
 */
export interface Remarks {
  readonly _tag: "Remarks"
  readonly warnings: ReadonlyArray<string>
  readonly nearMiss?: string
}

/**
 * A call in progress, under one `id` until `partial` is false. `malformed` says why it will never run; `appended` names
 * the parameter that grew in this step and by what, for a live screen.
 */
export interface ToolCallPart {
  readonly _tag: "ToolCall"
  readonly id: string
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
  readonly partial: boolean
  readonly malformed?: string
  readonly warnings: ReadonlyArray<string>
  readonly appended?: { readonly param: string; readonly text: string }
}
