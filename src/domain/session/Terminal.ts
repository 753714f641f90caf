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

/** Lines that name a place or a fault; undefined where nothing was checked yet. */
export const problems = ({ checked }: Terminal): string | undefined => {
  if (checked === undefined) return undefined
  const [command = "", ...lines] = checked.split("\n")
  const found = lines.filter((line) => place.test(line))
  return found.length === 0 ? `${command}\n(no problem)` : [command, ...found].join("\n")
}
