/** Assembles the chunks of one response: what tests compare. */
import type { Chunk } from "../../domain/message/Chunk.ts"
import type { TokenUsage } from "../../domain/session/Usage.ts"

/** `args` is the JSON text of a call as received; `ended` says that the call was closed. */
export interface CollectedResponse {
  readonly text: string
  readonly reasoning: string
  readonly signatures: ReadonlyArray<string>
  readonly encrypted: ReadonlyArray<string>
  readonly calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly args: string; readonly ended: boolean }>
  readonly usage: TokenUsage | undefined
  readonly finishes: ReadonlyArray<Extract<Chunk, { readonly _tag: "Finish" }>>
  readonly notices: ReadonlyArray<string>
}

export const collect = (chunks: ReadonlyArray<Chunk>): CollectedResponse => {
  const ofTag = <Tag extends Chunk["_tag"]>(tag: Tag) =>
    chunks.filter((chunk): chunk is Extract<Chunk, { readonly _tag: Tag }> => chunk._tag === tag)
  return {
    text: ofTag("TextDelta").map(({ text }) => text).join(""),
    reasoning: ofTag("ReasoningDelta").map(({ text }) => text).join(""),
    signatures: ofTag("ReasoningDelta").flatMap(({ signature }) => signature === undefined ? [] : [signature]),
    encrypted: ofTag("ReasoningDelta").flatMap(({ encrypted }) => encrypted === undefined ? [] : [encrypted]),
    calls: ofTag("ToolCallStart").map(({ id, name }) => ({
      id,
      name,
      args: ofTag("ToolCallArgs").filter((args) => args.id === id).map(({ text }) => text).join(""),
      ended: ofTag("ToolCallEnd").some((end) => end.id === id)
    })),
    usage: ofTag("Usage").at(-1)?.usage,
    finishes: ofTag("Finish"),
    notices: ofTag("Notice").map(({ kind }) => kind)
  }
}
