/**
 * Messages that wait in the terminal until the task ends: until then they can be taken back and edited. They are sent as one
 * message, and are returned to the input line if the task is interrupted or fails.
 */
import * as ImageLabels from "./ImageLabels.ts"
import * as LineEditor from "./LineEditor.ts"
import * as PastedText from "./PastedText.ts"
import type { Screen, Update } from "./ScreenState.ts"

/** Adds the text of the input line; the history keeps pasted texts whole. */
export const add = (screen: Screen): Screen => {
  const text = screen.editor.text.trim()
  return text === "" ? screen
    : {
      ...screen,
      editor: LineEditor.submit({ ...screen.editor, text: PastedText.expand(text, screen.pastes) }),
      suggestions: undefined,
      queued: [...screen.queued, text]
    }
}

/** Whether a key takes the last message back: Up in an empty input line. */
export const takesBack = ({ editor, queued }: Screen, key: LineEditor.Key): boolean =>
  queued.length > 0 && editor.text === "" && (key.name === "up" || (key.ctrl && key.text === "p"))

/** Moves the last message to the input line. */
export const takeBack = (screen: Screen): Screen => ({
  ...screen,
  editor: LineEditor.withText(screen.editor, screen.queued.at(-1) ?? ""),
  queued: screen.queued.slice(0, -1)
})

/** Once a task has ended, its queue is sent, or returned to the input line in front of what is typed there. */
export const afterTask = (screen: Screen, ending: "finished" | "stopped"): Update => {
  if (screen.queued.length === 0) return [screen]
  const text = screen.queued.join("\n\n")
  const emptied: Screen = { ...screen, queued: [], isSendingQueue: ending === "finished" }
  return ending === "stopped"
    ? [{
      ...emptied,
      editor: LineEditor.withText(screen.editor, [text, screen.editor.text].filter((part) => part !== "").join("\n\n")),
      suggestions: undefined
    }]
    : [emptied, {
      _tag: "Say",
      text: ImageLabels.expandLabels(PastedText.expand(text, screen.pastes), screen.images),
      delivery: "task"
    }]
}
