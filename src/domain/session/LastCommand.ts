/** What the last commands printed, for `@terminal` and `@problems` mentions. */
import type { Access } from "../tool/Access.ts"
import type { Outcome } from "../tool/Outcome.ts"

/** A command with its output, as shown to the model; `checked` is the last one that checked something. */
export interface LastCommand {
  readonly lastOutput?: string
  readonly checkOutput?: string
}

export const initial: LastCommand = {}

const checkCommand = /\b(?:test|tests|lint|check|tsc|build|compile|vet|clippy|mypy|ruff|eslint|pytest|vitest|jest|make|cargo|typecheck)\b/

/** After a call; unchanged if it ran no command. Commands that followed an edit count by the one that checked it. */
export const afterCommand = (
  lastCommand: LastCommand,
  access: ReadonlyArray<Access>,
  { checked: checkOutput, content }: Outcome
): LastCommand => {
  if (checkOutput !== undefined) return { ...lastCommand, checkOutput }
  const command = access.some(({ _tag }) => _tag === "Edit") ? undefined : access.find(({ _tag }) => _tag === "Command")
  if (command?._tag !== "Command" || command.input !== undefined) return lastCommand
  const output = `$ ${command.command}\n${content.flatMap((part) => part._tag === "Text" ? [part.text] : []).join("\n")}`
  return {
    lastOutput: output,
    ...(checkCommand.test(command.command) ? { checkOutput: output }
      : lastCommand.checkOutput === undefined ? {} : { checkOutput: lastCommand.checkOutput })
  }
}

const problemLine = /[\w./-]+\.\w+[:(]\d+|\b(?:error|warning|failed|failure|panicked|exception)\b|✗|×/i

/** What the last check found: its command, and the lines that name a location or an error. */
export interface CheckProblems {
  readonly command: string
  readonly lines: ReadonlyArray<string>
}

/** Undefined if nothing was checked yet. */
export const checkProblems = ({ checkOutput }: LastCommand): CheckProblems | undefined => {
  if (checkOutput === undefined) return undefined
  const [command = "", ...lines] = checkOutput.split("\n")
  return { command, lines: lines.filter((line) => problemLine.test(line)) }
}

/** The same as a text. */
export const problemsText = (lastCommand: LastCommand): string | undefined => {
  const report = checkProblems(lastCommand)
  return report === undefined ? undefined : [report.command, ...(report.lines.length === 0 ? ["(no problem)"] : report.lines)].join("\n")
}
