/** The endings of a run: result subtype and exit code. `dacapo help exit-codes` lists them. */
import * as Match from "effect/Match"
import type { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import type { ContextError } from "../../domain/context/ContextError.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { McpError } from "../../domain/mcp/McpError.ts"
import type { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { SettingsError } from "../../domain/config/SettingsError.ts"
import type { SandboxError } from "../../domain/tool/Sandbox.ts"
import type { Diverged } from "../../layers/replay/Replay.ts"
import type { CollectorError, InputError, OutputError, RegistryError, UnconfirmedError, UntrustedError, UsageError } from "./CliError.ts"
import type { Subtype } from "../render/json/StreamJsonSchema.ts"

/** `reason` refines the subtype of the result. */
export interface Ending {
  readonly subtype: Subtype
  readonly exit: number
  readonly reason?: string
  readonly description: string
}

const errorEnding = (exit: number, reason: string, description: string): Ending => ({
  subtype: "error_during_execution",
  exit,
  reason,
  description
})

/** A task that the program on standard input interrupted: it asked for that, and the run continues. */
export const stoppedByProgram: Ending = {
  subtype: "error_during_execution",
  exit: 0,
  reason: "interrupted",
  description: "Interrupted by the program"
}

/** All endings; `description` is their text in the help. */
export const endings = {
  finished: { subtype: "success", exit: 0, description: "The task finished, even if calls were denied" },
  provider: errorEnding(1, "provider", "The provider failed after all retries"),
  server: errorEnding(1, "server", "An MCP server or the telemetry collector does not respond"),
  internal: errorEnding(1, "internal", "Internal error; a crash report is saved"),
  usage: errorEnding(2, "usage", "Invalid command line"),
  auth: errorEnding(41, "auth", "An API key is missing or was rejected"),
  input: errorEnding(42, "input", "No prompt, invalid encoding, or no such folder or session"),
  sandbox: errorEnding(44, "sandbox", "The requested sandbox is not available"),
  config: errorEnding(52, "config", "Invalid setting, permission rule or model name"),
  turns: { subtype: "error_max_turns", exit: 53, reason: "turns", description: "Turn limit reached" },
  time: errorEnding(53, "time", "Time limit reached"),
  mistakes: errorEnding(53, "mistakes", "Too many consecutive responses without a successful call"),
  repeats: errorEnding(53, "repeats", "The same call was repeated too often"),
  schema: {
    subtype: "error_max_structured_output_retries",
    exit: 53,
    reason: "schema",
    description: "No response conformed to --json-schema"
  },
  context: errorEnding(1, "context", "The request does not fit the model's context window"),
  untrusted: errorEnding(55, "untrusted", "The folder is not trusted"),
  budget: { subtype: "error_max_budget_usd", exit: 56, reason: "budget", description: "Cost or token limit reached" },
  hook: errorEnding(1, "hook", "A hook stopped the task"),
  diverged: errorEnding(57, "diverged", "A replay differs from its log"),
  approval: errorEnding(58, "approval", "An approval was needed (--on-ask exit)"),
  session: errorEnding(59, "session", "A session is locked or damaged, or the disk is full"),
  hangup: errorEnding(129, "interrupted", "Terminated by SIGHUP"),
  interrupted: errorEnding(130, "interrupted", "Interrupted by Ctrl-C (SIGINT)"),
  terminated: errorEnding(143, "interrupted", "Terminated by SIGTERM")
} as const satisfies Readonly<Record<string, Ending>>
export type Name = keyof typeof endings

export const isError = (ending: Ending): boolean => ending.exit !== 0

/** Every typed error that can end a command. */
export type Failure =
  | CheckpointError
  | CollectorError
  | ContextError
  | Diverged
  | FileError
  | InputError
  | LogError
  | McpError
  | OutputError
  | ProviderError
  | RegistryError
  | SandboxError
  | SettingsError
  | UnconfirmedError
  | UntrustedError
  | UsageError

type Table = { readonly [Tag in Failure["_tag"]]: (error: Extract<Failure, { readonly _tag: Tag }>) => Name }

const failures: Table = {
  CheckpointError: ({ reason }) => reason === "NotFound" ? "input" : "internal",
  CollectorError: () => "server",
  ContextError: () => "context",
  Diverged: () => "diverged",
  FileError: ({ reason }) => reason === "DiskFull" ? "session" : "input",
  InputError: () => "input",
  LogError: ({ reason }) => reason._tag === "NotFound" || reason._tag === "Exists" || reason._tag === "Server" ? "input" : "session",
  McpError: ({ reason }) => reason === "Auth" ? "auth" : reason === "Unknown" ? "input" : "server",
  OutputError: () => "internal",
  ProviderError: ({ reason }) => fromProvider(reason._tag),
  RegistryError: () => "server",
  SandboxError: () => "sandbox",
  SettingsError: () => "config",
  Unconfirmed: () => "approval",
  Untrusted: () => "untrusted",
  UsageError: () => "usage"
}

/** The ending for a typed error. */
export const fromFailure = (failure: Failure): Ending => endings[Match.valueTags(failure, failures)]

/** The ending for a provider error, by its reason. */
const fromProvider = (reason: string): Name => byReason[reason] ?? "provider"

const byReason: Readonly<Record<string, Name>> = { Auth: "auth", UnknownModel: "config", ContextOverflow: "context" }

type TaskFailure = NonNullable<Session["task"]["failure"]>

const causes: { readonly [Reason in TaskFailure]: Name } = {
  provider: "provider",
  turns: "turns",
  time: "time",
  mistakes: "mistakes",
  repeats: "repeats",
  budget: "budget",
  approval: "approval",
  context: "context",
  interrupted: "interrupted",
  hook: "hook",
  defect: "internal"
}

/** The ending for a failed task. The reason of a provider error comes from the preceding event. */
export const fromTask = (reason: TaskFailure, provider?: string): Ending =>
  endings[reason === "provider" && provider !== undefined ? fromProvider(provider) : causes[reason]]

/** The endings for signals. */
export const signals = { SIGINT: endings.interrupted, SIGTERM: endings.terminated, SIGHUP: endings.hangup } as const
