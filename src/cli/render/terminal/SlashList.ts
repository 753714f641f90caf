/** The slash commands, one line each: help, completion and the handlers are derived from this table. */
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
  { name: "act", doc: "Switch from plan mode back to act mode", local: true },
  { name: "checkpoint", aliases: ["checkpoints"], doc: "List checkpoints" },
  { name: "compact", aliases: ["smol", "condense"], args: "[instructions]", doc: "Compact the conversation" },
  { name: "context", doc: "Show what fills the context window" },
  { name: "continue", aliases: ["go"], doc: "Continue an unfinished task", requiresIdle: true },
  { name: "cost", doc: "Show tokens and cost" },
  { name: "help", doc: "Show keys and commands", local: true },
  { name: "mcp", doc: "List the MCP servers of this folder" },
  { name: "model", args: "[provider/model]", doc: "Show or switch the model", requiresIdle: true },
  { name: "newrule", args: "[rule]", doc: "Add a rule to AGENTS.md, or have the model write it" },
  { name: "newtask", args: "[prompt]", doc: "Start a new session with an empty context", requiresIdle: true },
  { name: "plan", doc: "Switch to plan mode: read and plan, change nothing", local: true },
  { name: "quit", aliases: ["exit"], doc: "Exit", local: true },
  { name: "reportbug", doc: "Save this session without secrets to a file", requiresIdle: true },
  { name: "rewind", doc: "Rewind files and conversation to an earlier message", requiresIdle: true }
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

/** The lines of the table for `/help`. */
export const lines: ReadonlyArray<string> = list.map(({ doc, name, args }) =>
  `${`/${name}${args === undefined ? "" : ` ${args}`}`.padEnd(26)}${doc}`
)

/** What `/help` shows. */
export const help = [
  "Enter sends a message. While a task runs, Enter steers it; Tab or Alt-Enter queues the message.",
  "Backslash and Enter, or Ctrl-J, starts a new line. Up and Down browse the history, Ctrl-R searches it.",
  "Shift-Tab switches between plan and act. Esc or Ctrl-C interrupts; Ctrl-C twice exits.",
  "Tab completes commands after / and files after @. Ctrl-O shows all of an output that was shortened.",
  "Drop an image file to attach it, or press Ctrl-V to attach the image in the clipboard.",
  "@file, @folder/, @\"with spaces\", @https://…, @commit, @git-changes, @terminal and @problems attach context.",
  "",
  ...lines,
  "/name                     Run your own command from .dacapo/commands/name.md"
].join("\n")
