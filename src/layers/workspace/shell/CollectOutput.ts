/** What a command says: kept within a bound for the model, shown as it comes within another for those who watch. */
import { StringDecoder } from "node:string_decoder"
import * as Excerpt from "../../../domain/tool/Truncate.ts"
import * as TerminalText from "../../../domain/tool/TerminalText.ts"
import type { Command } from "../../../services/Shell.ts"

export interface Collector {
  /** Bytes of either stream, in the order of their coming. */
  readonly take: (bytes: Uint8Array) => void
  /** Shows what came since the last time. */
  readonly show: () => void
  /** What was kept so far, the line that is being written with it. */
  readonly result: () => { readonly output: string; readonly cut: number }
  /** The line that is being written, as a terminal would show it. */
  readonly line: () => string
}

/** Characters shown at once; of more than that only the newest. */
const mostShown = 16_384

/** `onSettled` is given every text that will not change any more. */
export const make = (
  { keep, onOutput, onSettled = () => {} }: Pick<Command, "keep" | "onOutput"> & { readonly onSettled?: (text: string) => void }
): Collector => {
  const decoder = new StringDecoder("utf8")
  const excerpt = Excerpt.initial(keep)
  let text = TerminalText.initial
  let newest = ""
  const push = (output: string) => {
    const [next, settled] = TerminalText.push(text, output)
    text = next
    Excerpt.push(excerpt, settled)
    if (settled !== "") onSettled(settled)
    newest = (newest + output).slice(-mostShown)
  }
  return {
    take: (bytes) => push(decoder.write(bytes)),
    show: () => {
      if (newest === "") return
      onOutput(newest)
      newest = ""
    },
    result: () => {
      const { cut, text: output } = Excerpt.result(Excerpt.push({ ...excerpt }, TerminalText.end(text)))
      return { output, cut }
    },
    line: () => TerminalText.end(text)
  }
}
