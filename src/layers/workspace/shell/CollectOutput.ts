/** A command's output: limited for the model, and shown to observers as it arrives within another limit. */
import { StringDecoder } from "node:string_decoder"
import * as Truncate from "../../../domain/tool/Truncate.ts"
import * as TerminalText from "../../../domain/tool/TerminalText.ts"
import { stderrMark } from "../../../services/BackgroundCommands.ts"
import type { Command } from "../../../services/Shell.ts"
import * as HideSecrets from "./HideSecrets.ts"

export interface Collector {
  /** Bytes of standard output, or of both streams in order of arrival. */
  readonly take: (bytes: Uint8Array) => void
  /** Bytes of standard error: each of its lines begins with a mark. */
  readonly takeError: (bytes: Uint8Array) => void
  /** From now on this text has a placeholder in its place. */
  readonly hide: (secret: string) => void
  /** Shows new output since the last time. */
  readonly show: () => void
  /** What was retained so far, including the unfinished line. */
  readonly result: () => { readonly output: string; readonly omittedCharacters: number }
  /** The unfinished line, as a terminal would show it. */
  readonly line: () => string
}

/** Characters shown at once; of more, only the newest. */
const maxShownCharacters = 16_384

/** One of a command's streams: what was decoded and drawn of it so far. */
interface StreamState {
  readonly decoder: StringDecoder
  readonly mark: string
  text: TerminalText.State
  /** The end of the last output, where it may be the beginning of a secret. */
  carry: string
  /** Whether the last settled text ended within a line. */
  isInLine: boolean
}

const streamState = (mark: string): StreamState => ({
  decoder: new StringDecoder("utf8"),
  mark,
  text: TerminalText.initial,
  carry: "",
  isInLine: false
})

/** `onSettled` is called with every text that will not change any more. */
export const make = (
  { maxOutputCharacters, onOutput, onSettled = () => {} }: Pick<Command, "maxOutputCharacters" | "onOutput"> & {
    readonly onSettled?: (text: string) => void
  }
): Collector => {
  const excerpt = Truncate.initial(maxOutputCharacters)
  const output = streamState("")
  const errors = streamState(stderrMark)
  const secrets = new Set<string>()
  let pendingOutput = ""

  const settle = (stream: StreamState, settledText: string) => {
    if (settledText === "") return
    const text = withMarks(settledText, stream.mark, stream.isInLine)
    stream.isInLine = !settledText.endsWith("\n")
    Truncate.push(excerpt, text)
    onSettled(text)
  }
  const push = (stream: StreamState, bytes: Uint8Array) => {
    const [text, carry] = HideSecrets.push(secrets, stream.carry + stream.decoder.write(bytes))
    stream.carry = carry
    const [next, settledText] = TerminalText.push(stream.text, text)
    stream.text = next
    settle(stream, settledText)
    pendingOutput = (pendingOutput + text).slice(-maxShownCharacters)
  }
  const unfinished = ({ carry, isInLine, mark, text }: StreamState): string => {
    const [state, settledText] = carry === "" ? [text, ""] : TerminalText.push(text, carry)
    return withMarks(settledText + TerminalText.end(state), mark, isInLine)
  }
  /** Both streams may have an unfinished line. */
  const line = (): string => {
    const [first, second] = [unfinished(output), unfinished(errors)]
    return first === "" || second === "" ? first + second : `${first}\n${second}`
  }
  return {
    take: (bytes) => push(output, bytes),
    takeError: (bytes) => push(errors, bytes),
    hide: (secret) => {
      if (HideSecrets.canHide(secret)) secrets.add(secret)
    },
    show: () => {
      if (pendingOutput === "") return
      onOutput(pendingOutput)
      pendingOutput = ""
    },
    result: () => {
      const { omittedCount: omittedCharacters, text } = Truncate.result(Truncate.push({ ...excerpt }, line()))
      return { output: text, omittedCharacters }
    },
    line
  }
}

/** The text with the mark at the beginning of each line. */
const withMarks = (text: string, mark: string, isInLine: boolean): string =>
  mark === "" || text === "" ? text : `${isInLine ? "" : mark}${text.replace(/\n(?=[^])/g, `\n${mark}`)}`
