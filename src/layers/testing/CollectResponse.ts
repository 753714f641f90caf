/** Chunks of one answer, put together: what tests compare. */
import type { Chunk } from "../../domain/message/Chunk.ts"
import type { TokenUsage } from "../../domain/session/Usage.ts"

/** `args` is the JSON text of a call as it came; `ended` says that the call was closed. */
export interface Answer {
  readonly text: string
  readonly reasoning: string
  readonly signatures: ReadonlyArray<string>
  readonly encrypted: ReadonlyArray<string>
  readonly calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly args: string; readonly ended: boolean }>
  readonly usage: TokenUsage | undefined
  readonly finishes: ReadonlyArray<Extract<Chunk, { readonly _tag: "Finish" }>>
  readonly notices: ReadonlyArray<string>
}

export const collect = (chunks: ReadonlyArray<Chunk>): Answer => {
  const of = <Tag extends Chunk["_tag"]>(tag: Tag) => chunks.filter((chunk): chunk is Extract<Chunk, { readonly _tag: Tag }> => chunk._tag === tag)
  return {
    text: of("TextDelta").map(({ text }) => text).join(""),
    reasoning: of("ReasoningDelta").map(({ text }) => text).join(""),
    signatures: of("ReasoningDelta").flatMap(({ signature }) => signature === undefined ? [] : [signature]),
    encrypted: of("ReasoningDelta").flatMap(({ encrypted }) => encrypted === undefined ? [] : [encrypted]),
    calls: of("ToolCallStart").map(({ id, name }) => ({
      id,
      name,
      args: of("ToolCallArgs").filter((args) => args.id === id).map(({ text }) => text).join(""),
      ended: of("ToolCallEnd").some((end) => end.id === id)
    })),
    usage: of("Usage").at(-1)?.usage,
    finishes: of("Finish"),
    notices: of("Notice").map(({ kind }) => kind)
  }
}
