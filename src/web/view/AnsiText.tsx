/** Output of a program: its colours as classes, everything else of its escapes removed. */
import { memo } from "preact/compat"
import * as AnsiColors from "../model/AnsiColors.ts"

/** How many characters of an output are drawn; the end of a longer one. */
const maxCharacters = 200_000

export const AnsiText = memo(({ label, text }: { readonly text: string; readonly label: string }) => {
  const isCut = text.length > maxCharacters
  const spans = AnsiColors.parse(isCut ? text.slice(-maxCharacters) : text)
  return (
    <>
      {isCut ? <p class="muted">The last {maxCharacters} of {text.length} characters.</p> : null}
      <pre class="code output" tabIndex={0} aria-label={label}>
        <code>{spans.map(({ style, text }, i) => style === "" ? text : <span key={i} class={style}>{text}</span>)}</code>
      </pre>
    </>
  )
})
