/**
 * The face for screen readers and dumb terminals: what settles is printed in lines that never change, and what is typed
 * is a line, as the terminal itself edits it. The same screen stands behind it as behind the drawn one.
 */
import { createInterface } from "node:readline"
import type { Key } from "./LineEditor.ts"
import type { Face, Options } from "./InkTerminal.ts"
import * as Lines from "../text/BlockLines.ts"
import * as Picker from "./Picker.ts"
import { choosing, offered, type Screen } from "./Screen.ts"
import { plain } from "../text/Theme.ts"

const key = (name: Key["name"], text = "", ctrl = false): Key => ({ name, text, ctrl, alt: false, shift: false })

export const open = (screen: Screen, { from = 0, stdin, stdout, tell }: Options): Face => {
  let now = screen
  let printed = from
  let said = ""
  const input = createInterface({ input: stdin, output: stdout, terminal: true, prompt: "" })
  input.on("line", (line) => messages(now, line).forEach((key) => tell({ _tag: "Key", key })))
  const onInterrupt = () => tell({ _tag: "Key", key: key("text", "c", true) })
  const onEnd = () => tell({ _tag: "Key", key: key("text", "d", true) })
  input.on("SIGINT", onInterrupt)
  input.on("close", onEnd)
  const show = (next: Screen) => {
    now = next
    const lines = next.view.blocks.slice(printed).flatMap((block) => Lines.block(block, plain))
    printed = next.view.blocks.length
    const asks = prompt(next)
    if (asks !== said && asks !== "") lines.push(asks)
    said = asks
    if (lines.length > 0) stdout.write(`${lines.join("\n")}\n`)
  }
  show(screen)
  return {
    printed: () => printed,
    show,
    close: async () => {
      input.off("close", onEnd).close()
    }
  }
}

/** What is expected of the person now, in words. */
const prompt = (screen: Screen): string => {
  const { alike, armed, folded, picker, refusing, unread, view, waiting } = screen
  if (picker !== undefined) {
    return [picker.title, ...picker.options.map((option, i) => `${i + 1}: ${option}`), "Type a number and Enter, or Enter alone for none."].join("\n")
  }
  if (refusing) return "Why not? Type the reason and Enter."
  if (waiting?._tag === "Question") return "Type the answer and Enter."
  if (choosing(screen)) {
    return !armed ? "" : `Type y for once, ${offered(screen) ? "s for this session, a for always, " : ""}${alike.length > 0 ? `m for all ${alike.length + 1}, ` : ""}${unread.length > 0 ? "space for the rest, " : ""}${
      folded === undefined ? "" : "d for the diff, "}e to edit it, n for no; then Enter.`
  }
  return view.working ? "Working. A line steers it; Control C interrupts." : "Ready. Type and press Enter; /help tells more."
}

/** A line as the keys that the screen knows. */
const messages = (screen: Screen, line: string): ReadonlyArray<Key> => {
  if (screen.picker !== undefined) {
    const place = Picker.matching(screen.picker).indexOf(Number(line) - 1)
    return line.trim() === "" || place === -1 ? [key("escape")] : [...Array.from({ length: place }, () => key("down")), key("enter")]
  }
  if (choosing(screen)) return line === "" ? [] : [key("text", line[0]!)]
  return [...(line === "" ? [] : [key("text", line)]), key("enter")]
}
