/** A command's output: limited for the model, and shown to observers as it arrives within another limit. */
import { StringDecoder } from "node:string_decoder"
import * as Truncate from "../../../domain/tool/Truncate.ts"
import * as TerminalText from "../../../domain/tool/TerminalText.ts"
import type { Command } from "../../../services/Shell.ts"

export interface Collector {
  /** Bytes of either stream, in order of arrival. */
  readonly take: (bytes: Uint8Array) => void
  /** Shows new output since the last time. */
  readonly show: () => void
  /** What was retained so far, including the unfinished line. */
  readonly result: () => { readonly output: string; readonly omittedCharacters: number }
  /** The unfinished line, as a terminal would show it. */
  readonly line: () => string
}

/** Characters shown at once; of more, only the newest. */
const maxShownCharacters = 16_384

/** `onSettled` is called with every text that will not change any more. */
export const make = (
  { maxOutputCharacters, onOutput, onSettled = () => {} }: Pick<Command, "maxOutputCharacters" | "onOutput"> & {
    readonly onSettled?: (text: string) => void
  }
): Collector => {
  const decoder = new StringDecoder("utf8")
  const excerpt = Truncate.initial(maxOutputCharacters)
  let text = TerminalText.initial
  let pendingOutput = ""
  const push = (output: string) => {
    const [next, settledText] = TerminalText.push(text, output)
    text = next
    Truncate.push(excerpt, settledText)
    if (settledText !== "") onSettled(settledText)
    pendingOutput = (pendingOutput + output).slice(-maxShownCharacters)
  }
  return {
    take: (bytes) => push(decoder.write(bytes)),
    show: () => {
      if (pendingOutput === "") return
      onOutput(pendingOutput)
      pendingOutput = ""
    },
    result: () => {
      const { omittedCount: omittedCharacters, text: output } = Truncate.result(Truncate.push({ ...excerpt }, TerminalText.end(text)))
      return { output, omittedCharacters }
    },
    line: () => TerminalText.end(text)
  }
}
