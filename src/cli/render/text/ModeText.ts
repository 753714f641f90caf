/** Permission modes as people read them. */
import type { Mode } from "../../../domain/approval/Mode.ts"

/** What each mode permits. */
export const descriptions: Readonly<Record<Mode, string>> = {
  default: "ask before edits and commands",
  acceptEdits: "accept edits; ask before commands",
  plan: "read and plan; change nothing",
  auto: "ask only about what is risky",
  dontAsk: "never ask; deny what no rule allows",
  bypassPermissions: "never ask; allow what no rule denies"
}

/** A mode's name on the screen: the default one is named for what it does. */
export const name = (mode: string): string => mode === "default" ? "ask" : mode

/** The mode of this name on the screen or in the settings; undefined for any other text. */
export const parse = (text: string): Mode | undefined =>
  text === "ask" ? "default" : Object.hasOwn(descriptions, text) ? text as Mode : undefined

/** `plan: read and plan; change nothing`. */
export const sentence = (mode: Mode): string => `${name(mode)}: ${descriptions[mode]}`
