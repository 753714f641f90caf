/** What a connection to a server carries, however it is made. */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { Operation, OperationResult } from "../../domain/control/Operation.ts"
import type { StoredSession } from "../../domain/control/ServerLine.ts"
import type { OperationFailure } from "../../domain/control/OperationFailure.ts"
import { InputError } from "../process/CliError.ts"

/** What the server itself failed with, if it said so; else that it refused or can't be reached. */
export type WireError = InputError | OperationFailure

/** The server refused, or can't be reached. */
export const serverError = (message: string): InputError => new InputError({ message })

/** `follow` ends when the connection breaks or the server detaches this client; it can follow again. */
export interface Wire {
  readonly operate: (operation: Operation) => Effect.Effect<OperationResult, WireError>
  readonly sessions: (cwd: string | undefined) => Effect.Effect<ReadonlyArray<StoredSession>, WireError>
  readonly follow: (session: string, from: number) => Stream.Stream<ClientEvent, WireError>
}
