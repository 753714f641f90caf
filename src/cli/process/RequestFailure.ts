/** A typed error as a server or a runner sends it to its clients. */
import type { ControlError } from "../../domain/control/Operation.ts"
import { isOperationFailure } from "../../domain/control/OperationFailure.ts"
import { RequestFailed } from "../../domain/control/RequestFailed.ts"
import * as ErrorMessage from "./ErrorMessage.ts"
import type { Failure } from "./ExitCode.ts"

export const requestFailed = (failure: Failure | ControlError): RequestFailed =>
  failure._tag === "ControlError"
    ? new RequestFailed({ reason: "Invalid", message: failure.message })
    : new RequestFailed({
      reason: failure._tag === "LogError" && failure.reason._tag === "NotFound" ? "NotFound" : "Failed",
      message: ErrorMessage.sentence(failure),
      ...(isOperationFailure(failure) ? { error: failure } : {})
    })
