/** The texts at the end of the newest message: what changed since the last request. */
import * as Todo from "../tool/Todo.ts"
import type { EndedCommand } from "../session/SessionEvent.ts"
import * as RepositoryState from "../workspace/RepositoryState.ts"
import type { PromptInput, Render } from "./Section.ts"

/** The date, once it differs from the one in the last prompt. */
export const date = ({ facts, previousFacts }: PromptInput): string | undefined => {
  const today = facts.today ?? facts.date
  return previousFacts === undefined || today === (previousFacts.today ?? previousFacts.date) ? undefined : `Today is ${today}.`
}

/** Files that someone else changed since the model saw them, once for each change. */
export const changedFiles = ({ facts, previousFacts }: PromptInput): string | undefined => {
  const reported = new Map((previousFacts?.changed ?? []).map(({ hash, path }) => [path, hash]))
  const changed = (facts.changed ?? []).filter(({ hash, path }) => !reported.has(path) || reported.get(path) !== hash)
  if (changed.length === 0) return undefined
  const files = changed.map(({ kind, path }) => `- ${path}${kind === "deleted" ? " (deleted)" : ""}`)
  return [
    "These files changed since you last saw them, by someone else or by a command. Read them again before you rely on or edit them:",
    ...files
  ].join("\n")
}

/** Characters that are shown of one line. */
const maxLineLength = 200

/** Commands in the background that have ended since the last request, with at most so many of their last lines. */
export const endedCommands = (maxLines: number): Render => ({ facts, previousFacts }) => {
  const reported = new Set((previousFacts?.ended ?? []).map(({ id }) => id))
  const ended = (facts.ended ?? []).filter(({ id }) => !reported.has(id))
  if (ended.length === 0) return undefined
  return ["These background commands have ended (command_output shows all of their output):", ...ended.flatMap(endedCommand(maxLines))]
    .join(
      "\n"
    )
}

const endedCommand = (maxLines: number) => ({ code, command, durationMs, id, lines, signal }: EndedCommand): ReadonlyArray<string> => [
  `- ${id} (${command.replace(/\s+/g, " ").trim().slice(0, maxLineLength)}): ${
    code !== null ? `exit code ${code}` : signal !== null ? `ended by ${signal}` : "ended"
  } after ${Math.ceil(durationMs / 1000)} s`,
  ...(maxLines === 0 ? [] : lines.slice(-maxLines)).map((line) => `  | ${line.slice(0, maxLineLength)}`)
]

/** What the last check of an earlier task reported, at most so many lines of it. */
export const checkFailures = (maxLines: number): Render => ({ failures }) => {
  if (failures === undefined) return undefined
  const { command, lines } = failures
  const hidden = lines.length - maxLines
  return [
    `The last check (${command.replace(/^\$ /, "").slice(0, maxLineLength)}) reported these problems, and it has not passed since:`,
    ...lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength)),
    ...(hidden > 0 ? [`[… ${hidden} more lines]`] : [])
  ].join("\n")
}

/** The repository's branch and commit, at first and whenever they change. */
export const gitState = ({ facts: { git }, previousFacts }: PromptInput): string | undefined => {
  const isFirst = previousFacts === undefined
  if (!isFirst && git?.branch === previousFacts.git?.branch && git?.head === previousFacts.git?.head) return undefined
  if (git === null) return isFirst ? undefined : "The working directory is no longer in a Git repository."
  return `${isFirst ? "Git" : "Git changed"}: branch ${git.branch} at ${/^[0-9a-f]+$/.test(git.head) ? git.head.slice(0, 10) : git.head}.`
}

/** Staged, unstaged and untracked files and the newest commits, at first. */
export const repository = (maxFiles: number, maxCommits: number): Render => ({ facts }) =>
  facts.repository === undefined ? undefined : RepositoryState.render(facts.repository, maxFiles, maxCommits)

/** Turns between two reminders of the todo list. */
const reminderInterval = 6

/** A long task is reminded of its open steps every few turns. */
export const isTodoDue = ({ todo, turns }: PromptInput): boolean =>
  turns > 0 && turns % reminderInterval === 0 && todo.some(({ state }) => state !== "done")

export const todoReminder = ({ todo }: PromptInput): string => `Your todo list (keep it current with update_todo):\n${Todo.render(todo)}`
