/** `dacapo`: services, the live composition, tools and providers. */
export { Agent, type SessionOptions } from "./services/Agent.ts"
export { Approval, type Verdict } from "./services/Approval.ts"
export { type Answer, Approver, type Question, type Reply } from "./services/Approver.ts"
export { Browser } from "./services/Browser.ts"
export { Checkpoints, type SavedCheckpoint, type StorePacks } from "./services/Checkpoints.ts"
export { ContextWindow } from "./services/ContextWindow.ts"
export { Diff } from "./services/Diff.ts"
export { Environment } from "./services/Environment.ts"
export { EventLog, type SessionLog } from "./services/EventLog.ts"
export { Fetch } from "./services/Fetch.ts"
export { Ids } from "./services/Ids.ts"
export { type BackgroundCommand, BackgroundCommands } from "./services/BackgroundCommands.ts"
export { type JsonFile, JsonFiles } from "./services/JsonFiles.ts"
export { Mcp, type Servers } from "./services/Mcp.ts"
export { Parser, type ParserOptions } from "./services/Parser.ts"
export { Provider } from "./services/Provider.ts"
export { Redactor } from "./services/Redactor.ts"
export type { Connection, Endpoint, Route } from "./services/Route.ts"
export { Settings } from "./services/Settings.ts"
export { type Command, type Exit, type Program, type CommandResult, type RunningCommand, Shell } from "./services/Shell.ts"
export type { Source } from "./services/Source.ts"
export { Storage } from "./services/Storage.ts"
export * as Tool from "./services/Tool.ts"
export { Trust } from "./services/Trust.ts"
export { Tools } from "./services/Tools.ts"
export { type Page, Web } from "./services/Web.ts"
export { Workspace } from "./services/Workspace.ts"
export * as Controller from "./layers/control/Controller.ts"
export * as PendingRequests from "./layers/control/PendingRequests.ts"
export * as EffectAi from "./layers/provider/EffectAi.ts"
export * as Access from "./domain/tool/Access.ts"
export * as Limits from "./domain/session/Limits.ts"
export * as Outcome from "./domain/tool/Outcome.ts"
export {
  type AgentOptions,
  type AgentSession,
  createAgent,
  type RunResult,
  type PromiseAgent,
  type RunOptions
} from "./layers/createAgent.ts"
export type { AnswerQuestion, Approve, Decision, RunCommand } from "./layers/Callbacks.ts"
export * as Live from "./layers/Live.ts"
export * as Replay from "./layers/replay/Replay.ts"
export { builtin as providers } from "./layers/provider/builtin.ts"
export { builtin as tools } from "./layers/tool/builtin.ts"
// What the types of the layers above mention.
export type { SmallFiles } from "./layers/context/sources/SmallFile.ts"
export type { GetBlob } from "./layers/replay/ReplayLayers.ts"

// Compositions of a program's own.
export * as Composition from "./layers/Composition.ts"
export * as Core from "./layers/Core.ts"
export * as FunctionShell from "./layers/workspace/shell/FunctionShell.ts"
export { ClosedError, ResultError } from "./layers/createAgent.ts"
export { Budget } from "./services/Budget.ts"
export { Definitions } from "./services/Definitions.ts"
export { Intake } from "./services/Intake.ts"
export { type ApiKey, Keys, type KeyStore, type ProviderKey } from "./services/Keys.ts"
export { SecretStore } from "./services/cluster/SecretStore.ts"
export * as SecretFolder from "./layers/settings/SecretFolder.ts"
export * as TenantKeys from "./layers/settings/TenantKeys.ts"
export { CrashReports } from "./services/process/CrashReports.ts"
export { SettingsSnapshot } from "./services/Settings.ts"
export { Skills } from "./services/Skills.ts"
export { Subagents } from "./services/Subagents.ts"
export { Worktrees, type WorktreeService } from "./services/Worktrees.ts"
export type {
  PluginCommand,
  PluginContext,
  PluginModule,
  PluginRenderer,
  PluginSource,
  PluginTool,
  ViewResult
} from "./services/extension/PluginModule.ts"

// What the types of the services mention.
export type { RewindOptions, RewindResult } from "./services/Agent.ts"
export type { EditScope, PartVerdict } from "./services/Approval.ts"
export type { Lines as OutputLines, Output as CommandOutput, StartOptions as CommandStartOptions } from "./services/BackgroundCommands.ts"
export type { Action as BrowserAction, PageSnapshot, Target as BrowserTarget } from "./services/Browser.ts"
export type { AuxiliaryRequest } from "./services/ContextWindow.ts"
export type { GrammarError } from "./services/Definitions.ts"
export { type CustomToolList, CustomTools } from "./services/extension/CustomTools.ts"
export { type HookRequest, Hooks } from "./services/extension/Hooks.ts"
export {
  type AddedProviders,
  type CodeCommand,
  type Plugin,
  type PluginResult,
  Plugins,
  type PluginService
} from "./services/extension/Plugins.ts"
export type { UserInput } from "./services/Intake.ts"
export type { Change as JsonChange, Path as JsonPath } from "./services/JsonFiles.ts"
export type { ConfiguredServer, ListedServer, ServerTestResult } from "./services/Mcp.ts"
export type { CrashReportStore } from "./services/process/CrashReports.ts"
export type { PreparedRequest } from "./services/Provider.ts"
export type { EnvEndpoint, Outgoing, SendContext, Variables } from "./services/Route.ts"
export type { CommandFacts, InputMode, TerminalInput } from "./services/Shell.ts"
export type { Skill, SkippedSkill } from "./services/Skills.ts"
export type { SourceContext } from "./services/Source.ts"
export type { Hit as SearchHit, Line as StoredLine, Summary as SessionSummary } from "./services/Storage.ts"
export type { SubagentRun } from "./services/Subagents.ts"
export type { ResolvedCall } from "./services/Tools.ts"
export type { ActivePredicate, TrustAnswer, TrustItem } from "./services/Trust.ts"
export type { PageRequest } from "./services/Web.ts"
export type {
  FileEntry,
  FileInfo,
  ListOptions,
  LookupFilter,
  PathFilter,
  Reader,
  SearchOptions,
  SearchResult,
  TextFile
} from "./services/Workspace.ts"
export type { SubagentWorktree } from "./services/Worktrees.ts"
export type { Blobs } from "./layers/replay/ReplayLayers.ts"
export type { SmallFile } from "./layers/context/sources/SmallFile.ts"
