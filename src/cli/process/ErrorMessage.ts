/** A typed error as one line for the user: what happened, where, and what to do next. */
import * as Match from "effect/Match"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Failure } from "./ExitCode.ts"

/** Errors of the command line; ErrorReport has those of the domain. */
type CliFailure = Exclude<Failure, ErrorReport.ReportedError>
type Table = { readonly [Tag in CliFailure["_tag"]]: (error: Extract<CliFailure, { readonly _tag: Tag }>) => string }

const table: Table = {
  CollectorError: ({ message }) => message,
  Diverged: ({ actual, expected, seq }) =>
    `The replay differs from the log at event ${seq}: the log has ${eventText(expected)}, the replay has ${eventText(actual)}.`,
  InputError: ({ message }) => message,
  OutputError: ({ message }) => message,
  Unconfirmed: ({ message }) => message,
  Untrusted: ({ message }) => message,
  UsageError: ({ message }) => `${message} Run \`dacapo --help\` for usage.`
}

const isCliFailure = (failure: Failure): failure is CliFailure => failure._tag in table

/** The name of an event and the start of its content. */
const eventText = (event: Settled | null): string => {
  if (event === null) return "no event"
  const { _tag, ...rest } = event
  return `${_tag} ${JSON.stringify(rest).slice(0, 200)}`
}

/** The message of an error. It can contain text from outside, so pass it through View.text before showing it. */
export const sentence = (failure: Failure): string =>
  isCliFailure(failure) ? Match.valueTags(failure, table) : ErrorReport.forPeople(failure)
