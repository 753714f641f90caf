/** A typed error as a server or a runner sends it to its clients. */
import type { ControlError } from "../../domain/control/ControlError.ts"
import { isOperationFailure } from "../../domain/control/OperationFailure.ts"
import { RequestFailed } from "../../domain/control/RequestFailed.ts"
import * as ErrorMessage from "./ErrorMessage.ts"
import type { Failure } from "./ExitCode.ts"

export const requestFailed = (failure: Failure | ControlError): RequestFailed =>
  new RequestFailed({
    reason: failure._tag === "ControlError" ? "Invalid"
      : failure._tag === "LogError" && failure.reason._tag === "NotFound" ? "NotFound" : "Failed",
    ...ErrorMessage.body(failure),
    ...(isOperationFailure(failure) ? { error: failure } : {})
  })
