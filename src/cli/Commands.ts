/** The commands, one line each; a command's file is loaded when it is called. */
import type * as Effect from "effect/Effect"
import type { Behind } from "./args/ParseArgs.ts"
import type { Conclusion } from "./process/Conclusion.ts"
import type { Failure } from "./process/ExitCode.ts"
import type * as Flags from "./args/Flags.ts"
import type { Host } from "./process/Host.ts"
import type { Wiring } from "./process/AgentLayers.ts"

/** What a command is given: its words, its flags with the words behind those that may take one, and the list that it stands in. */
export interface Given {
  readonly commands: ReadonlyArray<Command>
  readonly words: ReadonlyArray<string>
  readonly values: Flags.Values
  readonly behind?: Behind
}

/** Gives the exit code. */
export type Run = (given: Given) => Effect.Effect<number, Failure, Conclusion | Host | Wiring>

export interface Command {
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  /** First words that it knows. */
  readonly actions: ReadonlyArray<string>
  readonly summary: string
  readonly usage: ReadonlyArray<string>
  /** A call and what it does. */
  readonly examples: ReadonlyArray<readonly [string, string]>
  readonly load: () => Promise<{ readonly run: Run }>
}

/** Whether a command takes words beside its flags, as its usage says. */
export const takesWords = ({ actions, usage }: Command): boolean => actions.length > 0 || usage.some((line) => /[<[](?!-)/.test(line))

export const list: ReadonlyArray<Command> = [
  {
    name: "run",
    aliases: ["exec"],
    actions: [],
    summary: "Work on a task: in the terminal, or headless with -p or without a terminal.",
    usage: ["dacapo [flags] [prompt]", "dacapo -p [flags] [prompt | -]"],
    examples: [
      ["dacapo \"make the tests pass\"", "work on it here, asking before it acts"],
      ["dacapo -p \"explain src/main.ts\"", "print the answer and leave"],
      ["git diff | dacapo -p \"review this\"", "standard input goes with the prompt"],
      ["dacapo -p --allowedTools \"Edit,Bash(npm test)\" \"fix the build\"", "allow edits and one command"],
      ["dacapo -p --output-format stream-json --max-turns 20 \"add a flag\"", "one JSON message a line, for programs"],
      ["dacapo --continue", "go on with the latest session of this folder"]
    ],
    load: () => import("./commands/Run.ts")
  },
  {
    name: "agents",
    aliases: [],
    actions: ["list"],
    summary: "List the agents that --agent can name here, and where each is written down.",
    usage: ["dacapo agents [list]"],
    examples: [["dacapo agents", "yours and those of a trusted project; also files that are none, and why"]],
    load: () => import("./commands/Agents.ts")
  },
  {
    name: "auth",
    aliases: [],
    actions: ["login", "logout", "status"],
    summary: "Keys of providers: keep one, forget it, say which are found and where.",
    usage: ["dacapo auth login [provider]", "dacapo auth logout <provider>", "dacapo auth status"],
    examples: [
      ["dacapo auth login anthropic", "asks for the key, and keeps it in the OS keyring or a file of mode 0600"],
      ["pass show openai | dacapo auth login openai", "takes the key from standard input"],
      ["dacapo auth status", "which keys are found, and where; never the keys"]
    ],
    load: () => import("./commands/Auth.ts")
  },
  {
    name: "checkpoints",
    aliases: ["checkpoint"],
    actions: ["list", "diff", "restore"],
    summary: "The files of a session at its moments: list, compare, go back.",
    usage: [
      "dacapo checkpoints list [--session id]",
      "dacapo checkpoints diff <from> [to]",
      "dacapo checkpoints restore <checkpoint> [--remove paths] [--yes]"
    ],
    examples: [
      ["dacapo checkpoints list", "those of this folder's latest session"],
      ["dacapo checkpoints diff 3f2a91c", "what changed since"],
      ["dacapo checkpoints restore 3f2a91c", "bring its files back; what is there now is saved before"]
    ],
    load: () => import("./commands/Checkpoints.ts")
  },
  {
    name: "completion",
    aliases: [],
    actions: ["bash", "zsh", "fish"],
    summary: "Print completions for a shell.",
    usage: ["dacapo completion bash|zsh|fish"],
    examples: [["source <(dacapo completion bash)", "complete flags and commands from now on"]],
    load: () => import("./commands/Completion.ts")
  },
  {
    name: "diff",
    aliases: [],
    actions: [],
    summary: "What the files of two moments differ by: a patch, or counts.",
    usage: ["dacapo diff <a> [b] [--session id] [--stat]"],
    examples: [
      ["dacapo diff 3f2a91c", "from a checkpoint to the files as they are now"],
      ["dacapo diff 12 40 --stat", "between two events of this folder's latest session"],
      ["dacapo diff 0190a1b2@12 0190c3d4@7", "between events of two sessions"]
    ],
    load: () => import("./commands/Diff.ts")
  },
  {
    name: "config",
    aliases: [],
    actions: ["get", "list", "schema", "set"],
    summary: "Settings: what holds, where it is written, and changing it.",
    usage: ["dacapo config list", "dacapo config get <name>", "dacapo config set <name> [value]", "dacapo config schema"],
    examples: [
      ["dacapo config set model anthropic/claude-sonnet-4-5", "the model where nothing names one"],
      ["dacapo config set permissions.deny '[\"Bash(rm:*)\"]'", "a value may be JSON; without one the setting is taken out"],
      ["dacapo config schema", "what may stand in config.jsonc, for editors"]
    ],
    load: () => import("./commands/Config.ts")
  },
  {
    name: "context",
    aliases: [],
    actions: [],
    summary: "Show what fills a session's window: every section and item, with tokens and reason.",
    usage: ["dacapo context [session]"],
    examples: [
      ["dacapo context", "the latest session of this folder"],
      ["dacapo context 01998f3a --output-format json", "the same for programs"]
    ],
    load: () => import("./commands/Context.ts")
  },
  {
    name: "demo",
    aliases: [],
    actions: [],
    summary: "Watch the real agent repair a small project, with a scripted model.",
    usage: ["dacapo demo"],
    examples: [["dacapo demo", "no key and no network needed"]],
    load: () => import("./commands/Demo.ts")
  },
  {
    name: "doctor",
    aliases: [],
    actions: [],
    summary: "Say what is found here: versions, keys, git, sandbox, trust, what was left running.",
    usage: ["dacapo doctor [--orphans]"],
    examples: [["dacapo doctor --output-format json", "the same for programs"]],
    load: () => import("./commands/Doctor.ts")
  },
  {
    name: "fsck",
    aliases: [],
    actions: [],
    summary: "Check all that is kept of sessions, and mend what can be mended.",
    usage: ["dacapo fsck [--rebuild]"],
    examples: [
      ["dacapo fsck", "exit 0 if every event of every session is whole, 59 if not, with what is wrong"],
      ["dacapo fsck --rebuild", "a new store of every whole event; the damaged one is kept"]
    ],
    load: () => import("./commands/Fsck.ts")
  },
  {
    name: "help",
    aliases: [],
    actions: [],
    summary: "Show help, of a command or on exit-codes.",
    usage: ["dacapo help [command | exit-codes]"],
    examples: [["dacapo help sessions", "one command's help"]],
    load: () => import("./commands/Help.ts")
  },
  {
    name: "init",
    aliases: [],
    actions: [],
    summary: "Begin a file of rules for this project: AGENTS.md.",
    usage: ["dacapo init"],
    examples: [["dacapo init", "with the commands that the project's own files tell; what is there already stays"]],
    load: () => import("./commands/Init.ts")
  },
  {
    name: "mcp",
    aliases: [],
    actions: ["add", "auth", "list", "new", "remove", "serve", "test"],
    summary: "MCP servers, whose tools the agent uses; and serving its own tools to others.",
    usage: [
      "dacapo mcp add <name> [flags] -- <command> [args]",
      "dacapo mcp add <name> [flags] <url>",
      "dacapo mcp auth <name> [--revoke]",
      "dacapo mcp list",
      "dacapo mcp new <name> [folder]",
      "dacapo mcp remove <name>",
      "dacapo mcp serve [--port n] [flags]",
      "dacapo mcp test [name]"
    ],
    examples: [
      ["dacapo mcp add files -- npx -y @modelcontextprotocol/server-filesystem .", "a server that is started here"],
      ["dacapo mcp add docs https://mcp.example.com/mcp --scope project", "one at an address, for all who work on this project"],
      ["dacapo mcp list", "the servers for this folder, and the file that names each"],
      ["dacapo mcp auth docs", "log in to it in the browser; the tokens are kept like keys"],
      ["dacapo mcp test files", "connect to one, and list its tools"],
      ["dacapo mcp new weather", "lay out a small server with a test"],
      ["dacapo mcp serve --allowedTools Edit", "offer our own tools to another program; what no rule allows is asked or denied"]
    ],
    load: () => import("./commands/Mcp.ts")
  },
  {
    name: "memory",
    aliases: [],
    actions: ["init"],
    summary: "Make a memory bank: files in which a project's knowledge outlives its sessions.",
    usage: ["dacapo memory init"],
    examples: [["dacapo memory init", "make memory-bank/ here; what is there already stays"]],
    load: () => import("./commands/Memory.ts")
  },
  {
    name: "models",
    aliases: [],
    actions: [],
    summary: "List the models that are known, with window and price.",
    usage: ["dacapo models [word] [--refresh]"],
    examples: [
      ["dacapo models sonnet", "those whose name has this word"],
      ["dacapo models --refresh", "get the newest catalogue first"]
    ],
    load: () => import("./commands/Models.ts")
  },
  {
    name: "policy",
    aliases: [],
    actions: ["check"],
    summary: "Try permission rules over recorded sessions: what they would block, ask, allow.",
    usage: ["dacapo policy check [rules] [--sessions last:n]"],
    examples: [
      ["dacapo policy check", "this folder's settings over the last 20 sessions"],
      ["dacapo policy check stricter.jsonc --sessions last:100", "rules of a file: { \"deny\": [\"Bash(rm:*)\"] }"]
    ],
    load: () => import("./commands/Policy.ts")
  },
  {
    name: "replay",
    aliases: [],
    actions: [],
    summary: "Run a recorded session again from its log: no network, no process, no write.",
    usage: ["dacapo replay <session | file> [--verify] [--until seq] [--speed n] [--screen]", "dacapo replay <session | file> [--until seq] --live [flags] [prompt]"],
    examples: [
      ["dacapo replay latest --verify", "exit 0 if every event is the same, hash for hash; 57 at the first that is not"],
      ["dacapo replay bug.jsonl --speed 1", "watch an exported session as it went"],
      ["dacapo replay latest --until 40 --live --model openai/gpt-5", "go on from event 40 in a fork, with another model"]
    ],
    load: () => import("./commands/Replay.ts")
  },
  {
    name: "rewind",
    aliases: [],
    actions: [],
    summary: "Go back to a moment of a session: its files, its conversation, or both.",
    usage: ["dacapo rewind <session> --to <seq> [--files | --conversation | --both] [--remove paths] [--yes]"],
    examples: [
      ["dacapo rewind latest --to 12", "files and conversation as they were after event 12"],
      ["dacapo rewind latest --to 40", "and forward again: what was there before going back is kept"],
      ["dacapo rewind 0190a1b2 --to 12 --files --remove notes.txt", "files alone; of yours made since, delete one"]
    ],
    load: () => import("./commands/Rewind.ts")
  },
  {
    name: "sessions",
    aliases: ["session"],
    actions: ["archive", "backup", "delete", "export", "fork", "import", "list", "name", "prune", "search", "show"],
    summary: "The sessions that are kept: list, search, show, carry and clear them.",
    usage: [
      "dacapo sessions list [--limit n]",
      "dacapo sessions search <words>",
      "dacapo sessions show <session> [--verbose]",
      "dacapo sessions name <session> <name>",
      "dacapo sessions fork <session> [--to seq] [--files]",
      "dacapo sessions export <session> [--format jsonl|markdown|html] [--redact]",
      "dacapo sessions import <file>",
      "dacapo sessions archive <session> | --days n",
      "dacapo sessions delete <session> [--yes]",
      "dacapo sessions prune --days n [--yes]",
      "dacapo sessions backup <file>"
    ],
    examples: [
      ["dacapo sessions list", "newest first"],
      ["dacapo sessions search \"race condition\" lock", "those with an event that holds the phrase and the word"],
      ["dacapo sessions show latest --verbose", "its events with their seqs, a line each"],
      ["dacapo sessions export latest --redact", "one file, without secrets, that replays elsewhere"],
      ["dacapo sessions prune --days 90", "delete what was not used for so long; asks before"]
    ],
    load: () => import("./commands/Sessions.ts")
  },
  {
    name: "skills",
    aliases: [],
    actions: ["list"],
    summary: "List the skills that the model is told of here, and what is left out and why.",
    usage: ["dacapo skills [list]"],
    examples: [["dacapo skills --output-format json", "the same for programs"]],
    load: () => import("./commands/Skills.ts")
  },
  {
    name: "stats",
    aliases: ["usage"],
    actions: [],
    summary: "Tokens and money by request, session, day or model, and what the cache saved.",
    usage: ["dacapo stats [--by request|session|day|model] [--session id] [--days n]"],
    examples: [
      ["dacapo stats --days 30", "each of the last 30 days (UTC)"],
      ["dacapo stats --session latest", "request by request, with the reason of each miss of the cache"]
    ],
    load: () => import("./commands/Stats.ts")
  },
  {
    name: "trust",
    aliases: [],
    actions: [],
    summary: "Let a folder's own settings, commands and servers act.",
    usage: ["dacapo trust [folder] [--revoke]"],
    examples: [
      ["dacapo trust", "this folder and all beneath it; says what acts from now on"],
      ["dacapo trust ../other --revoke", "take it back"]
    ],
    load: () => import("./commands/Trust.ts")
  },
  {
    name: "version",
    aliases: [],
    actions: [],
    summary: "Show the version.",
    usage: ["dacapo --version"],
    examples: [],
    load: () => import("./commands/Version.ts")
  }
]

/** The command that a word names. */
export const named: ReadonlyMap<string, Command> = new Map(
  list.flatMap((command) => [command.name, ...command.aliases].map((name) => [name, command] as const))
)
