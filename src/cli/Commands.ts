/** The list of commands. The module of a command is loaded when the command runs. */
import type { Command } from "./Command.ts"

export const list: ReadonlyArray<Command> = [
  {
    name: "run",
    aliases: ["exec"],
    actions: [],
    summary: "Work on a task in the terminal, or headless with -p.",
    usage: ["dacapo [flags] [prompt]", "dacapo -p [flags] [prompt | -]"],
    examples: [
      ["dacapo \"make the tests pass\"", "start a session here; edits and commands need your approval"],
      ["dacapo -p \"explain src/main.ts\"", "print the response and exit"],
      ["git diff | dacapo -p \"review this\"", "add standard input to the prompt"],
      ["dacapo -p --allowedTools \"Edit,Bash(npm test)\" \"fix the build\"", "allow edits and one command without asking"],
      ["dacapo -p --output-format stream-json --max-turns 20 \"add a flag\"", "print one JSON message per line, for scripts"],
      ["dacapo --continue", "resume the latest session in this folder"]
    ],
    load: () => import("./commands/Run.ts")
  },
  {
    name: "acp",
    aliases: [],
    actions: [],
    summary: "Serve editors over the Agent Client Protocol, on standard input and output.",
    usage: ["dacapo acp [flags]"],
    examples: [["dacapo acp --permission-mode plan", "for an editor's settings: its sessions start in plan mode"]],
    load: () => import("./commands/Acp.ts")
  },
  {
    name: "agents",
    aliases: [],
    actions: ["list"],
    summary: "List the agent profiles available to --agent in this folder.",
    usage: ["dacapo agents [list]"],
    examples: [["dacapo agents", "list your profiles and the project's, and the files that were skipped"]],
    load: () => import("./commands/Agents.ts")
  },
  {
    name: "auth",
    aliases: [],
    actions: ["login", "logout", "status"],
    summary: "Manage API keys of providers and search services: save, delete, or show where each one comes from.",
    usage: ["dacapo auth login [provider]", "dacapo auth logout <provider>", "dacapo auth status"],
    examples: [
      ["dacapo auth login anthropic", "ask for a key and save it in the OS keyring or a private file"],
      ["pass show openai | dacapo auth login openai", "read the key from standard input"],
      ["dacapo auth login brave", "save the key of a search service (brave, exa, tavily, voyage)"],
      ["dacapo auth status", "show which providers have a key and where it was found"]
    ],
    load: () => import("./commands/Auth.ts")
  },
  {
    name: "checkpoints",
    aliases: ["checkpoint"],
    actions: ["list", "diff", "restore"],
    summary: "List, compare and restore the file checkpoints of a session.",
    usage: [
      "dacapo checkpoints list [--session id]",
      "dacapo checkpoints diff [from] [to]",
      "dacapo checkpoints restore <checkpoint> [--remove paths] [--yes]"
    ],
    examples: [
      ["dacapo checkpoints list", "list the checkpoints of the latest session in this folder"],
      ["dacapo checkpoints diff 3f2a91c", "show what changed since a checkpoint"],
      ["dacapo checkpoints restore 3f2a91c", "restore its files; the current files are saved first"]
    ],
    load: () => import("./commands/Checkpoints.ts")
  },
  {
    name: "completion",
    aliases: [],
    actions: ["bash", "zsh", "fish"],
    summary: "Print a shell completion script.",
    usage: ["dacapo completion bash|zsh|fish"],
    examples: [["source <(dacapo completion bash)", "complete commands and flags in this shell"]],
    load: () => import("./commands/Completion.ts")
  },
  {
    name: "config",
    aliases: [],
    actions: ["get", "list", "schema", "set"],
    summary: "Show and change settings.",
    usage: ["dacapo config list", "dacapo config get <name>", "dacapo config set <name> [value]", "dacapo config schema"],
    examples: [
      ["dacapo config set model anthropic/claude-sonnet-4-5", "set the default model"],
      ["dacapo config set permissions.deny '[\"Bash(rm:*)\"]'", "a value may be JSON; without a value, the setting is removed"],
      ["dacapo config set webSearch.route brave", "let the model search the web; others are anthropic, exa, openai, searxng, tavily"],
      ["dacapo config set codeSearch true", "let the model search code by keyword"],
      ["dacapo config schema", "print the JSON Schema of config.jsonc, for editors"]
    ],
    load: () => import("./commands/Config.ts")
  },
  {
    name: "context",
    aliases: [],
    actions: [],
    summary: "Show what fills a context window, or a session's first request.",
    usage: ["dacapo context [session]", "dacapo context --preview [message] [--model provider/model]"],
    examples: [
      ["dacapo context --preview \"fix the tests\"", "show the first request of a new session without sending it"],
      ["dacapo context", "show the latest session in this folder"],
      ["dacapo context 01998f3a --output-format json", "print the same as JSON"]
    ],
    load: () => import("./commands/Context.ts")
  },
  {
    name: "demo",
    aliases: [],
    actions: [],
    summary: "Watch the agent repair a small project, using a scripted model.",
    usage: ["dacapo demo"],
    examples: [["dacapo demo", "needs no API key and no network"]],
    load: () => import("./commands/Demo.ts")
  },
  {
    name: "diff",
    aliases: [],
    actions: [],
    summary: "Show what a session changed, or compare two points of it.",
    usage: ["dacapo diff [a] [b] [--session id] [--stat]"],
    examples: [
      ["dacapo diff", "show what the latest session in this folder changed"],
      ["dacapo diff 3f2a91c", "compare a checkpoint with the current files"],
      ["dacapo diff 12 40 --stat", "compare two events of the latest session in this folder"],
      ["dacapo diff 0190a1b2@12 0190c3d4@7", "compare events of two sessions"]
    ],
    load: () => import("./commands/Diff.ts")
  },
  {
    name: "doctor",
    aliases: [],
    actions: [],
    summary: "Check the installation: versions, keys, git, sandbox, trust, processes.",
    usage: ["dacapo doctor [--orphans]"],
    examples: [["dacapo doctor --output-format json", "print the checks as JSON"]],
    load: () => import("./commands/Doctor.ts")
  },
  {
    name: "fsck",
    aliases: [],
    actions: [],
    summary: "Check the stored sessions for damage, and repair the store.",
    usage: ["dacapo fsck [--rebuild]"],
    examples: [
      ["dacapo fsck", "exit with 0 if every event is intact, otherwise list the damage"],
      ["dacapo fsck --rebuild", "rebuild the store from the intact events; the damaged store is kept"]
    ],
    load: () => import("./commands/Fsck.ts")
  },
  {
    name: "help",
    aliases: [],
    actions: [],
    summary: "Show help for a command or topic.",
    usage: ["dacapo help [command | exit-codes]"],
    examples: [["dacapo help sessions", "show the help of one command"]],
    load: () => import("./commands/Help.ts")
  },
  {
    name: "import",
    aliases: [],
    actions: [],
    summary: "Import settings, MCP servers, agents and commands of other coding agents.",
    usage: ["dacapo import [claude | cline | codex | opencode | roo]... [--dry-run]"],
    examples: [
      ["dacapo import --dry-run", "show what would be imported from all of them, and what dacapo reads in place"],
      ["dacapo import claude", "import permission rules, hooks, servers and agents of Claude Code"]
    ],
    load: () => import("./commands/Import.ts")
  },
  {
    name: "init",
    aliases: [],
    actions: [],
    summary: "Create a rules file for this project (AGENTS.md).",
    usage: ["dacapo init"],
    examples: [["dacapo init", "include the project's build and test commands; never overwrites a file"]],
    load: () => import("./commands/Init.ts")
  },
  {
    name: "mcp",
    aliases: [],
    actions: ["add", "allow", "auth", "list", "new", "remove", "search", "serve", "test"],
    summary: "Manage MCP servers, and serve dacapo's tools over MCP.",
    usage: [
      "dacapo mcp add <name> [flags] -- <command> [args]",
      "dacapo mcp add <name> [flags] <url>",
      "dacapo mcp allow <name>...",
      "dacapo mcp auth <name> [--revoke]",
      "dacapo mcp list",
      "dacapo mcp new <name> [folder]",
      "dacapo mcp remove <name>",
      "dacapo mcp search <term>...",
      "dacapo mcp serve [--socket | --port n [--token-file file]] [flags]",
      "dacapo mcp test [name]"
    ],
    examples: [
      ["dacapo mcp add files -- npx -y @modelcontextprotocol/server-filesystem .", "add a server that runs as a local command"],
      ["dacapo mcp add docs https://mcp.example.com/mcp --scope project", "add a remote server for everyone who works on this project"],
      ["dacapo mcp list", "list the servers of this folder and where each is configured"],
      ["dacapo mcp allow docs", "approve a server of the project, with its current tools"],
      ["dacapo mcp auth docs", "log in to a remote server in the browser"],
      ["dacapo mcp test files", "connect to a server and list its tools"],
      ["dacapo mcp search github", "find servers in the public registry, with the command that adds each"],
      ["dacapo mcp new weather", "create a small server with a test"],
      ["dacapo mcp serve --allowedTools Edit", "serve dacapo's tools and tasks to another program, with edits allowed"]
    ],
    load: () => import("./commands/Mcp.ts")
  },
  {
    name: "memory",
    aliases: [],
    actions: ["init"],
    summary: "Create a memory bank: files that keep project knowledge across sessions.",
    usage: ["dacapo memory init"],
    examples: [["dacapo memory init", "create memory-bank/ here; never overwrites a file"]],
    load: () => import("./commands/Memory.ts")
  },
  {
    name: "models",
    aliases: [],
    actions: [],
    summary: "List models with their context window and price.",
    usage: ["dacapo models [term...] [--refresh]"],
    examples: [
      ["dacapo models sonnet", "list the models whose name contains a term"],
      ["dacapo models --refresh", "update the model catalogue first"]
    ],
    load: () => import("./commands/Models.ts")
  },
  {
    name: "plugin",
    aliases: ["plugins"],
    actions: ["disable", "enable", "install", "list", "new", "remove", "update"],
    summary: "Manage plugins: commands, agents, skills, hooks, MCP servers, tools and code from others.",
    usage: [
      "dacapo plugin install <folder | file.tgz | git-url[#ref] | npm-name> [--pin hash] [--allow-code hash]",
      "dacapo plugin list",
      "dacapo plugin enable <name> [--allow-code hash]",
      "dacapo plugin disable <name>",
      "dacapo plugin update <name> [--pin hash] [--allow-code hash]",
      "dacapo plugin remove <name>",
      "dacapo plugin new <name> [folder]"
    ],
    examples: [
      ["dacapo plugin install ./release-tools", "copy a plugin from a folder, and list what it adds and runs"],
      ["dacapo plugin install https://github.com/example/plugin#v1.2", "install a tag of a Git repository"],
      ["dacapo plugin enable release-tools --allow-code sha256-9f2c…", "let exactly this content run code in dacapo itself"],
      ["dacapo plugin new release-tools", "create a plugin with a test"]
    ],
    load: () => import("./commands/Plugin.ts")
  },
  {
    name: "policy",
    aliases: [],
    actions: ["check"],
    summary: "Test permission rules against recorded sessions.",
    usage: ["dacapo policy check [rules] [--sessions last:n]"],
    examples: [
      ["dacapo policy check", "test this folder's settings against the last 20 sessions"],
      ["dacapo policy check stricter.jsonc --sessions last:100", "test the rules of a file, such as { \"deny\": [\"Bash(rm:*)\"] }"]
    ],
    load: () => import("./commands/Policy.ts")
  },
  {
    name: "replay",
    aliases: [],
    actions: [],
    summary: "Replay a session from its log: no network, no commands, no file changes.",
    usage: [
      "dacapo replay <session | file> [--verify] [--until seq] [--speed n] [--screen]",
      "dacapo replay <session | file> [--until seq] --live [flags] [prompt]"
    ],
    examples: [
      ["dacapo replay latest --verify", "exit with 0 if every event matches, 57 at the first that differs"],
      ["dacapo replay bug.jsonl --speed 1", "watch an exported session at its original speed"],
      ["dacapo replay latest --until 40 --live --model openai/gpt-5", "continue from event 40 in a fork, with another model"]
    ],
    load: () => import("./commands/Replay.ts")
  },
  {
    name: "rewind",
    aliases: [],
    actions: [],
    summary: "Rewind a session: its files, its conversation, or both.",
    usage: ["dacapo rewind <session> --to <seq> [--files | --conversation] [flags]"],
    examples: [
      ["dacapo rewind latest --to 12", "restore files and conversation as of event 12"],
      ["dacapo rewind latest --to 40", "go forward again: a rewind deletes nothing"],
      ["dacapo rewind 0190a1b2 --to 12 --files --remove notes.txt", "restore only the files, and delete one that was created since"]
    ],
    load: () => import("./commands/Rewind.ts")
  },
  {
    name: "runner",
    aliases: [],
    actions: [],
    summary: "Run sessions of a cluster, until it is stopped.",
    usage: [
      "dacapo runner --listen host:port [--storage address] [--advertise host:port] [--workspaces folder] [--secrets folder] [flags]"
    ],
    examples: [
      [
        "dacapo runner --storage postgres://db.example.com/agents --listen 127.0.0.1:7801",
        "run the sessions that the cluster gives to this runner; commands run in the sandbox"
      ],
      ["dacapo runner --listen 0.0.0.0:7801 --advertise runner-1:7801", "with DACAPO_STORAGE, in a private network of containers"],
      ["dacapo runner --listen 127.0.0.1:7801 --secrets /run/secrets/tenants", "with the tenants' own keys"]
    ],
    load: () => import("./commands/Runner.ts")
  },
  {
    name: "serve",
    aliases: [],
    actions: [],
    summary: "Serve sessions to programs over HTTP on this machine.",
    usage: [
      "dacapo serve [--port n] [--token-file file] [flags]",
      "dacapo serve --host address --tls-cert file --tls-key file [flags]",
      "dacapo serve --stdio [flags]",
      "dacapo serve --cluster [--storage address] [--tenants file] [flags]"
    ],
    examples: [
      ["dacapo serve --port 7700", "print the address and the token; the API is described at /openapi.json"],
      ["dacapo serve --stdio", "serve one client over a tunnel, such as `dacapo --attach \"ssh host dacapo serve --stdio\"`"],
      ["dacapo serve --cluster --port 7700", "serve the sessions of a cluster, which `dacapo runner` runs"],
      ["dacapo serve --cluster --tenants tenants.json", "the same for several tenants, each with its own sessions and limits"]
    ],
    load: () => import("./commands/Serve.ts")
  },
  {
    name: "sessions",
    aliases: ["session"],
    actions: ["archive", "backup", "delete", "export", "fork", "import", "list", "name", "prune", "restore-files", "search", "show"],
    summary: "List, search, show, export and delete stored sessions.",
    usage: [
      "dacapo sessions list [--limit n] [--archived]",
      "dacapo sessions search <text>",
      "dacapo sessions show <session> [--verbose]",
      "dacapo sessions name <session> <name>",
      "dacapo sessions favourite|unfavourite <session>",
      "dacapo sessions fork <session> [--to seq] [--files]",
      "dacapo sessions export <session> [--format jsonl|markdown|html] [--redact]",
      "dacapo sessions import <file>",
      "dacapo sessions restore-files <session> [folder]",
      "dacapo sessions archive <session> | --days n",
      "dacapo sessions delete <session> [--yes]",
      "dacapo sessions prune --days n [--yes]",
      "dacapo sessions backup <file>"
    ],
    examples: [
      ["dacapo sessions list", "list sessions, newest first"],
      ["dacapo sessions search \"race condition\" lock", "find events that contain both the phrase and the word"],
      ["dacapo sessions show latest --verbose", "list its events and their numbers, one per line"],
      ["dacapo sessions export latest --redact", "export to one file without secrets that replays anywhere"],
      ["dacapo sessions import rollout.jsonl", "import an exported session, or a conversation of Claude Code or Codex"],
      ["dacapo sessions restore-files 0f2c7d1e", "rebuild its folder on this machine (setting \"storeFiles\")"],
      ["dacapo sessions prune --days 90", "delete sessions unused for 90 days, after asking"]
    ],
    load: () => import("./commands/Sessions.ts")
  },
  {
    name: "skills",
    aliases: [],
    actions: ["list"],
    summary: "List the skills available in this folder, and those that were skipped.",
    usage: ["dacapo skills [list]"],
    examples: [["dacapo skills --output-format json", "print the skills as JSON"]],
    load: () => import("./commands/Skills.ts")
  },
  {
    name: "stats",
    aliases: ["usage"],
    actions: [],
    summary: "Show tokens, cost and cache hits by request, session, day or model.",
    usage: ["dacapo stats [--by request|session|day|model] [--session id] [--days n]"],
    examples: [
      ["dacapo stats --days 30", "show each of the last 30 days (UTC)"],
      ["dacapo stats --session latest", "show each request, with the reason for each cache miss"]
    ],
    load: () => import("./commands/Stats.ts")
  },
  {
    name: "telemetry",
    aliases: [],
    actions: ["export"],
    summary: "Export a session as OpenTelemetry spans.",
    usage: ["dacapo telemetry export [session] [--content] [--send]"],
    examples: [
      ["dacapo telemetry export latest", "print the spans of the latest session as OTLP JSON"],
      ["dacapo telemetry export latest --send", "send them to the collector at OTEL_EXPORTER_OTLP_ENDPOINT"]
    ],
    load: () => import("./commands/Telemetry.ts")
  },
  {
    name: "trust",
    aliases: [],
    actions: [],
    summary: "Trust a folder, so that its settings, commands and servers take effect.",
    usage: ["dacapo trust [folder] [--revoke]"],
    examples: [
      ["dacapo trust", "trust this folder and its subfolders, and list what takes effect"],
      ["dacapo trust ../other --revoke", "stop trusting a folder"]
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

/** Commands by name and alias. */
export const byName: ReadonlyMap<string, Command> = new Map(
  list.flatMap((command) => [command.name, ...command.aliases].map((name) => [name, command] as const))
)
