/** How the control protocol refuses an operation, or a client. */
import * as Schema from "effect/Schema"

/** `Answered`: the request is not pending any more. `Changed`: its action is another one. `Invalid`: the operation can't be done. */
export class ControlError extends Schema.TaggedError<ControlError>()("ControlError", {
  reason: Schema.Literals(["Answered", "Changed", "Invalid"]),
  message: Schema.String
}) {}

/** The client did not read fast enough. It can connect again after `seq`, the last settled event that it got, and misses nothing. */
export class Detached extends Schema.TaggedError<Detached>()("Detached", { session: Schema.String, seq: Schema.Int }) {
  override get message(): string {
    return `This client reads too slowly and was detached after event ${this.seq}. Connect again from event ${this.seq + 1}.`
  }
}
