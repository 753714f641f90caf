/**
 * Flags that programs of the Claude Agent SDK pass. They are not listed in the help. None of them permits anything: what can't be
 * honoured and would make a run stricter is refused, not ignored (start/SdkFlags).
 */
import type { Flag } from "./Flag.ts"

const run = ["run"] as const
const textFlag = <const Name extends string>(name: Name, doc: string) =>
  ({ names: [name], kind: { _tag: "Text", value: "value" }, doc, commands: run, isHidden: true }) as const satisfies Flag
const eachFlag = <const Name extends string>(name: Name, doc: string) =>
  ({ names: [name], kind: { _tag: "Each", value: "folder" }, doc, commands: run, isHidden: true }) as const satisfies Flag
const switchFlag = <const Name extends string>(name: Name, doc: string) =>
  ({ names: [name], kind: { _tag: "Switch" }, doc, commands: run, isHidden: true }) as const satisfies Flag

export const sdkFlags = {
  thinking: {
    names: ["--thinking"],
    kind: { _tag: "Choice", choices: ["adaptive", "disabled"] },
    doc: "disabled: the same as --effort none.",
    commands: run,
    isHidden: true
  },
  maxThinkingTokens: {
    names: ["--max-thinking-tokens"],
    kind: { _tag: "Number", value: "n", integer: true, min: 0 },
    doc: "The effort whose budget is nearest.",
    commands: run,
    isHidden: true
  },
  settings: textFlag("--settings", "Settings as JSON or a file: permissions, model and sandbox."),
  settingSources: textFlag("--setting-sources", "Use allow rules and modes of these settings only: user, project, local."),
  strictMcpConfig: switchFlag("--strict-mcp-config", "Use only the MCP servers of --mcp-config."),
  permissionPrompts: {
    names: ["--permission-prompts"],
    kind: { _tag: "Choice", choices: ["host", "none"] },
    doc: "none: what needs approval is denied, and the program is not asked.",
    commands: run,
    isHidden: true
  },
  resumeSessionAt: textFlag("--resume-session-at", "With --resume: continue after the message with this uuid."),
  allowBypass: switchFlag("--allow-dangerously-skip-permissions", "The program may switch to bypassPermissions later."),
  agents: textFlag("--agents", "Subagents for this run, as JSON by name: description, prompt, tools, model."),
  awaitInitialize: switchFlag("--await-initialize", "The first line of input is always awaited."),
  betas: textFlag("--betas", "Has no effect."),
  channels: textFlag("--channels", "Has no effect."),
  debug: switchFlag("--debug", "Has no effect."),
  debugFile: textFlag("--debug-file", "Has no effect."),
  includeHookEvents: switchFlag("--include-hook-events", "Has no effect."),
  pluginDir: eachFlag("--plugin-dir", "The plugin in this folder, for this run."),
  pluginDirNoMcp: eachFlag("--plugin-dir-no-mcp", "The same without its MCP servers."),
  sessionMirror: switchFlag("--session-mirror", "Has no effect."),
  taskBudget: textFlag("--task-budget", "Has no effect."),
  thinkingDisplay: textFlag("--thinking-display", "Has no effect.")
} as const satisfies Readonly<Record<string, Flag>>

/** Flags whose absence a program would notice: a run says that they have no effect. */
export const unsupported = ["betas", "channels", "sessionMirror", "taskBudget"] as const
