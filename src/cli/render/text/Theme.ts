/**
 * Colour themes. Text has the terminal's own sixteen colours, which fit light and dark backgrounds; where the terminal has 256
 * colours or more, code and diffs have their own.
 */
import type { ThemeName as Name } from "../../../domain/config/Settings.ts"

/** Each function styles a text and resets; without colour it returns the text unchanged. */
export interface Theme {
  readonly color: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly italic: Paint
  readonly underline: Paint
  readonly strike: Paint
  readonly accent: Paint
  readonly code: Paint
  readonly good: Paint
  readonly bad: Paint
  readonly warn: Paint
  readonly syntax: Readonly<Record<"comment" | "keyword" | "number" | "string", Paint>>
  /** Backgrounds of changed lines; absent with sixteen colours. */
  readonly shades?: Readonly<Record<"added" | "removed", Shade>>
}

/** SGR parameters of two backgrounds: of a changed line, and of the words in it that changed. */
export interface Shade {
  readonly line: string
  readonly word: string
}

export type Paint = (text: string) => string

const sgr = (open: number | string, close: number): Paint => (text) => text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`

const unstyled: Paint = (text) => text

export const plain: Theme = {
  color: false,
  bold: unstyled,
  dim: unstyled,
  italic: unstyled,
  underline: unstyled,
  strike: unstyled,
  accent: unstyled,
  code: unstyled,
  good: unstyled,
  bad: unstyled,
  warn: unstyled,
  syntax: { comment: unstyled, keyword: unstyled, number: unstyled, string: unstyled }
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

/** How many colours a terminal has. */
type Depth = "16" | "256" | "true"

type PaletteName = keyof typeof palettes

/** The colours of code with 256 colours (xterm's palette): comment, keyword, number, string. */
const syntaxColors: Readonly<Record<"dark" | "light", readonly [number, number, number, number]>> = {
  dark: [245, 111, 179, 114],
  light: [243, 25, 130, 28]
}

/** Backgrounds in xterm's palette and as red, green and blue: an added line, its words, a removed line, its words. */
const backgrounds: Readonly<Record<PaletteName, Readonly<Record<Exclude<Depth, "16">, readonly [string, string, string, string]>>>> = {
  dark: { "256": ["22", "28", "52", "88"], true: ["18;48;30", "36;92;54", "60;22;26", "120;40;46"] },
  light: { "256": ["194", "151", "224", "217"], true: ["218;251;225", "172;238;187", "255;235;233", "255;206;203"] },
  "dark-colorblind": { "256": ["17", "25", "58", "94"], true: ["14;38;70", "24;78;140", "62;40;10", "122;76;16"] },
  "light-colorblind": { "256": ["189", "153", "223", "216"], true: ["221;244;255", "182;227;255", "255;241;229", "255;216;181"] }
}

const shadesOf = (name: PaletteName, depth: Exclude<Depth, "16">): NonNullable<Theme["shades"]> => {
  const [addedLine, addedWord, removedLine, removedWord] = backgrounds[name][depth].map((color) =>
    `48;${depth === "true" ? 2 : 5};${color}`
  ) as [string, string, string, string]
  return { added: { line: addedLine, word: addedWord }, removed: { line: removedLine, word: removedWord } }
}

const syntaxParams = (name: PaletteName): ReadonlyArray<string> =>
  syntaxColors[name.startsWith("dark") ? "dark" : "light"].map((color) => `38;5;${color}`)

const fromPalette = (name: PaletteName, depth: Depth): Theme => {
  const { accent, bad, code, good } = palettes[name]
  const base = {
    color: true,
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    italic: sgr(3, 23),
    underline: sgr(4, 24),
    strike: sgr(9, 29),
    accent: sgr(accent, 39),
    code: sgr(code, 39),
    good: sgr(good, 39),
    bad: sgr(bad, 39),
    warn: sgr(code, 39)
  }
  if (depth === "16") return { ...base, syntax: { comment: base.dim, keyword: base.accent, number: base.code, string: base.good } }
  const [comment, keyword, number, string] = syntaxParams(name).map((open) => sgr(open, 39)) as [Paint, Paint, Paint, Paint]
  return { ...base, syntax: { comment, keyword, number, string }, shades: shadesOf(name, depth) }
}

/** The parameters of all SGR escapes that the themes use. */
export const codes: ReadonlyArray<number | string> = [
  ...new Set([
    ...[1, 2, 3, 4, 9, 22, 23, 24, 29, 39, 49],
    ...Object.values(palettes).flatMap((palette) => Object.values(palette)),
    ...(Object.keys(palettes) as ReadonlyArray<PaletteName>).flatMap((name) => [
      ...syntaxParams(name),
      ...(["256", "true"] as const).flatMap((depth) => Object.values(shadesOf(name, depth)).flatMap(({ line, word }) => [line, word]))
    ])
  ])
]

type Variables = Readonly<Record<string, string | undefined>>

/**
 * `--color` decides; on `auto`, NO_COLOR turns colour off, FORCE_COLOR and CLICOLOR_FORCE turn it on, and otherwise every
 * terminal but a dumb one has it (no-color.org, bixense.com/clicolors). The theme `auto` detects the background.
 */
export const of = (mode: "auto" | "always" | "never", tty: boolean, variables: Variables, name: Name = "auto"): Theme =>
  hasColor(mode, tty, variables) ? fromPalette(name === "auto" ? background(variables) : name, depth(variables)) : plain

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

/** FORCE_COLOR is a level of supports-color: 1, 2 or 3. Windows Terminal sets only WT_SESSION. */
const depth = ({ COLORTERM = "", FORCE_COLOR = "", TERM = "", WT_SESSION }: Variables): Depth =>
  /^[123]$/.test(FORCE_COLOR) ? (["16", "256", "true"] as const)[Number(FORCE_COLOR) - 1]!
    : /truecolor|24bit/i.test(COLORTERM) || TERM.endsWith("-direct") || isSet(WT_SESSION) ? "true"
    : TERM.includes("256") ? "256" : "16"
