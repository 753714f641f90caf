/** Colours, where they are wanted. The sixteen colours of the terminal's own palette alone: they fit light and dark screens. */

import type { ThemeName as Name } from "../../../domain/config/Settings.ts"

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

/** Numbers of the colours that differ from one palette to the next (ECMA-48: 31 red, 32 green, 33 yellow, 34 blue, 35 magenta, 36 cyan). */
interface Palette {
  readonly accent: number
  readonly code: number
  readonly good: number
  readonly bad: number
}

/** Bright variants are hard to read on light screens, and dark blue on dark ones. Whoever can't tell red from green sees blue and orange. */
const palettes = {
  dark: { accent: 36, code: 33, good: 32, bad: 31 },
  light: { accent: 34, code: 35, good: 32, bad: 31 },
  "dark-colorblind": { accent: 36, code: 35, good: 94, bad: 33 },
  "light-colorblind": { accent: 35, code: 36, good: 34, bad: 33 }
} satisfies Readonly<Record<Exclude<Name, "auto">, Palette>>

const colored = ({ accent, bad, code, good }: Palette): Theme => ({
  color: true,
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  italic: sgr(3, 23),
  underline: sgr(4, 24),
  accent: sgr(accent, 39),
  code: sgr(code, 39),
  good: sgr(good, 39),
  bad: sgr(bad, 39),
  warn: sgr(code, 39)
})

type Variables = Readonly<Record<string, string | undefined>>

/**
 * `--color` decides; on `auto` NO_COLOR turns it off, FORCE_COLOR and CLICOLOR_FORCE on, and else a terminal that is
 * not dumb has it (no-color.org, bixense.com/clicolors). Where `name` says nothing, the background is looked for.
 */
export const of = (mode: "auto" | "always" | "never", tty: boolean, variables: Variables, name: Name = "auto"): Theme =>
  wanted(mode, tty, variables) ? colored(palettes[name === "auto" ? background(variables) : name]) : plain

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
