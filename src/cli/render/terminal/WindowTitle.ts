/** The title of the terminal's window: what the session is about, and whether it works or waits for the user. */
import { cut } from "../text/CellWidth.ts"
import { line, type SafeText } from "../view/DisplayText.ts"
import { activePrompt, type Screen } from "./Screen.ts"

const maxCells = 60

/** The sign of the session's state, then its name or first message, or before that the folder. */
export const of = (screen: Screen, folder: string): SafeText => {
  const { isWorking, title } = screen.view
  const sign = activePrompt(screen) !== undefined ? "? " : isWorking ? "◐ " : ""
  return `${sign}${cut(title === "" ? line(folder) : title, maxCells)} – dacapo` as SafeText
}

export interface TitleWriter {
  readonly show: (title: SafeText) => void
  /** Restores the title from before; has no effect if none was shown. */
  readonly restore: () => void
}

/**
 * Writes titles by OSC 2. xterm and others keep the earlier title on a stack (CSI 22 t, CSI 23 t); those without one get an empty
 * title, which resets it in most.
 */
export const writer = (write: (sequence: string) => void): TitleWriter => {
  let current: SafeText | undefined
  const set = (title: string) => write(`\u001b]2;${title}\u0007`)
  return {
    show: (title) => {
      if (title === current) return
      if (current === undefined) write("\u001b[22;2t")
      current = title
      set(title)
    },
    restore: () => {
      if (current === undefined) return
      current = undefined
      set("")
      write("\u001b[23;2t")
    }
  }
}
