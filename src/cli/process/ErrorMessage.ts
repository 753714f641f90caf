/** A typed error as one sentence for a person: what is wrong, where, and what to do next. */
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Failure } from "./ExitCode.ts"

/** Failures of the command line itself; the domain tells its own. */
type Own = Exclude<Failure, ErrorReport.Reported>
type Table = { readonly [Tag in Own["_tag"]]: (error: Extract<Own, { readonly _tag: Tag }>) => string }

const table: Table = {
  Diverged: ({ actual, expected, seq }) =>
    `The replay goes another way at event ${seq}: the log has ${named(expected)}, the run gives ${named(actual)}.`,
  InputError: ({ message }) => message,
  OutputError: ({ message }) => message,
  Unconfirmed: ({ message }) => message,
  Untrusted: ({ message }) => message,
  UsageError: ({ message }) => `${message} \`dacapo --help\` shows all flags.`
}

const isOwn = (failure: Failure): failure is Own => failure._tag in table

/** An event by its name and its first words. */
const named = (event: Settled | null): string => {
  if (event === null) return "nothing"
  const { _tag, ...rest } = event
  return `${_tag} ${JSON.stringify(rest).slice(0, 200)}`
}

/** The sentence, in foreign words in part: it goes through View.text before it is shown. */
export const sentence = (failure: Failure): string =>
  isOwn(failure) ? (table[failure._tag] as (error: Own) => string)(failure) : ErrorReport.forPeople(failure)
