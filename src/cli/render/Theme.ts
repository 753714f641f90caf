/** Colours, where they are wanted. The sixteen colours of the terminal's own palette alone: they fit light and dark screens. */

/** Each paints a text and resets; without colour it gives the text back. */
export interface Theme {
  readonly color: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly italic: Paint
  readonly underline: Paint
  readonly accent: Paint
  readonly code: Paint
  readonly good: Paint
  readonly bad: Paint
  readonly warn: Paint
}

export type Paint = (text: string) => string

const sgr = (open: number, close: number): Paint => (text) => text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`

const same: Paint = (text) => text

export const plain: Theme = {
  color: false,
  bold: same,
  dim: same,
  italic: same,
  underline: same,
  accent: same,
  code: same,
  good: same,
  bad: same,
  warn: same
}

/** Bright variants are hard to read on light screens, and dark blue on dark ones: the accent differs. */
const colored = (background: "dark" | "light"): Theme => ({
  color: true,
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  italic: sgr(3, 23),
  underline: sgr(4, 24),
  accent: sgr(background === "dark" ? 36 : 34, 39),
  code: sgr(background === "dark" ? 33 : 35, 39),
  good: sgr(32, 39),
  bad: sgr(31, 39),
  warn: sgr(background === "dark" ? 33 : 35, 39)
})

type Variables = Readonly<Record<string, string | undefined>>

/**
 * `--color` decides; on `auto` NO_COLOR turns it off, FORCE_COLOR and CLICOLOR_FORCE on, and else a terminal that is
 * not dumb has it (no-color.org, bixense.com/clicolors).
 */
export const of = (mode: "auto" | "always" | "never", tty: boolean, variables: Variables): Theme =>
  wanted(mode, tty, variables) ? colored(background(variables)) : plain

const wanted = (mode: "auto" | "always" | "never", tty: boolean, variables: Variables): boolean =>
  mode !== "auto" ? mode === "always"
  : set(variables["NO_COLOR"]) ? false
  : forced(variables["FORCE_COLOR"]) || forced(variables["CLICOLOR_FORCE"]) ? true
  : tty && variables["TERM"] !== "dumb"

const set = (value: string | undefined): boolean => value !== undefined && value !== ""
const forced = (value: string | undefined): boolean => set(value) && value !== "0" && value !== "false"

/** COLORFGBG is `foreground;background`; 7 and 15 are the light ones. Dark where nothing is said. */
const background = (variables: Variables): "dark" | "light" =>
  ["7", "15"].includes(variables["COLORFGBG"]?.split(";").at(-1) ?? "") ? "light" : "dark"
