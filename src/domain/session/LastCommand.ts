/** What the last commands said, for a user who points at it: `@terminal`, `@problems`. */
import type { Access } from "../tool/Access.ts"
import type { Outcome } from "../tool/Outcome.ts"

/** A command with its output, as the model was shown it; `checked` is the last one that checks something. */
export interface Terminal {
  readonly last?: string
  readonly checked?: string
}

export const initial: Terminal = {}

const checks = /\b(?:test|tests|lint|check|tsc|build|compile|vet|clippy|mypy|ruff|eslint|pytest|vitest|jest|make|cargo|typecheck)\b/

/** After a call; the same where it ran no command. Commands that followed an edit count by what checked it. */
export const after = (terminal: Terminal, access: ReadonlyArray<Access>, { checked, content }: Outcome): Terminal => {
  if (checked !== undefined) return { ...terminal, checked }
  const command = access.some(({ _tag }) => _tag === "Edit") ? undefined : access.find(({ _tag }) => _tag === "Command")
  if (command?._tag !== "Command") return terminal
  const last = `$ ${command.command}\n${content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")}`
  return { last, ...(checks.test(command.command) ? { checked: last } : terminal.checked === undefined ? {} : { checked: terminal.checked }) }
}

const place = /[\w./-]+\.\w+[:(]\d+|\b(?:error|warning|failed|failure|panicked|exception)\b|✗|×/i

/** What the last check found: its command, and the lines that name a place or a fault. */
export interface Faults {
  readonly command: string
  readonly lines: ReadonlyArray<string>
}

/** Undefined where nothing was checked yet. */
export const faults = ({ checked }: Terminal): Faults | undefined => {
  if (checked === undefined) return undefined
  const [command = "", ...lines] = checked.split("\n")
  return { command, lines: lines.filter((line) => place.test(line)) }
}

/** The same as a text. */
export const problems = (terminal: Terminal): string | undefined => {
  const found = faults(terminal)
  return found === undefined ? undefined : [found.command, ...(found.lines.length === 0 ? ["(no problem)"] : found.lines)].join("\n")
}
