/** The flags of a run: what it works with, within which limits, in which session and place, and how it is told. */
import type { Flag } from "./Flag.ts"

const run = ["run"] as const
/** What a run takes, and a replay that goes on as one. */
const live = ["run", "replay"] as const
/** What is judged by rules: those, and our tools in the hands of others. */
const permitted = [...live, "mcp"] as const

/** What looks like a session: a UUID, or at least the first eight digits of one. */
const session = /^(latest|[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?)$/i

export const running = {
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
    kind: { _tag: "Text", value: "name", offers: "dacapo agents 2>/dev/null | sed -n \"s/^· \\([^ ]*\\).*/\\1/p\"" },
    doc: "Work as this agent: its prompt, tools, model and mode, from a file that you or the project keep.",
    on: run
  },
  systemPrompt: {
    names: ["--system-prompt"],
    kind: { _tag: "Text", value: "text" },
    doc: "Words that stand in place of dacapo's own at the beginning of the system prompt.",
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
    doc: "Work in a git worktree of its own, on the branch dacapo/<name>; it is removed where nothing was changed.",
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
  }
} as const satisfies Readonly<Record<string, Flag>>
