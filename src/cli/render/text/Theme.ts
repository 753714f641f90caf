/** Colour themes. They use only the terminal's own sixteen colours, which fit light and dark backgrounds. */
import type { ThemeName as Name } from "../../../domain/config/Settings.ts"

/** Each function styles a text and resets; without colour it returns the text unchanged. */
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

const unstyled: Paint = (text) => text

export const plain: Theme = {
  color: false,
  bold: unstyled,
  dim: unstyled,
  italic: unstyled,
  underline: unstyled,
  accent: unstyled,
  code: unstyled,
  good: unstyled,
  bad: unstyled,
  warn: unstyled
}

/** The colours that differ between palettes (ECMA-48: 31 red, 32 green, 33 yellow, 34 blue, 35 magenta, 36 cyan). */
interface Palette {
  readonly accent: number
  readonly code: number
  readonly good: number
  readonly bad: number
}

/** Bright variants are hard to read on light backgrounds, dark blue on dark ones. The colour-blind palettes avoid red and green. */
const palettes = {
  dark: { accent: 36, code: 33, good: 32, bad: 31 },
  light: { accent: 34, code: 35, good: 32, bad: 31 },
  "dark-colorblind": { accent: 36, code: 35, good: 94, bad: 33 },
  "light-colorblind": { accent: 35, code: 36, good: 34, bad: 33 }
} satisfies Readonly<Record<Exclude<Name, "auto">, Palette>>

const fromPalette = ({ accent, bad, code, good }: Palette): Theme => ({
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

/** All SGR codes that the themes use. */
export const codes: ReadonlyArray<number> = [
  ...new Set([1, 2, 3, 4, 22, 23, 24, 39, ...Object.values(palettes).flatMap((palette) => Object.values(palette))])
]

type Variables = Readonly<Record<string, string | undefined>>

/**
 * `--color` decides; on `auto`, NO_COLOR turns colour off, FORCE_COLOR and CLICOLOR_FORCE turn it on, and otherwise every
 * terminal but a dumb one has it (no-color.org, bixense.com/clicolors). The theme `auto` detects the background.
 */
export const of = (mode: "auto" | "always" | "never", tty: boolean, variables: Variables, name: Name = "auto"): Theme =>
  hasColor(mode, tty, variables) ? fromPalette(palettes[name === "auto" ? background(variables) : name]) : plain

const hasColor = (mode: "auto" | "always" | "never", tty: boolean, variables: Variables): boolean =>
  mode !== "auto" ? mode === "always"
    : isSet(variables["NO_COLOR"]) ? false
    : isForced(variables["FORCE_COLOR"]) || isForced(variables["CLICOLOR_FORCE"]) ? true
    : tty && variables["TERM"] !== "dumb"

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ""
const isForced = (value: string | undefined): boolean => isSet(value) && value !== "0" && value !== "false"

/** COLORFGBG is `foreground;background`; 7 and 15 are light. Dark by default. */
const background = (variables: Variables): "dark" | "light" =>
  ["7", "15"].includes(variables["COLORFGBG"]?.split(";").at(-1) ?? "") ? "light" : "dark"
