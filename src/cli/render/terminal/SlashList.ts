/** The commands of the input line, one line each: help and completion read this list, and who carries them out is held to it. */

/** `words`: what may stand behind the name. `local`: the screen does it by itself. `idle`: not while a task runs. */
export interface Slash {
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  readonly words?: string
  readonly doc: string
  readonly local?: true
  readonly idle?: true
}

const table = [
  { name: "act", doc: "back to work, from planning", local: true },
  { name: "checkpoint", aliases: ["checkpoints"], doc: "the moments whose files are kept" },
  { name: "compact", aliases: ["smol", "condense"], words: "[what to keep]", doc: "make the conversation smaller" },
  { name: "context", doc: "what fills the window" },
  { name: "cost", doc: "tokens and money so far" },
  { name: "go", doc: "go on with what was not finished", idle: true },
  { name: "help", doc: "keys and commands", local: true },
  { name: "mcp", doc: "the MCP servers of this folder" },
  { name: "model", words: "[provider/model]", doc: "who answers, or who is to answer from now on", idle: true },
  { name: "newrule", words: "[rule]", doc: "a rule for AGENTS.md; without words the model writes it" },
  { name: "newtask", words: "[prompt]", doc: "a new session, with an empty window", idle: true },
  { name: "plan", doc: "plan first, change nothing", local: true },
  { name: "quit", aliases: ["exit"], doc: "leave", local: true },
  { name: "reportbug", doc: "this session without secrets, in a file", idle: true },
  { name: "rewind", doc: "back to an earlier moment of this session", idle: true }
] as const satisfies ReadonlyArray<Slash>

export const list: ReadonlyArray<Slash> = table

/** Those that the screen does by itself, and those that it wishes. */
export type Local = Extract<(typeof table)[number], { readonly local: true }>["name"]
export type Wished = Exclude<(typeof table)[number]["name"], Local>

const named: ReadonlyMap<string, Slash> = new Map(list.flatMap((slash) => [slash.name, ...slash.aliases ?? []].map((name) => [name, slash] as const)))

/** `/name words`, where it is one of ours; undefined for anything else. */
export const called = (text: string): { readonly slash: Slash; readonly words: string } | undefined => {
  const match = /^\/([a-z]+)(?:\s+([^]*))?$/.exec(text.trim())
  const slash = match === null ? undefined : named.get(match[1]!)
  const words = match?.[2]?.trim() ?? ""
  return slash === undefined || (words !== "" && slash.words === undefined) ? undefined : { slash, words }
}

/** A line for each. */
export const lines: ReadonlyArray<string> = list.map(({ doc, name, words }) => `${`/${name}${words === undefined ? "" : ` ${words}`}`.padEnd(26)}${doc}`)
