/** Untrusted text made safe to display, complete or streaming. Other modules use it as `View.text`. */
import type * as Brand from "effect/Brand"
import * as Printable from "../../../domain/message/SafeText.ts"

/** Printable text without tabs, whose width would depend on the terminal. */
export type SafeText = string & Brand.Brand<"Shown">

export const text = (untrusted: string): SafeText => expandTabs(Printable.of(untrusted))

/** The same on one line, so that a name can't imitate other output. */
export const line = (untrusted: string): SafeText => text(untrusted).replaceAll("\n", "␤") as SafeText

const expandTabs = (printable: string): SafeText => printable.replaceAll("\t", "    ") as SafeText

/** Streaming text in arbitrary chunks: `scanner` holds an incomplete escape or character. */
export interface TextStream {
  readonly safe: SafeText
  readonly scanner: Printable.State
}

export const emptyStream: TextStream = { safe: "" as SafeText, scanner: Printable.initial }

export const pushText = ({ scanner, safe }: TextStream, untrusted: string): TextStream => {
  const [next, printable] = Printable.push(scanner, untrusted)
  return { scanner: next, safe: safe + expandTabs(printable) as SafeText }
}

/** The last characters of the stream. */
export const tail = ({ scanner, safe }: TextStream, maxCharacters: number): TextStream => ({
  scanner,
  safe: safe.slice(-maxCharacters) as SafeText
})
