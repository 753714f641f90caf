/** The flags of single commands, and those that every command knows. */
import type { Flag } from "./Flag.ts"

export const others = {
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
    doc: "End what an dacapo that was killed left running, and say what it was.",
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
    on: ["run", "replay"]
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
