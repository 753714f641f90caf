/** The typed errors that an operation of the control protocol can end with, as a server sends them to its clients. */
import * as Schema from "effect/Schema"
import { SettingsError } from "../config/SettingsError.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import { LogError } from "../session/LogError.ts"
import { CheckpointError } from "../workspace/Checkpoint.ts"

export const OperationFailure = Schema.Union([CheckpointError, LogError, ProviderError, SettingsError]).annotate({
  identifier: "OperationFailure"
})
export type OperationFailure = typeof OperationFailure.Type

export const isOperationFailure = (error: { readonly _tag: string }): error is OperationFailure => tags.has(error._tag)

const tags: ReadonlySet<string> = new Set<OperationFailure["_tag"]>(["CheckpointError", "LogError", "ProviderError", "SettingsError"])
