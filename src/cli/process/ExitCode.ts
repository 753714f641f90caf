/** How a run can end, as data: what a result says of it and which exit code it has. Documented in `dacapo help exit-codes`. */
import type { CheckpointError } from "../../domain/workspace/Checkpoint.ts"
import type { ContextError } from "../../domain/context/ContextError.ts"
import type { FileError } from "../../domain/workspace/FileError.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { McpError } from "../../domain/mcp/McpError.ts"
import type { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { SettingsError } from "../../domain/config/SettingsError.ts"
import type { SandboxError } from "../../domain/tool/SandboxError.ts"
import type { Diverged } from "../../layers/replay/Replay.ts"
import type { InputError, OutputError, Unconfirmed, Untrusted, UsageError } from "./CliError.ts"
import type { Subtype } from "../render/json/StreamJsonSchema.ts"

/** `reason` is what the result carries beside its subtype. */
export interface Ending {
  readonly subtype: Subtype
  readonly exit: number
  readonly reason?: string
  readonly what: string
}

const failed = (exit: number, reason: string, what: string): Ending => ({
  subtype: "error_during_execution",
  exit,
  reason,
  what
})

/** Every ending there is; `what` is how help tells it. */
export const endings = {
  finished: { subtype: "success", exit: 0, what: "finished, also where a call was denied" },
  provider: failed(1, "provider", "the provider failed for good"),
  server: failed(1, "server", "an MCP server does not answer"),
  internal: failed(1, "internal", "a fault of dacapo itself; a crash report is kept"),
  usage: failed(2, "usage", "the command line is wrong"),
  auth: failed(41, "auth", "a key is missing or was refused"),
  input: failed(42, "input", "no prompt, bad encoding, no such folder or session"),
  sandbox: failed(44, "sandbox", "the sandbox that was asked for is missing"),
  config: failed(52, "config", "a setting, a rule or a model's name is wrong"),
  turns: { subtype: "error_max_turns", exit: 53, reason: "turns", what: "the turn limit is reached" },
  time: failed(53, "time", "the time limit is reached"),
  mistakes: failed(53, "mistakes", "too many answers in a row without a call that succeeded"),
  repeats: failed(53, "repeats", "the same call too often in a row"),
  structured: { subtype: "error_max_structured_output_retries", exit: 53, reason: "schema", what: "the answer never was JSON of --json-schema" },
  context: failed(1, "context", "the request does not fit the model's window"),
  untrusted: failed(55, "untrusted", "the folder is not trusted"),
  budget: { subtype: "error_max_budget_usd", exit: 56, reason: "budget", what: "the budget is used up" },
  diverged: failed(57, "diverged", "a replay went another way than its log"),
  approval: failed(58, "approval", "an approval was needed and nobody was there (--on-ask exit)"),
  session: failed(59, "session", "a session is locked or damaged, or its disk is full"),
  hangup: failed(129, "interrupted", "SIGHUP"),
  interrupted: failed(130, "interrupted", "SIGINT"),
  terminated: failed(143, "interrupted", "SIGTERM")
} as const satisfies Readonly<Record<string, Ending>>
export type Name = keyof typeof endings

export const isError = (ending: Ending): boolean => ending.exit !== 0

/** Every typed error that a command can end with. */
export type Failure =
  | CheckpointError
  | ContextError
  | Diverged
  | FileError
  | InputError
  | LogError
  | McpError
  | OutputError
  | ProviderError
  | SandboxError
  | SettingsError
  | Unconfirmed
  | Untrusted
  | UsageError

type Table = { readonly [Tag in Failure["_tag"]]: (error: Extract<Failure, { readonly _tag: Tag }>) => Name }

const failures: Table = {
  CheckpointError: ({ reason }) => reason === "NotFound" ? "input" : "internal",
  ContextError: () => "context",
  Diverged: () => "diverged",
  FileError: ({ reason }) => reason === "DiskFull" ? "session" : "input",
  InputError: () => "input",
  LogError: ({ reason }) => reason._tag === "NotFound" ? "input" : "session",
  McpError: ({ reason }) => reason === "Auth" ? "auth" : reason === "Unknown" ? "input" : "server",
  OutputError: () => "internal",
  ProviderError: ({ reason }) => ofProvider(reason._tag),
  SandboxError: () => "sandbox",
  SettingsError: () => "config",
  Unconfirmed: () => "approval",
  Untrusted: () => "untrusted",
  UsageError: () => "usage"
}

/** How a typed error ends the program. */
export const ofFailure = (failure: Failure): Ending =>
  endings[(failures[failure._tag] as (error: Failure) => Name)(failure)]

/** How a provider's failure ends a run, by its reason. */
export const ofProvider = (reason: string): Name => byReason[reason] ?? "provider"

const byReason: Readonly<Record<string, Name>> = { Auth: "auth", UnknownModel: "config", ContextOverflow: "context" }

type Cause = NonNullable<Session["task"]["failure"]>

const causes: { readonly [Reason in Cause]: Name } = {
  provider: "provider",
  turns: "turns",
  time: "time",
  mistakes: "mistakes",
  repeats: "repeats",
  budget: "budget",
  approval: "approval",
  context: "context",
  interrupted: "interrupted"
}

/** How a task's own failure ends the run; a provider's has its reason from the event before it. */
export const ofTask = (reason: Cause, provider?: string): Ending =>
  endings[reason === "provider" && provider !== undefined ? ofProvider(provider) : causes[reason]]

/** Exit codes of the signals that end us. */
export const signals = { SIGINT: endings.interrupted, SIGTERM: endings.terminated, SIGHUP: endings.hangup } as const
