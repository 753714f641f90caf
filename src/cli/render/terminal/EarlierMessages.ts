/** The messages of earlier sessions in the history of the input line: they are read once the user goes back beyond this session's. */
import * as LineEditor from "./LineEditor.ts"
import type { Screen, Update } from "./ScreenState.ts"

/** An update by a key, with the action that reads the messages where the key needs them. */
export const afterKey = (before: Screen, key: LineEditor.Key, [screen, action]: Update): Update => {
  if (action !== undefined) return [screen, action]
  if (screen.earlierMessages === "recalling") return [{ ...screen, earlierMessages: "reading" }]
  if (screen.earlierMessages !== "unread") return [screen]
  return screen.historySearch !== undefined ? [{ ...screen, earlierMessages: "reading" }, { _tag: "ListMessages" }]
    : goesBeyondOldest(before, key) ? [{ ...screen, earlierMessages: "recalling" }, { _tag: "ListMessages" }]
    : [screen]
}

const goesBeyondOldest = ({ editor, pending, picker, suggestions }: Screen, key: LineEditor.Key): boolean =>
  (key.name === "up" || (key.ctrl && key.text === "p")) && pending === undefined && picker === undefined && suggestions === undefined &&
  editor.historyIndex === 0 && !editor.text.slice(0, editor.cursor).includes("\n")

/** Adds the messages, oldest first, before those of this session; repeated ones count where they were used last. */
export const add = (screen: Screen, messages: ReadonlyArray<string>): Screen => {
  const { editor } = screen
  const older = messages.filter((message, i) => !editor.history.includes(message) && messages.lastIndexOf(message) === i)
  const added = { ...editor, history: [...older, ...editor.history], historyIndex: editor.historyIndex + older.length }
  return {
    ...screen,
    earlierMessages: "read",
    editor: screen.earlierMessages === "recalling" ? LineEditor.recall(added, -1) : added
  }
}
