/** What a command says: kept within a bound for the model, shown as it comes within another for those who watch. */
import { StringDecoder } from "node:string_decoder"
import * as Excerpt from "../../domain/tool/Excerpt.ts"
import * as TerminalText from "../../domain/tool/TerminalText.ts"
import type { Command } from "../../services/Shell.ts"

export interface Collector {
  /** Bytes of either stream, in the order of their coming. */
  readonly take: (bytes: Buffer) => void
  /** Shows what came since the last time. */
  readonly show: () => void
  readonly result: () => { readonly output: string; readonly cut: number }
}

/** Characters shown at once; of more than that only the newest. */
const mostShown = 16_384

export const make = ({ keep, onOutput }: Pick<Command, "keep" | "onOutput">): Collector => {
  const decoder = new StringDecoder("utf8")
  const excerpt = Excerpt.initial(keep)
  let text = TerminalText.initial
  let newest = ""
  const push = (output: string) => {
    const [next, settled] = TerminalText.push(text, output)
    text = next
    Excerpt.push(excerpt, settled)
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
      push(decoder.end())
      Excerpt.push(excerpt, TerminalText.end(text))
      const { cut, text: output } = Excerpt.result(excerpt)
      return { output, cut }
    }
  }
}
