/**
 * Every flag of the command line, as plain data. The parser (Args), help (Help), and completions (commands/Completion)
 * read this one table and nothing else.
 */

/**
 * What a flag's value is.
 * - `Maybe` takes the next token only where it names something; `=` always works. What `takes` matches does by its looks; of any
 *   other word that is decided by what there is (Behind).
 * - `Text.offers` is a command of the shell that prints the words which may stand there, a line each, for completions.
 * - `List` may repeat or hold commas; it takes exactly one token, so that it never eats the prompt.
 * - `Each` may repeat, and a value is taken as it stands.
 * - `Choice.also` maps other tools' words to ours.
 */
export type Kind =
  | { readonly _tag: "Switch" }
  | { readonly _tag: "Text"; readonly value: string; readonly offers?: string }
  | { readonly _tag: "Number"; readonly value: string; readonly integer: boolean }
  | {
    readonly _tag: "Choice"
    readonly choices: ReadonlyArray<string>
    readonly also?: Readonly<Record<string, string>>
  }
  | { readonly _tag: "List"; readonly value: string }
  | { readonly _tag: "Each"; readonly value: string }
  | { readonly _tag: "Maybe"; readonly value: string; readonly takes?: RegExp }

/** `names`: the first is the spelling that help shows; `on`: the commands that know it, absent: all of them. */
export interface Flag {
  readonly names: readonly [string, ...ReadonlyArray<string>]
  readonly kind: Kind
  readonly doc: string
  readonly on?: ReadonlyArray<string>
}

const run = ["run"] as const
/** What a run takes, and a replay that goes on as one. */
const live = ["run", "replay"] as const
/** What is judged by rules: those, and our tools in the hands of others. */
const permitted = [...live, "mcp"] as const

/** What looks like a session: a UUID, or at least the first eight digits of one. */
const session = /^(latest|[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?)$/i

export const table = {
  print: {
    names: ["--print", "-p"],
    kind: { _tag: "Switch" },
    doc: "Answer on standard output and leave; never ask.",
    on: live
  },
  model: {
    names: ["--model", "-m"],
    kind: { _tag: "Text", value: "provider/model" },
    doc: "The model to use; scripted/<file> plays a script.",
    on: live
  },
  effort: {
    names: ["--effort"],
    kind: { _tag: "Choice", choices: ["none", "minimal", "low", "medium", "high", "xhigh", "max"] },
    doc: "How much the model is to think; the same as provider/model:effort.",
    on: live
  },
  planModel: {
    names: ["--plan-model"],
    kind: { _tag: "Text", value: "provider/model" },
    doc: "The model that answers in plan mode.",
    on: run
  },
  fallbackModel: {
    names: ["--fallback-model"],
    kind: { _tag: "Text", value: "provider/model" },
    doc: "The model that takes over when no try of the first one succeeds.",
    on: live
  },
  cheapModel: {
    names: ["--cheap-model"],
    kind: { _tag: "Text", value: "provider/model" },
    doc: "The model for summaries and titles; otherwise the provider's cheapest that is large enough.",
    on: run
  },
  baseUrl: {
    names: ["--base-url"],
    kind: { _tag: "Text", value: "url" },
    doc: "Where the model's server answers, instead of the provider's own address.",
    on: ["run", "replay", "models", "doctor"]
  },
  toolFormat: {
    names: ["--tool-format"],
    kind: { _tag: "Choice", choices: ["auto", "native", "xml"] },
    doc: "How tools are called: by the provider's own calls, or as XML in text (auto: as the model can).",
    on: live
  },
  permissionMode: {
    names: ["--permission-mode", "--approval-mode"],
    kind: {
      _tag: "Choice",
      choices: ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"],
      also: { auto_edit: "acceptEdits", yolo: "bypassPermissions" }
    },
    doc: "How much may happen without a question.",
    on: permitted
  },
  allowedTools: {
    names: ["--allowedTools", "--allowed-tools"],
    kind: { _tag: "List", value: "rules" },
    doc: "Rules that allow, such as \"Bash(git log *)\" or Read.",
    on: permitted
  },
  disallowedTools: {
    names: ["--disallowedTools", "--disallowed-tools"],
    kind: { _tag: "List", value: "rules" },
    doc: "Rules that deny; they win over every other.",
    on: permitted
  },
  tools: {
    names: ["--tools"],
    kind: { _tag: "List", value: "names" },
    doc: "The only tools that there are: read_file,bash for these, \"\" for none, default for all.",
    on: run
  },
  bare: {
    names: ["--bare"],
    kind: { _tag: "Switch" },
    doc: "Start from nothing but this call: no rules files, memory, skills or commands, and no MCP servers but its own.",
    on: run
  },
  maxTurns: {
    names: ["--max-turns"],
    kind: { _tag: "Number", value: "n", integer: true },
    doc: "Stop after so many answers of the model.",
    on: live
  },
  maxBudgetUsd: {
    names: ["--max-budget-usd"],
    kind: { _tag: "Number", value: "usd", integer: false },
    doc: "Never spend more: a request that could pass it is not sent.",
    on: live
  },
  maxTokensTotal: {
    names: ["--max-tokens-total"],
    kind: { _tag: "Number", value: "n", integer: true },
    doc: "The same in tokens, of input and output together.",
    on: run
  },
  timeout: {
    names: ["--timeout"],
    kind: { _tag: "Number", value: "seconds", integer: false },
    doc: "Stop the task after so many seconds.",
    on: live
  },
  maxWait: {
    names: ["--max-wait"],
    kind: { _tag: "Number", value: "seconds", integer: false },
    doc: "Wait so long for a provider that does not answer, when all tries are used up (600); 0: not at all.",
    on: run
  },
  onAsk: {
    names: ["--on-ask"],
    kind: { _tag: "Choice", choices: ["deny", "exit"] },
    doc: "When nobody is there to answer: deny and go on, or stop with exit code 58.",
    on: live
  },
  sandbox: {
    names: ["--sandbox"],
    kind: { _tag: "Choice", choices: ["read-only", "workspace-write", "danger-full-access"] },
    doc: "What commands may do: change nothing, change this folder, or anything (no sandbox).",
    on: run
  },
  sandboxNetwork: {
    names: ["--sandbox-network"],
    kind: { _tag: "Switch" },
    doc: "Let commands in the sandbox reach the network.",
    on: run
  },
  addDir: {
    names: ["--add-dir", "--include-directories"],
    kind: { _tag: "Each", value: "folder" },
    doc: "Open this folder too: its files may be read and edited like those of the working folder, but no checkpoint keeps them.",
    on: live
  },
  agent: {
    names: ["--agent"],
    kind: { _tag: "Text", value: "name", offers: "efferent agents 2>/dev/null | sed -n \"s/^· \\([^ ]*\\).*/\\1/p\"" },
    doc: "Work as this agent: its prompt, tools, model and mode, from a file that you or the project keep.",
    on: run
  },
  systemPrompt: {
    names: ["--system-prompt"],
    kind: { _tag: "Text", value: "text" },
    doc: "Words that stand in place of efferent's own at the beginning of the system prompt.",
    on: run
  },
  appendSystemPrompt: {
    names: ["--append-system-prompt"],
    kind: { _tag: "Text", value: "text" },
    doc: "Words that stand at the end of the system prompt.",
    on: run
  },
  jsonSchema: {
    names: ["--json-schema", "--output-schema"],
    kind: { _tag: "Text", value: "schema" },
    doc: "The answer is to be JSON of this JSON Schema (the schema itself, or a file that holds it).",
    on: run
  },
  outputLastMessage: {
    names: ["--output-last-message", "-o"],
    kind: { _tag: "Text", value: "file" },
    doc: "Write the answer into this file too.",
    on: run
  },
  resume: {
    names: ["--resume", "-r"],
    kind: { _tag: "Maybe", value: "session", takes: session },
    doc: "Take up a session again: its id, the start of it, its name, or latest.",
    on: run
  },
  continue: {
    names: ["--continue", "-c"],
    kind: { _tag: "Switch" },
    doc: "Take up the latest session of this folder again.",
    on: run
  },
  forkSession: {
    names: ["--fork-session", "--fork"],
    kind: { _tag: "Switch" },
    doc: "With --resume or --continue: go on in a new session that shares what was, and leave the old one as it is.",
    on: run
  },
  sessionId: {
    names: ["--session-id"],
    kind: { _tag: "Text", value: "uuid" },
    doc: "The id of the session that begins; none may have it yet.",
    on: run
  },
  ephemeral: {
    names: ["--no-session", "--ephemeral"],
    kind: { _tag: "Switch" },
    doc: "Keep nothing of this session on disk.",
    on: run
  },
  cd: {
    names: ["--cd", "-C", "--cwd"],
    kind: { _tag: "Text", value: "folder" },
    doc: "Work in this folder."
  },
  worktree: {
    names: ["--worktree", "-w"],
    kind: { _tag: "Maybe", value: "name" },
    doc: "Work in a git worktree of its own, on the branch efferent/<name>; it is removed where nothing was changed.",
    on: run
  },
  outputFormat: {
    names: ["--output-format"],
    kind: { _tag: "Choice", choices: ["text", "json", "stream-json", "events"] },
    doc: "What standard output holds: the answer, one JSON result, a line of JSON a message, or the session's own events."
  },
  inputFormat: {
    names: ["--input-format"],
    kind: { _tag: "Choice", choices: ["text", "stream-json"] },
    doc: "What standard input holds: a prompt, or a line of JSON a message, taken while the agent works.",
    on: run
  },
  verbose: {
    names: ["--verbose"],
    kind: { _tag: "Switch" },
    doc: "Tell on standard error what happens meanwhile."
  },
  config: {
    names: ["--config"],
    kind: { _tag: "Each", value: "name=value" },
    doc: "A setting of config.jsonc for this call alone: --config model=openai/gpt-5."
  },
  screenReader: {
    names: ["--screen-reader"],
    kind: { _tag: "Switch" },
    doc: "Say what happens in lines that never change, for screen readers and dumb terminals.",
    on: run
  },
  color: {
    names: ["--color"],
    kind: { _tag: "Choice", choices: ["auto", "always", "never"] },
    doc: "Colour: by the terminal (NO_COLOR and FORCE_COLOR count), always, or never."
  },
  until: {
    names: ["--until"],
    kind: { _tag: "Text", value: "seq" },
    doc: "Replay up to and with this event.",
    on: ["replay"]
  },
  live: {
    names: ["--live"],
    kind: { _tag: "Switch" },
    doc: "Go on from there with the real model, files and commands, in a fork.",
    on: ["replay"]
  },
  speed: {
    names: ["--speed"],
    kind: { _tag: "Text", value: "n" },
    doc: "How fast it is shown: 0 at once (the default), 1 as it was.",
    on: ["replay"]
  },
  screen: {
    names: ["--screen"],
    kind: { _tag: "Switch" },
    doc: "Show the terminal as it was.",
    on: ["replay"]
  },
  verify: {
    names: ["--verify"],
    kind: { _tag: "Switch" },
    doc: "Only say whether the replay is equal, hash for hash.",
    on: ["replay"]
  },
  rebuild: {
    names: ["--rebuild"],
    kind: { _tag: "Switch" },
    doc: "Make a new store of every whole event; the damaged one is kept beside it.",
    on: ["fsck"]
  },
  refresh: {
    names: ["--refresh"],
    kind: { _tag: "Switch" },
    doc: "Renew the catalogue from models.dev first.",
    on: ["models"]
  },
  limit: {
    names: ["--limit"],
    kind: { _tag: "Number", value: "n", integer: true },
    doc: "List at most so many.",
    on: ["sessions"]
  },
  session: {
    names: ["--session"],
    kind: { _tag: "Text", value: "session" },
    doc: "Which session is meant; the latest of this folder otherwise.",
    on: ["checkpoints", "diff", "stats"]
  },
  to: {
    names: ["--to"],
    kind: { _tag: "Text", value: "seq" },
    doc: "The event of the session that is gone back to, or forked at.",
    on: ["rewind", "run", "sessions"]
  },
  files: {
    names: ["--files"],
    kind: { _tag: "Switch" },
    doc: "The files of that moment.",
    on: ["rewind", "run", "sessions", "replay"]
  },
  conversation: {
    names: ["--conversation"],
    kind: { _tag: "Switch" },
    doc: "The conversation of that moment.",
    on: ["rewind"]
  },
  both: {
    names: ["--both"],
    kind: { _tag: "Switch" },
    doc: "Files and conversation, as where neither is named.",
    on: ["rewind"]
  },
  sessions: {
    names: ["--sessions"],
    kind: { _tag: "Text", value: "sessions" },
    doc: "Which sessions: last:N, or ids with commas between them; last:20 otherwise.",
    on: ["policy"]
  },
  revoke: {
    names: ["--revoke"],
    kind: { _tag: "Switch" },
    doc: "Trust the folder no more; for mcp auth, forget the login.",
    on: ["mcp", "trust"]
  },
  orphans: {
    names: ["--orphans"],
    kind: { _tag: "Switch" },
    doc: "End what an efferent that was killed left running, and say what it was.",
    on: ["doctor"]
  },
  remove: {
    names: ["--remove"],
    kind: { _tag: "List", value: "paths" },
    doc: "Delete these files that you made since; all others of that kind stay.",
    on: ["checkpoints", "rewind"]
  },
  by: {
    names: ["--by"],
    kind: { _tag: "Choice", choices: ["request", "session", "day", "model"] },
    doc: "What sums are of: days where nothing is said, requests for one session.",
    on: ["stats"]
  },
  days: {
    names: ["--days"],
    kind: { _tag: "Number", value: "n", integer: false },
    doc: "Those that were not used for so many days; for stats, the last so many.",
    on: ["sessions", "stats"]
  },
  format: {
    names: ["--format"],
    kind: { _tag: "Choice", choices: ["jsonl", "markdown", "html"], also: { md: "markdown", json: "jsonl" } },
    doc: "How a session is exported: whole, to be imported and replayed, or as a document.",
    on: ["sessions"]
  },
  redact: {
    names: ["--redact"],
    kind: { _tag: "Switch" },
    doc: "Without secrets; the export still replays.",
    on: ["sessions"]
  },
  stat: {
    names: ["--stat"],
    kind: { _tag: "Switch" },
    doc: "Counts instead of a patch.",
    on: ["checkpoints", "diff"]
  },
  mcpConfig: {
    names: ["--mcp-config"],
    kind: { _tag: "Each", value: "file or json" },
    doc: "MCP servers for this run, beside those that are set up.",
    on: live
  },
  port: {
    names: ["--port"],
    kind: { _tag: "Number", value: "n", integer: true },
    doc: "Serve over HTTP at this port of 127.0.0.1, instead of over standard input and output.",
    on: ["mcp"]
  },
  scope: {
    names: ["--scope"],
    kind: { _tag: "Choice", choices: ["user", "project"] },
    doc: "Where a server is written down: your settings (the default), or .mcp.json of this folder.",
    on: ["mcp"]
  },
  transport: {
    names: ["--transport"],
    kind: { _tag: "Choice", choices: ["stdio", "http", "sse"] },
    doc: "How a server is reached, where its address does not say it.",
    on: ["mcp"]
  },
  env: {
    names: ["--env", "-e"],
    kind: { _tag: "Each", value: "name=value" },
    doc: "A variable for the server; ${NAME} in a value is filled in when it starts.",
    on: ["mcp"]
  },
  header: {
    names: ["--header", "-H"],
    kind: { _tag: "Each", value: "name: value" },
    doc: "A header for a server at an address.",
    on: ["mcp"]
  },
  yes: {
    names: ["--yes", "-y"],
    kind: { _tag: "Switch" },
    doc: "Do it without asking.",
    on: ["checkpoints", "rewind", "run", "sessions", "replay"]
  },
  help: {
    names: ["--help", "-h"],
    kind: { _tag: "Switch" },
    doc: "Show help, of a command too."
  },
  version: {
    names: ["--version", "-v", "-V"],
    kind: { _tag: "Switch" },
    doc: "Show the version."
  }
} as const satisfies Readonly<Record<string, Flag>>

export type Key = keyof typeof table

type ValueOf<K> = K extends { readonly _tag: "Switch" } ? boolean
  : K extends { readonly _tag: "Number" } ? number
  : K extends { readonly _tag: "Choice"; readonly choices: ReadonlyArray<infer C> } ? C
  : K extends { readonly _tag: "List" | "Each" } ? ReadonlyArray<string>
  : string

/** What a command line says; `Maybe` without a value is the empty string. */
export type Values = { readonly [K in Key]?: ValueOf<(typeof table)[K]["kind"]> }

/** Words of other tools that stand for a flag of ours with its value. */
export const shorthands: Readonly<Record<string, { readonly flag: Key; readonly value: string }>> = {
  "--yolo": { flag: "permissionMode", value: "bypassPermissions" },
  "--dangerously-skip-permissions": { flag: "permissionMode", value: "bypassPermissions" },
  "--json": { flag: "outputFormat", value: "stream-json" },
  "--no-color": { flag: "color", value: "never" }
}

/** All of them, in the order in which help shows them. */
export const entries = Object.entries(table) as ReadonlyArray<readonly [Key, Flag]>

/** The flag that a spelling names. */
export const named: ReadonlyMap<string, readonly [Key, Flag]> = new Map(
  entries.flatMap((entry) => entry[1].names.map((name) => [name, entry] as const))
)

/** Whether a command knows a flag. */
export const applies = (flag: Flag, command: string): boolean => flag.on === undefined || flag.on.includes(command)

/** How help and errors show the value that a flag takes. */
export const placeholder = (kind: Kind): string =>
  kind._tag === "Switch" ? "" : kind._tag === "Choice" ? kind.choices.join("|") : `<${kind.value}>`
