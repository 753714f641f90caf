/** The input of a program, opened before its session starts: the first line may add to the session's settings. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Values } from "../args/Flags.ts"
import { Host } from "../process/Host.ts"
import { InputError, type UsageError } from "../process/CliError.ts"
import * as ControlSchema from "../render/json/ControlSchema.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import type * as StreamJsonSchema from "../render/json/StreamJsonSchema.ts"
import * as SdkFlags from "../start/SdkFlags.ts"
import * as ProgramConnection from "./ProgramConnection.ts"
import * as StreamInput from "./StreamInput.ts"

/** `notes` report what has no effect; `connection` carries requests to the program; `title` is the name of the session. */
export interface ProgramInput extends SdkFlags.Resolved {
  readonly lines: StreamInput.Lines
  readonly firstLine: StreamJsonSchema.Input | undefined
  readonly connection: ProgramConnection.ProgramConnection
  readonly title?: string
}

const decode = Schema.decodeUnknownResult(ControlSchema.Initialize)

/** Waits for the first line, unless there is a prompt to begin with. A first request that can't be honoured ends the run. */
export const open = Effect.fnUntraced(function*(flags: Values, hasPrompt: boolean) {
  const { stdin, stdout } = yield* Host
  const lines = yield* StreamInput.open(stdin.lines)
  const firstLine = hasPrompt ? undefined : yield* lines.next
  const isInitialize = firstLine?.type === "control_request" && firstLine.request.subtype === "initialize"
  const decoded = isInitialize ? decode(firstLine.request) : undefined
  const init = decoded !== undefined && Result.isSuccess(decoded) ? decoded.success : undefined
  const translated: Effect.Effect<SdkFlags.Resolved, InputError | UsageError, Host> = decoded !== undefined && Result.isFailure(decoded)
    ? Effect.fail(new InputError({ message: "The request initialize is not valid." }))
    : SdkFlags.translate(flags, init)
  const refuse = (message: string) =>
    isInitialize && flags.outputFormat === "stream-json"
      ? Effect.ignore(stdout.write(StreamJson.line(ControlSchema.errorResponse(firstLine.request_id, message))))
      : Effect.void
  const resolved = yield* Effect.tapError(translated, ({ message }) => refuse(message))
  return {
    ...resolved,
    lines,
    firstLine,
    connection: ProgramConnection.make(),
    ...(init?.title == null || init.title === "" ? {} : { title: init.title })
  } satisfies ProgramInput
})
