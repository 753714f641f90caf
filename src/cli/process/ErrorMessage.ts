/** A typed error as one line for the user: what happened, where, and what to do next. */
import * as Match from "effect/Match"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Failure } from "./ExitCode.ts"

/** Errors of the command line; ErrorReport has those of the domain. */
type CliFailure = Exclude<Failure, ErrorReport.ReportedError>
type Table = { readonly [Tag in CliFailure["_tag"]]: (error: Extract<CliFailure, { readonly _tag: Tag }>) => string }

const table: Table = {
  CollectorError: ({ message }) => message,
  Diverged: ({ message }) => message,
  InputError: ({ message }) => message,
  OutputError: ({ message }) => message,
  Unconfirmed: ({ message }) => message,
  Untrusted: ({ message }) => message,
  UsageError: ({ message }) => `${message} Run \`dacapo --help\` for usage.`
}

const isCliFailure = (failure: Failure): failure is CliFailure => failure._tag in table

/** The message of an error. It can contain text from outside, so pass it through View.text before showing it. */
export const sentence = (failure: Failure): string =>
  isCliFailure(failure) ? Match.valueTags(failure, table) : ErrorReport.forPeople(failure)
