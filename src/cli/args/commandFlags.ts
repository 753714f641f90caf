/** Flags of single commands, and flags that every command accepts. */
import type { Flag } from "./Flag.ts"

export const commandFlags = {
  until: {
    names: ["--until"],
    kind: { _tag: "Text", value: "seq" },
    doc: "Replay up to and including this event.",
    commands: ["replay"]
  },
  live: {
    names: ["--live"],
    kind: { _tag: "Switch" },
    doc: "Continue from there in a fork, with the real model, files and commands.",
    commands: ["replay"]
  },
  speed: {
    names: ["--speed"],
    kind: { _tag: "Text", value: "n" },
    doc: "Playback speed: 0 for no pauses (default), 1 for the original speed.",
    commands: ["replay"]
  },
  screen: {
    names: ["--screen"],
    kind: { _tag: "Switch" },
    doc: "Show the terminal screen as it was, with its status line.",
    commands: ["replay"]
  },
  verify: {
    names: ["--verify"],
    kind: { _tag: "Switch" },
    doc: "Only check that every event of the replay has the recorded hash.",
    commands: ["replay"]
  },
  archived: {
    names: ["--archived"],
    kind: { _tag: "Switch" },
    doc: "Include archived sessions in the list.",
    commands: ["sessions"]
  },
  rebuild: {
    names: ["--rebuild"],
    kind: { _tag: "Switch" },
    doc: "Build a new store from the intact events, and keep the damaged one.",
    commands: ["fsck"]
  },
  refresh: {
    names: ["--refresh"],
    kind: { _tag: "Switch" },
    doc: "Update the model catalogue from models.dev first.",
    commands: ["models"]
  },
  limit: {
    names: ["--limit"],
    kind: { _tag: "Number", value: "n", integer: true },
    doc: "Maximum number of sessions to list.",
    commands: ["sessions"]
  },
  session: {
    names: ["--session"],
    kind: { _tag: "Text", value: "session" },
    doc: "Session id or name (default: the latest in this folder).",
    commands: ["checkpoints", "diff", "stats"]
  },
  to: {
    names: ["--to"],
    kind: { _tag: "Text", value: "seq" },
    doc: "Event number to rewind to or fork at.",
    commands: ["rewind", "run", "sessions"]
  },
  files: {
    names: ["--files"],
    kind: { _tag: "Switch" },
    doc: "Restore the files as of that event.",
    commands: ["rewind", "run", "sessions", "replay"]
  },
  conversation: {
    names: ["--conversation"],
    kind: { _tag: "Switch" },
    doc: "Restore the conversation as of that event.",
    commands: ["rewind"]
  },
  both: {
    names: ["--both"],
    kind: { _tag: "Switch" },
    doc: "Restore files and conversation (default).",
    commands: ["rewind"]
  },
  sessions: {
    names: ["--sessions"],
    kind: { _tag: "Text", value: "sessions" },
    doc: "Sessions to test: last:N or comma-separated ids (default: last:20).",
    commands: ["policy"]
  },
  revoke: {
    names: ["--revoke"],
    kind: { _tag: "Switch" },
    doc: "Stop trusting the folder; for mcp auth, delete the login.",
    commands: ["mcp", "trust"]
  },
  orphans: {
    names: ["--orphans"],
    kind: { _tag: "Switch" },
    doc: "End processes left running by a dacapo that was killed.",
    commands: ["doctor"]
  },
  remove: {
    names: ["--remove"],
    kind: { _tag: "List", value: "paths" },
    doc: "Also delete these files, created since; other new files are kept.",
    commands: ["checkpoints", "rewind"]
  },
  by: {
    names: ["--by"],
    kind: { _tag: "Choice", value: "unit", choices: ["request", "session", "day", "model", "provider"] },
    doc: "Group by this (default: day; request for a single session).",
    commands: ["stats"]
  },
  days: {
    names: ["--days"],
    kind: { _tag: "Number", value: "n", integer: false },
    doc: "Sessions unused for this many days; for stats, the last n days.",
    commands: ["sessions", "stats"]
  },
  format: {
    names: ["--format"],
    kind: { _tag: "Choice", choices: ["jsonl", "markdown", "html"], aliases: { md: "markdown", json: "jsonl" } },
    doc: "Export format: jsonl to import and replay, or a document to read.",
    commands: ["sessions"]
  },
  redact: {
    names: ["--redact"],
    kind: { _tag: "Switch" },
    doc: "Remove secrets from the export; it still replays.",
    commands: ["sessions"]
  },
  preview: {
    names: ["--preview"],
    kind: { _tag: "Switch" },
    doc: "Show the first request of a new session; nothing is sent.",
    commands: ["context"]
  },
  dryRun: {
    names: ["--dry-run"],
    kind: { _tag: "Switch" },
    doc: "Show what would be imported, and change nothing.",
    commands: ["import"]
  },
  send: {
    names: ["--send"],
    kind: { _tag: "Switch" },
    doc: "Send the spans to OTEL_EXPORTER_OTLP_ENDPOINT instead of printing them.",
    commands: ["telemetry"]
  },
  content: {
    names: ["--content"],
    kind: { _tag: "Switch" },
    doc: "Include prompts, responses, tool arguments and tool results.",
    commands: ["telemetry"]
  },
  stat: {
    names: ["--stat"],
    kind: { _tag: "Switch" },
    doc: "Show line counts instead of a patch.",
    commands: ["checkpoints", "diff"]
  },
  pin: {
    names: ["--pin"],
    kind: { _tag: "Text", value: "hash" },
    doc: "Install only content with this hash.",
    commands: ["plugin"]
  },
  allowCode: {
    names: ["--allow-code"],
    kind: { _tag: "Text", value: "hash" },
    doc: "Let the plugin's code run in dacapo's own process, if its content has this hash.",
    commands: ["plugin"]
  },
  mcpConfig: {
    names: ["--mcp-config"],
    kind: { _tag: "Each", value: "file or json" },
    doc: "Additional MCP servers for this run.",
    commands: ["run", "replay", "acp", "serve", "runner"]
  },
  port: {
    names: ["--port"],
    kind: { _tag: "Number", value: "n", integer: true },
    doc: "Serve over HTTP on this port, protected by a token (mcp serve: instead of standard input and output).",
    commands: ["mcp", "serve"]
  },
  cluster: {
    names: ["--cluster"],
    kind: { _tag: "Switch" },
    doc: "Serve the sessions of the runners that share the session store (--storage).",
    commands: ["serve"]
  },
  listen: {
    names: ["--listen"],
    kind: { _tag: "Text", value: "host:port" },
    doc: "Accept connections of servers and other runners at this address.",
    commands: ["runner"]
  },
  advertise: {
    names: ["--advertise"],
    kind: { _tag: "Text", value: "host:port" },
    doc: "The address under which others reach this runner (default: that of --listen).",
    commands: ["runner"]
  },
  workspaces: {
    names: ["--workspaces"],
    kind: { _tag: "Text", value: "folder" },
    doc: "Where each session gets a folder of its own; the same path on all runners (default: in the data folder).",
    commands: ["runner"]
  },
  tenants: {
    names: ["--tenants"],
    kind: { _tag: "Text", value: "file" },
    doc: "With --cluster: serve the tenants in this file, each with its own tokens, sessions and limits.",
    commands: ["serve"]
  },
  secrets: {
    names: ["--secrets"],
    kind: { _tag: "Text", value: "folder" },
    doc: "The tenants' keys: a folder for each, with a file for each key, such as acme/ANTHROPIC_API_KEY.",
    commands: ["runner"]
  },
  host: {
    names: ["--host"],
    kind: { _tag: "Text", value: "address" },
    doc: "Serve on this address or host name instead of 127.0.0.1; anything but this machine needs TLS.",
    commands: ["serve"]
  },
  tlsCert: {
    names: ["--tls-cert"],
    kind: { _tag: "Text", value: "file" },
    doc: "Serve over HTTPS with this certificate (PEM).",
    commands: ["serve"]
  },
  tlsKey: {
    names: ["--tls-key"],
    kind: { _tag: "Text", value: "file" },
    doc: "The private key of the certificate (PEM).",
    commands: ["serve"]
  },
  insecureHttp: {
    names: ["--insecure-http"],
    kind: { _tag: "Switch" },
    doc: "With --host: serve without TLS. Everyone on that network can read the token and what the sessions contain.",
    commands: ["serve"]
  },
  tokenFile: {
    names: ["--token-file"],
    kind: { _tag: "Text", value: "file" },
    doc: "Write the token to this private file while serving, instead of printing it; with --attach, read it from there.",
    commands: ["mcp", "serve", "run"]
  },
  stdio: {
    names: ["--stdio"],
    kind: { _tag: "Switch" },
    doc: "Serve one client on standard input and output, for a tunnel such as ssh.",
    commands: ["serve"]
  },
  socket: {
    names: ["--socket"],
    kind: { _tag: "Switch" },
    doc: "Serve over HTTP on a private Unix socket.",
    commands: ["mcp"]
  },
  scope: {
    names: ["--scope"],
    kind: { _tag: "Choice", choices: ["user", "project"] },
    doc: "Where to save a server: your settings (default), or .mcp.json in this folder.",
    commands: ["mcp"]
  },
  transport: {
    names: ["--transport"],
    kind: { _tag: "Choice", choices: ["stdio", "http", "sse"] },
    doc: "Transport of the server, if its URL does not imply it.",
    commands: ["mcp"]
  },
  env: {
    names: ["--env", "-e"],
    kind: { _tag: "Each", value: "name=value" },
    doc: "Environment variable for the server; ${NAME} is expanded when it starts.",
    commands: ["mcp"]
  },
  header: {
    names: ["--header", "-H"],
    kind: { _tag: "Each", value: "name: value" },
    doc: "HTTP header for a remote server.",
    commands: ["mcp"]
  },
  yes: {
    names: ["--yes", "-y"],
    kind: { _tag: "Switch" },
    doc: "Answer yes to confirmation prompts.",
    commands: ["checkpoints", "rewind", "run", "sessions", "replay"]
  },
  help: {
    names: ["--help", "-h"],
    kind: { _tag: "Switch" },
    doc: "Show help."
  },
  version: {
    names: ["--version", "-v", "-V"],
    kind: { _tag: "Switch" },
    doc: "Show the version."
  }
} as const satisfies Readonly<Record<string, Flag>>
