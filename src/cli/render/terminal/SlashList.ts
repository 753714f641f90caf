/** The slash commands, one line each: help, the menu and the handlers are derived from this table. */
import { alternatives } from "../../../domain/provider/SimilarNames.ts"
import { nearNames } from "../../args/DidYouMean.ts"
import * as KeyHelp from "./KeyHelp.ts"

/** `args` documents the arguments. `local`: the screen runs it itself. `requiresIdle`: not available while a task runs. */
export interface SlashCommand {
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  readonly args?: string
  readonly doc: string
  readonly local?: true
  readonly requiresIdle?: true
}

const table = [
  { name: "act", doc: "Leave plan mode", local: true },
  { name: "agents", doc: "List the agent profiles of this folder" },
  { name: "checkpoint", aliases: ["checkpoints"], doc: "List checkpoints" },
  { name: "compact", aliases: ["smol", "condense"], args: "[instructions]", doc: "Compact the conversation" },
  { name: "config", aliases: ["settings"], args: "[name] [value]", doc: "Show or change settings" },
  { name: "context", doc: "Show what fills the context window" },
  { name: "continue", aliases: ["go"], doc: "Continue an unfinished task", requiresIdle: true },
  { name: "copy", doc: "Copy the last response to the clipboard" },
  { name: "cost", aliases: ["usage"], doc: "Show tokens and cost" },
  {
    name: "deepplan",
    aliases: ["deepplanning"],
    args: "[task]",
    doc: "Investigate, ask, write a plan to a file, then act",
    requiresIdle: true
  },
  { name: "diff", doc: "Show what this session has changed in the files" },
  { name: "doctor", doc: "Check the installation" },
  { name: "effort", args: "[level]", doc: "Choose how much the model thinks", requiresIdle: true },
  { name: "export", args: "[file]", doc: "Export the session as .md, .html or .jsonl" },
  { name: "help", doc: "Show keys and commands", local: true },
  { name: "init", doc: "Create AGENTS.md and have the model complete it", requiresIdle: true },
  { name: "login", args: "[provider]", doc: "Save a provider's API key and choose a model", requiresIdle: true },
  { name: "logout", args: "[provider]", doc: "Delete a provider's saved API key" },
  { name: "mcp", doc: "List the MCP servers of this folder" },
  { name: "memory", args: "[note]", doc: "Update the memory bank", requiresIdle: true },
  { name: "mode", args: "[mode]", doc: "Choose the permission mode" },
  { name: "model", aliases: ["models"], args: "[provider/model]", doc: "Choose the model", requiresIdle: true },
  {
    name: "new",
    aliases: ["clear", "newtask", "reset"],
    args: "[prompt]",
    doc: "Start a new session with an empty context",
    requiresIdle: true
  },
  { name: "newrule", args: "[rule]", doc: "Add a rule to AGENTS.md, or have the model write it" },
  { name: "permissions", aliases: ["rules"], doc: "Show the permission mode and rules" },
  { name: "plan", doc: "Enter plan mode: read and plan, change nothing", local: true },
  { name: "ps", aliases: ["jobs"], doc: "Show the output of running and finished commands" },
  { name: "quit", aliases: ["exit"], doc: "Exit", local: true },
  { name: "reportbug", aliases: ["bug", "feedback"], doc: "Save this session without secrets to a file", requiresIdle: true },
  { name: "resume", aliases: ["sessions"], args: "[session]", doc: "Resume an earlier session of this folder", requiresIdle: true },
  { name: "review", args: "[instructions]", doc: "Review the uncommitted changes", requiresIdle: true },
  { name: "rewind", args: "[last]", doc: "Rewind files and conversation to a message", requiresIdle: true },
  { name: "skills", doc: "List the skills of this folder" },
  { name: "stats", doc: "Show tokens and cost by day" },
  { name: "status", doc: "Show the session, model, mode and folder" },
  { name: "todo", aliases: ["todos"], args: "[action]", doc: "Edit the to-do list" },
  { name: "undo", doc: "Undo the last message with its changes to files", requiresIdle: true }
] as const satisfies ReadonlyArray<SlashCommand>

export const list: ReadonlyArray<SlashCommand> = table

/** Commands that the screen runs itself, and all others. */
export type Local = Extract<(typeof table)[number], { readonly local: true }>["name"]
export type Remote = Exclude<(typeof table)[number]["name"], Local>

const byName: ReadonlyMap<string, SlashCommand> = new Map(
  list.flatMap((slash) => [slash.name, ...slash.aliases ?? []].map((name) => [name, slash] as const))
)

/** Parses `/name args`; undefined if it is not a command of this list. */
export const parse = (text: string): { readonly slash: SlashCommand; readonly args: string } | undefined => {
  const match = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(text.trim())
  const slash = match === null ? undefined : byName.get(match[1]!)
  const args = match?.[2]?.trim() ?? ""
  return slash === undefined || (args !== "" && slash.args === undefined) ? undefined : { slash, args }
}

/** The instructions of a `/compact` prompt; undefined for any other prompt. */
export const compactInstructions = (prompt: string): string | undefined => {
  const command = parse(prompt)
  return command?.slash.name === "compact" ? command.args : undefined
}

/** An entry of the menu: a name or an alias. */
export interface Entry {
  readonly name: string
  readonly doc: string
}

/** The shortest query for which names that only contain it are listed too. */
const minContained = 2

/**
 * The commands whose name, or else an alias, begins with these characters, then those that contain them, each by name; `custom` are
 * the user's own.
 */
export const matching = (query: string, custom: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const isPrefix = (name: string) => name.startsWith(query)
  const isMatch = (name: string) => query.length < minContained ? isPrefix(name) : name.includes(query)
  const builtin = list.flatMap(({ aliases = [], doc, name }) => {
    const names = [name, ...aliases]
    const match = names.find(isPrefix) ?? names.find(isMatch)
    return match === undefined ? [] : [{ name: match, doc: match === name ? doc : `${doc} (/${name})` }]
  })
  const userCommands = custom.filter(({ name }) => isMatch(name) && !list.some((slash) => slash.name === name))
  return [...builtin, ...userCommands].toSorted((a, b) => Number(isPrefix(b.name)) - Number(isPrefix(a.name)) || (a.name < b.name ? -1 : 1))
}

/** Why `/name …` runs nothing. */
export const problem = (name: string, custom: ReadonlyArray<Entry>): string => {
  if (byName.has(name)) return `/${name} takes no arguments.`
  const names = [...byName.keys(), ...custom.map(({ name }) => name)]
  const near = [...matching(name, custom).map(({ name }) => name), ...nearNames(name, names)]
    .filter((near, i, all) =>
      all.findIndex((other) => other === near || (byName.has(near) && byName.get(other) === byName.get(near))) === i
    )
    .slice(0, 3)
  return `Unknown command /${name}. ${
    near.length === 0 ? "Type / for a list." : `Did you mean ${alternatives(near.map((name) => `/${name}`))}?`
  }`
}

/** Whether a text looks like a command: a name after a slash, and not a path. */
export const isCommandLike = (text: string): boolean => /^\/[a-z][\w:-]*(?:\s|$)/i.test(text)

/** The lines of the table for `/help`. */
export const lines: ReadonlyArray<string> = list.map(({ doc, name, args }) =>
  `${`/${name}${args === undefined ? "" : ` ${args}`}`.padEnd(26)}${doc}`
)

/** What `/help` shows. */
export const help = [
  "Keys",
  ...KeyHelp.lines,
  "",
  "To attach: @file, @folder/, @\"with spaces\", @https://…, @commit, @git-changes, @terminal, @problems, or drop an image.",
  "",
  "Commands",
  ...lines,
  "/name                     Run your own command from .dacapo/commands/name.md"
].join("\n")
