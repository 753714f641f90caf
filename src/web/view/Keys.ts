/** Single keys as shortcuts, outside of text fields. */

type Table = Readonly<Record<string, () => unknown>>

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

/** Until the returned function is called. */
export const shortcut = (table: Table): () => void => {
  const press = (event: KeyboardEvent): void => {
    const run = table[event.key]
    // An open dialog has keys of its own.
    if (document.querySelector("dialog[open]") !== null) return
    if (run === undefined || event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return
    event.preventDefault()
    run()
  }
  document.addEventListener("keydown", press)
  return () => document.removeEventListener("keydown", press)
}
