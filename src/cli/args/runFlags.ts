/** The flags of a run: model, permissions, limits, session, folder and output. */
import type { Flag } from "./Flag.ts"

const run = ["run"] as const
/** A run, and a replay that continues as one (`--live`). */
const runAndReplay = ["run", "replay"] as const
/** Runs, and the sessions of clients. */
const runAndServers = ["run", "acp", "serve", "runner"] as const
const sessions = [...runAndReplay, "acp", "serve", "runner"] as const
/** Commands that check permissions: sessions, and tools and tasks served over MCP. */
const withPermissions = [...sessions, "mcp"] as const

/** Matches a session id: a UUID or its first eight or more digits, or `latest`. */
const sessionPattern = /^(latest|[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?)$/i

export const runFlags = {
  print: {
    names: ["--print", "-p"],
    kind: { _tag: "Switch" },
    doc: "Print the response and exit, without prompting (headless).",
    commands: runAndReplay
  },
  model: {
    names: ["--model", "-m"],
    kind: { _tag: "Text", value: "provider/model" },
    doc: "Model to use; scripted/<file> plays a script.",
    commands: [...withPermissions, "context", "sessions"]
  },
  effort: {
    names: ["--effort"],
    kind: { _tag: "Choice", value: "level", choices: ["none", "minimal", "low", "medium", "high", "xhigh", "max"] },
    doc: "Reasoning effort; the same as provider/model:effort.",
    commands: sessions
  },
  planModel: {
    names: ["--plan-model"],
    kind: { _tag: "Text", value: "provider/model" },
    doc: "Model to use in plan mode.",
    commands: runAndServers
  },
  fallbackModel: {
    names: ["--fallback-model"],
    kind: { _tag: "List", value: "models" },
    doc: "Models to switch to, in this order, when a request fails; the first model is tried again after 10 minutes.",
    commands: sessions
  },
  cheapModel: {
    names: ["--cheap-model"],
    kind: { _tag: "Text", value: "provider/model" },
    doc: "Model for summaries and titles (default: the provider's cheapest with a large enough window).",
    commands: runAndServers
  },
  baseUrl: {
    names: ["--base-url"],
    kind: { _tag: "Text", value: "url" },
    doc: "URL of the model server, instead of the provider's.",
    commands: [...sessions, "models", "doctor"]
  },
  toolFormat: {
    names: ["--tool-format"],
    kind: { _tag: "Choice", choices: ["auto", "native", "xml"] },
    doc: "How the model calls tools: natively, or as XML in its text. auto chooses by model.",
    commands: sessions
  },
  permissionMode: {
    names: ["--permission-mode", "--approval-mode"],
    kind: {
      _tag: "Choice",
      choices: ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"],
      aliases: { auto_edit: "acceptEdits", yolo: "bypassPermissions" }
    },
    doc: "What is allowed without asking.",
    commands: withPermissions
  },
  allowedTools: {
    names: ["--allowedTools", "--allowed-tools"],
    kind: { _tag: "List", value: "rules" },
    doc: "Permission rules that allow, such as \"Bash(git log *)\" or Read.",
    commands: withPermissions
  },
  disallowedTools: {
    names: ["--disallowedTools", "--disallowed-tools"],
    kind: { _tag: "List", value: "rules" },
    doc: "Permission rules that deny; they override all others.",
    commands: withPermissions
  },
  tools: {
    names: ["--tools"],
    kind: { _tag: "List", value: "names" },
    doc: "Tools to offer the model, such as read_file,bash; \"\" for none, default for all.",
    commands: run
  },
  bare: {
    names: ["--bare"],
    kind: { _tag: "Switch" },
    doc: "Use only what this command line names: no rules files, memory, skills, commands or configured MCP servers.",
    commands: runAndServers
  },
  maxTurns: {
    names: ["--max-turns"],
    kind: { _tag: "Number", value: "n", integer: true },
    doc: "Turn limit: stop after this many responses of the model.",
    commands: withPermissions
  },
  maxBudgetUsd: {
    names: ["--max-budget-usd"],
    kind: { _tag: "Number", value: "usd", integer: false },
    doc: "Cost limit: a request that could exceed it is not sent.",
    commands: withPermissions
  },
  maxTokensTotal: {
    names: ["--max-tokens-total"],
    kind: { _tag: "Number", value: "n", integer: true },
    doc: "Token limit, for input and output together.",
    commands: runAndServers
  },
  timeout: {
    names: ["--timeout"],
    kind: { _tag: "Number", value: "seconds", integer: false },
    doc: "Time limit for the task.",
    commands: [...runAndReplay, "mcp"]
  },
  maxWait: {
    names: ["--max-wait"],
    kind: { _tag: "Number", value: "seconds", integer: false, min: 0 },
    doc: "How long to wait for an unavailable provider after all retries (default: 600; 0: do not wait).",
    commands: run
  },
  onAsk: {
    names: ["--on-ask"],
    kind: { _tag: "Choice", choices: ["deny", "exit"] },
    doc: "Headless, when an approval is needed: deny it and continue, or exit with code 58.",
    commands: runAndReplay
  },
  sandbox: {
    names: ["--sandbox"],
    kind: { _tag: "Choice", choices: ["read-only", "workspace-write", "danger-full-access"] },
    doc: "What commands may change: nothing, this folder, or anything (no sandbox).",
    commands: runAndServers
  },
  sandboxNetwork: {
    names: ["--sandbox-network"],
    kind: { _tag: "Switch" },
    doc: "Allow commands in the sandbox to use the network.",
    commands: runAndServers
  },
  addDir: {
    names: ["--add-dir", "--include-directories"],
    kind: { _tag: "Each", value: "folder" },
    doc: "Add this folder to the workspace. Its files are not part of checkpoints.",
    commands: runAndReplay
  },
  agent: {
    names: ["--agent"],
    kind: { _tag: "Text", value: "name", completionCommand: "dacapo agents 2>/dev/null | sed -n \"s/^· \\([^ ]*\\).*/\\1/p\"" },
    doc: "Use an agent profile: a Markdown file with a prompt, tools, model and mode.",
    commands: run
  },
  systemPrompt: {
    names: ["--system-prompt"],
    kind: { _tag: "Text", value: "text" },
    doc: "Replace dacapo's own text at the start of the system prompt.",
    commands: run
  },
  appendSystemPrompt: {
    names: ["--append-system-prompt"],
    kind: { _tag: "Text", value: "text" },
    doc: "Append this text to the system prompt.",
    commands: run
  },
  jsonSchema: {
    names: ["--json-schema", "--output-schema"],
    kind: { _tag: "Text", value: "schema" },
    doc: "Require a JSON result that conforms to this JSON Schema (inline or a file).",
    commands: run
  },
  outputLastMessage: {
    names: ["--output-last-message", "-o"],
    kind: { _tag: "Text", value: "file" },
    doc: "Also write the final response to this file.",
    commands: run
  },
  resume: {
    names: ["--resume", "-r"],
    kind: { _tag: "Maybe", value: "session", pattern: sessionPattern },
    doc: "Resume a session by id, start of its id, name, or latest.",
    commands: run
  },
  attach: {
    names: ["--attach"],
    kind: { _tag: "Text", value: "server" },
    doc: "Work in a session of a running server: its address with #token=…, or a command such as \"ssh host dacapo serve --stdio\".",
    commands: run
  },
  continue: {
    names: ["--continue", "-c"],
    kind: { _tag: "Switch" },
    doc: "Resume the latest session in this folder.",
    commands: run
  },
  forkSession: {
    names: ["--fork-session", "--fork"],
    kind: { _tag: "Switch" },
    doc: "With --resume or --continue: continue in a new session and leave the original unchanged.",
    commands: run
  },
  sessionId: {
    names: ["--session-id"],
    kind: { _tag: "Text", value: "uuid" },
    doc: "Id for the new session; must not be in use.",
    commands: run
  },
  ephemeral: {
    names: ["--no-session", "--ephemeral", "--no-session-persistence"],
    kind: { _tag: "Switch" },
    doc: "Do not save this session.",
    commands: run
  },
  storage: {
    names: ["--storage"],
    kind: { _tag: "Text", value: "address" },
    doc: "Where sessions are stored: postgres://user@host:port/database."
  },
  cd: {
    names: ["--cd", "-C", "--cwd"],
    kind: { _tag: "Text", value: "folder" },
    doc: "Run in this folder."
  },
  worktree: {
    names: ["--worktree", "-w"],
    kind: { _tag: "Maybe", value: "name" },
    doc: "Work in a new git worktree, on the branch dacapo/<name>; it is removed if nothing changed.",
    commands: run
  },
  outputFormat: {
    names: ["--output-format"],
    kind: { _tag: "Choice", value: "format", choices: ["text", "json", "stream-json", "events"] },
    doc: "Output: the response, one JSON result, one JSON message per line, or the session's events."
  },
  inputFormat: {
    names: ["--input-format"],
    kind: { _tag: "Choice", choices: ["text", "stream-json"] },
    doc: "Input: a prompt, or one JSON message per line, read while the agent works.",
    commands: run
  },
  includePartialMessages: {
    names: ["--include-partial-messages"],
    kind: { _tag: "Switch" },
    doc: "With stream-json: also print each piece of a response as it streams.",
    commands: run
  },
  replayUserMessages: {
    names: ["--replay-user-messages"],
    kind: { _tag: "Switch" },
    doc: "With stream-json input: print each message that was accepted.",
    commands: run
  },
  permissionPromptTool: {
    names: ["--permission-prompt-tool"],
    kind: { _tag: "Choice", choices: ["stdio"] },
    doc: "Ask the program on standard input for approvals, with stream-json.",
    commands: run
  },
  toolNames: {
    names: ["--tool-names"],
    kind: { _tag: "Choice", choices: ["dacapo", "claude"] },
    doc: "Names and inputs of tools in JSON output: dacapo's, or those of Claude Code.",
    commands: run
  },
  verbose: {
    names: ["--verbose"],
    kind: { _tag: "Switch" },
    doc: "Print progress to standard error."
  },
  config: {
    names: ["--config"],
    kind: { _tag: "Each", value: "name=value" },
    doc: "Override a setting for this run: --config model=openai/gpt-5."
  },
  screenReader: {
    names: ["--screen-reader"],
    kind: { _tag: "Switch" },
    doc: "Print plain lines that are never redrawn, for screen readers and dumb terminals.",
    commands: run
  },
  color: {
    names: ["--color"],
    kind: { _tag: "Choice", choices: ["auto", "always", "never"] },
    doc: "Use colour: auto (by terminal, NO_COLOR and FORCE_COLOR), always or never."
  }
} as const satisfies Readonly<Record<string, Flag>>
