/** The commands, one line each; a command's file is loaded when it is called. */
import type * as Effect from "effect/Effect"
import type { Behind } from "./Args.ts"
import type { Conclusion } from "./Conclusion.ts"
import type { Failure } from "./ExitCode.ts"
import type * as Flags from "./Flags.ts"
import type { Host } from "./Host.ts"
import type { Wiring } from "./Wiring.ts"

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
    usage: ["efferent [flags] [prompt]", "efferent -p [flags] [prompt | -]"],
    examples: [
      ["efferent \"make the tests pass\"", "work on it here, asking before it acts"],
      ["efferent -p \"explain src/main.ts\"", "print the answer and leave"],
      ["git diff | efferent -p \"review this\"", "standard input goes with the prompt"],
      ["efferent -p --allowedTools \"Edit,Bash(npm test)\" \"fix the build\"", "allow edits and one command"],
      ["efferent -p --output-format stream-json --max-turns 20 \"add a flag\"", "one JSON message a line, for programs"],
      ["efferent --continue", "go on with the latest session of this folder"]
    ],
    load: () => import("./commands/Run.ts")
  },
  {
    name: "agents",
    aliases: [],
    actions: ["list"],
    summary: "List the agents that --agent can name here, and where each is written down.",
    usage: ["efferent agents [list]"],
    examples: [["efferent agents", "yours and those of a trusted project; also files that are none, and why"]],
    load: () => import("./commands/Agents.ts")
  },
  {
    name: "auth",
    aliases: [],
    actions: ["login", "logout", "status"],
    summary: "Keys of providers: keep one, forget it, say which are found and where.",
    usage: ["efferent auth login [provider]", "efferent auth logout <provider>", "efferent auth status"],
    examples: [
      ["efferent auth login anthropic", "asks for the key, and keeps it in the OS keyring or a file of mode 0600"],
      ["pass show openai | efferent auth login openai", "takes the key from standard input"],
      ["efferent auth status", "which keys are found, and where; never the keys"]
    ],
    load: () => import("./commands/Auth.ts")
  },
  {
    name: "checkpoints",
    aliases: ["checkpoint"],
    actions: ["list", "diff", "restore"],
    summary: "The files of a session at its moments: list, compare, go back.",
    usage: [
      "efferent checkpoints list [--session id]",
      "efferent checkpoints diff <from> [to]",
      "efferent checkpoints restore <checkpoint> [--remove paths] [--yes]"
    ],
    examples: [
      ["efferent checkpoints list", "those of this folder's latest session"],
      ["efferent checkpoints diff 3f2a91c", "what changed since"],
      ["efferent checkpoints restore 3f2a91c", "bring its files back; what is there now is saved before"]
    ],
    load: () => import("./commands/Checkpoints.ts")
  },
  {
    name: "completion",
    aliases: [],
    actions: ["bash", "zsh", "fish"],
    summary: "Print completions for a shell.",
    usage: ["efferent completion bash|zsh|fish"],
    examples: [["source <(efferent completion bash)", "complete flags and commands from now on"]],
    load: () => import("./commands/Completion.ts")
  },
  {
    name: "diff",
    aliases: [],
    actions: [],
    summary: "What the files of two moments differ by: a patch, or counts.",
    usage: ["efferent diff <a> [b] [--session id] [--stat]"],
    examples: [
      ["efferent diff 3f2a91c", "from a checkpoint to the files as they are now"],
      ["efferent diff 12 40 --stat", "between two events of this folder's latest session"],
      ["efferent diff 0190a1b2@12 0190c3d4@7", "between events of two sessions"]
    ],
    load: () => import("./commands/Diff.ts")
  },
  {
    name: "config",
    aliases: [],
    actions: ["get", "list", "schema", "set"],
    summary: "Settings: what holds, where it is written, and changing it.",
    usage: ["efferent config list", "efferent config get <name>", "efferent config set <name> [value]", "efferent config schema"],
    examples: [
      ["efferent config set model anthropic/claude-sonnet-4-5", "the model where nothing names one"],
      ["efferent config set permissions.deny '[\"Bash(rm:*)\"]'", "a value may be JSON; without one the setting is taken out"],
      ["efferent config schema", "what may stand in config.jsonc, for editors"]
    ],
    load: () => import("./commands/Config.ts")
  },
  {
    name: "context",
    aliases: [],
    actions: [],
    summary: "Show what fills a session's window: every section and item, with tokens and reason.",
    usage: ["efferent context [session]"],
    examples: [
      ["efferent context", "the latest session of this folder"],
      ["efferent context 01998f3a --output-format json", "the same for programs"]
    ],
    load: () => import("./commands/Context.ts")
  },
  {
    name: "demo",
    aliases: [],
    actions: [],
    summary: "Watch the real agent repair a small project, with a scripted model.",
    usage: ["efferent demo"],
    examples: [["efferent demo", "no key and no network needed"]],
    load: () => import("./commands/Demo.ts")
  },
  {
    name: "doctor",
    aliases: [],
    actions: [],
    summary: "Say what is found here: versions, keys, git, sandbox, trust, what was left running.",
    usage: ["efferent doctor [--orphans]"],
    examples: [["efferent doctor --output-format json", "the same for programs"]],
    load: () => import("./commands/Doctor.ts")
  },
  {
    name: "fsck",
    aliases: [],
    actions: [],
    summary: "Check all that is kept of sessions, and mend what can be mended.",
    usage: ["efferent fsck [--rebuild]"],
    examples: [
      ["efferent fsck", "exit 0 if every event of every session is whole, 59 if not, with what is wrong"],
      ["efferent fsck --rebuild", "a new store of every whole event; the damaged one is kept"]
    ],
    load: () => import("./commands/Fsck.ts")
  },
  {
    name: "help",
    aliases: [],
    actions: [],
    summary: "Show help, of a command or on exit-codes.",
    usage: ["efferent help [command | exit-codes]"],
    examples: [["efferent help sessions", "one command's help"]],
    load: () => import("./commands/Help.ts")
  },
  {
    name: "init",
    aliases: [],
    actions: [],
    summary: "Begin a file of rules for this project: AGENTS.md.",
    usage: ["efferent init"],
    examples: [["efferent init", "with the commands that the project's own files tell; what is there already stays"]],
    load: () => import("./commands/Init.ts")
  },
  {
    name: "mcp",
    aliases: [],
    actions: ["add", "auth", "list", "new", "remove", "serve", "test"],
    summary: "MCP servers, whose tools the agent uses; and serving its own tools to others.",
    usage: [
      "efferent mcp add <name> [flags] -- <command> [args]",
      "efferent mcp add <name> [flags] <url>",
      "efferent mcp auth <name> [--revoke]",
      "efferent mcp list",
      "efferent mcp new <name> [folder]",
      "efferent mcp remove <name>",
      "efferent mcp serve [--port n] [flags]",
      "efferent mcp test [name]"
    ],
    examples: [
      ["efferent mcp add files -- npx -y @modelcontextprotocol/server-filesystem .", "a server that is started here"],
      ["efferent mcp add docs https://mcp.example.com/mcp --scope project", "one at an address, for all who work on this project"],
      ["efferent mcp list", "the servers for this folder, and the file that names each"],
      ["efferent mcp auth docs", "log in to it in the browser; the tokens are kept like keys"],
      ["efferent mcp test files", "connect to one, and list its tools"],
      ["efferent mcp new weather", "lay out a small server with a test"],
      ["efferent mcp serve --allowedTools Edit", "offer our own tools to another program; what no rule allows is asked or denied"]
    ],
    load: () => import("./commands/Mcp.ts")
  },
  {
    name: "memory",
    aliases: [],
    actions: ["init"],
    summary: "Make a memory bank: files in which a project's knowledge outlives its sessions.",
    usage: ["efferent memory init"],
    examples: [["efferent memory init", "make memory-bank/ here; what is there already stays"]],
    load: () => import("./commands/Memory.ts")
  },
  {
    name: "models",
    aliases: [],
    actions: [],
    summary: "List the models that are known, with window and price.",
    usage: ["efferent models [word] [--refresh]"],
    examples: [
      ["efferent models sonnet", "those whose name has this word"],
      ["efferent models --refresh", "get the newest catalogue first"]
    ],
    load: () => import("./commands/Models.ts")
  },
  {
    name: "policy",
    aliases: [],
    actions: ["check"],
    summary: "Try permission rules over recorded sessions: what they would block, ask, allow.",
    usage: ["efferent policy check [rules] [--sessions last:n]"],
    examples: [
      ["efferent policy check", "this folder's settings over the last 20 sessions"],
      ["efferent policy check stricter.jsonc --sessions last:100", "rules of a file: { \"deny\": [\"Bash(rm:*)\"] }"]
    ],
    load: () => import("./commands/Policy.ts")
  },
  {
    name: "replay",
    aliases: [],
    actions: [],
    summary: "Run a recorded session again from its log: no network, no process, no write.",
    usage: ["efferent replay <session | file> [--verify] [--until seq] [--speed n] [--screen]", "efferent replay <session | file> [--until seq] --live [flags] [prompt]"],
    examples: [
      ["efferent replay latest --verify", "exit 0 if every event is the same, hash for hash; 57 at the first that is not"],
      ["efferent replay bug.jsonl --speed 1", "watch an exported session as it went"],
      ["efferent replay latest --until 40 --live --model openai/gpt-5", "go on from event 40 in a fork, with another model"]
    ],
    load: () => import("./commands/Replay.ts")
  },
  {
    name: "rewind",
    aliases: [],
    actions: [],
    summary: "Go back to a moment of a session: its files, its conversation, or both.",
    usage: ["efferent rewind <session> --to <seq> [--files | --conversation | --both] [--remove paths] [--yes]"],
    examples: [
      ["efferent rewind latest --to 12", "files and conversation as they were after event 12"],
      ["efferent rewind latest --to 40", "and forward again: what was there before going back is kept"],
      ["efferent rewind 0190a1b2 --to 12 --files --remove notes.txt", "files alone; of yours made since, delete one"]
    ],
    load: () => import("./commands/Rewind.ts")
  },
  {
    name: "sessions",
    aliases: ["session"],
    actions: ["archive", "backup", "delete", "export", "fork", "import", "list", "name", "prune", "search", "show"],
    summary: "The sessions that are kept: list, search, show, carry and clear them.",
    usage: [
      "efferent sessions list [--limit n]",
      "efferent sessions search <words>",
      "efferent sessions show <session> [--verbose]",
      "efferent sessions name <session> <name>",
      "efferent sessions fork <session> [--to seq] [--files]",
      "efferent sessions export <session> [--format jsonl|markdown|html] [--redact]",
      "efferent sessions import <file>",
      "efferent sessions archive <session> | --days n",
      "efferent sessions delete <session> [--yes]",
      "efferent sessions prune --days n [--yes]",
      "efferent sessions backup <file>"
    ],
    examples: [
      ["efferent sessions list", "newest first"],
      ["efferent sessions search \"race condition\" lock", "those with an event that holds the phrase and the word"],
      ["efferent sessions show latest --verbose", "its events with their seqs, a line each"],
      ["efferent sessions export latest --redact", "one file, without secrets, that replays elsewhere"],
      ["efferent sessions prune --days 90", "delete what was not used for so long; asks before"]
    ],
    load: () => import("./commands/Sessions.ts")
  },
  {
    name: "skills",
    aliases: [],
    actions: ["list"],
    summary: "List the skills that the model is told of here, and what is left out and why.",
    usage: ["efferent skills [list]"],
    examples: [["efferent skills --output-format json", "the same for programs"]],
    load: () => import("./commands/Skills.ts")
  },
  {
    name: "stats",
    aliases: ["usage"],
    actions: [],
    summary: "Tokens and money by request, session, day or model, and what the cache saved.",
    usage: ["efferent stats [--by request|session|day|model] [--session id] [--days n]"],
    examples: [
      ["efferent stats --days 30", "each of the last 30 days (UTC)"],
      ["efferent stats --session latest", "request by request, with the reason of each miss of the cache"]
    ],
    load: () => import("./commands/Stats.ts")
  },
  {
    name: "trust",
    aliases: [],
    actions: [],
    summary: "Let a folder's own settings, commands and servers act.",
    usage: ["efferent trust [folder] [--revoke]"],
    examples: [
      ["efferent trust", "this folder and all beneath it; says what acts from now on"],
      ["efferent trust ../other --revoke", "take it back"]
    ],
    load: () => import("./commands/Trust.ts")
  },
  {
    name: "version",
    aliases: [],
    actions: [],
    summary: "Show the version.",
    usage: ["efferent --version"],
    examples: [],
    load: () => import("./commands/Version.ts")
  }
]

/** The command that a word names. */
export const named: ReadonlyMap<string, Command> = new Map(
  list.flatMap((command) => [command.name, ...command.aliases].map((name) => [name, command] as const))
)
