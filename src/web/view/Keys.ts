/** Single keys as shortcuts, outside of text fields. */

type Table = Readonly<Record<string, () => unknown>>

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

/** When a key was pressed, and when the one before it was, in ms since the page was loaded; the handlers of one press see the same. */
let pressed = -Infinity
let pressedBefore = -Infinity

const note = ({ timeStamp }: KeyboardEvent): void => {
  if (timeStamp === pressed) return
  pressedBefore = pressed
  pressed = timeStamp
}

/** Until the returned function is called; only keys before which none was pressed for `pauseMs`, in a text field neither. */
export const shortcut = (table: Table, pauseMs = 0): () => void => {
  const press = (event: KeyboardEvent): void => {
    note(event)
    const run = pressed - pressedBefore < pauseMs ? undefined : table[event.key]
    // An open dialog has keys of its own.
    if (document.querySelector("dialog[open]") !== null) return
    if (run === undefined || event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return
    event.preventDefault()
    run()
  }
  document.addEventListener("keydown", press)
  return () => document.removeEventListener("keydown", press)
}
