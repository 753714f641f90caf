/** Keys of a terminal by name, as the bytes that a program reads for them (xterm's, in normal cursor mode). */

const named: Readonly<Record<string, string>> = {
  Enter: "\r",
  Tab: "\t",
  "Shift-Tab": "\u001b[Z",
  Escape: "\u001b",
  Space: " ",
  Backspace: "\u007f",
  Delete: "\u001b[3~",
  Up: "\u001b[A",
  Down: "\u001b[B",
  Right: "\u001b[C",
  Left: "\u001b[D",
  Home: "\u001b[H",
  End: "\u001b[F",
  PageUp: "\u001b[5~",
  PageDown: "\u001b[6~"
}

/** Other spellings: `Return`, `Esc`, and those without hyphens. */
const aliases: Readonly<Record<string, string>> = { return: "Enter", esc: "Escape", del: "Delete", pgup: "PageUp", pgdn: "PageDown" }

const byLowerCase: ReadonlyMap<string, string> = new Map([
  ...Object.keys(named).map((name) => [name.toLowerCase(), name] as const),
  ...Object.entries(aliases)
])

/** Examples, for the model. */
export const examples = "Enter, Tab, Escape, Up, Down, Backspace, Ctrl-C, Ctrl-D"

/** The key's usual name: `Ctrl-C` for `ctrl+c` and `^C`; undefined if there is none. */
export const nameOf = (key: string): string | undefined => {
  const name = byLowerCase.get(key.toLowerCase())
  if (name !== undefined) return name
  const letter = /^(?:(?:ctrl|control|c)[-+]|\^)([a-z\\\]^_[])$/i.exec(key)?.[1]
  return letter === undefined ? undefined : `Ctrl-${letter.toUpperCase()}`
}

/** The bytes of a key by its usual name. */
export const bytesOf = (name: string): string => named[name] ?? ctrl(name.slice("Ctrl-".length))

/** Ctrl with a letter or one of `[ \ ] ^ _`. */
export const ctrl = (letter: string): string => String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f)

/** Typed text as a terminal sends it: line ends are the Enter key. */
export const typed = (text: string): string => text.replace(/\r\n|\n/g, "\r")

/** Control characters other than line ends and tabs: keys are pressed by name. */
export const hasControlCharacters = (text: string): boolean => /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(text)
