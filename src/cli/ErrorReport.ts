/** A typed error as one sentence for a person: what is wrong, where, and what to do next. */
import type { Settled } from "../domain/session/SessionEvent.ts"
import type { Failure } from "./ExitCode.ts"

type Table = { readonly [Tag in Failure["_tag"]]: (error: Extract<Failure, { readonly _tag: Tag }>) => string }

const plain = ({ message }: { readonly message: string }): string => message

const table: Table = {
  CheckpointError: plain,
  ContextError: plain,
  Diverged: ({ actual, expected, seq }) =>
    `The replay goes another way at event ${seq}: the log has ${named(expected)}, the run gives ${named(actual)}.`,
  FileError: ({ message, near }) => message + meant(near),
  InputError: plain,
  LogError: ({ message, reason }) => message + (reason._tag === "NotFound" ? meant(reason.near) : ""),
  OutputError: plain,
  ProviderError: ({ message, reason, requestId }) =>
    message +
    (reason._tag === "UnknownModel" ? meant(reason.near) : "") +
    (requestId === undefined ? "" : ` (request ${requestId})`),
  SettingsError: ({ message, where }) => message.includes(where) ? message : `${where}: ${message}`,
  UsageError: ({ message }) => `${message} \`efferent --help\` shows all flags.`
}

const meant = (near: ReadonlyArray<string> = []): string =>
  near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`

/** An event by its name and its first words. */
const named = (event: Settled | null): string => {
  if (event === null) return "nothing"
  const { _tag, ...rest } = event
  return `${_tag} ${JSON.stringify(rest).slice(0, 200)}`
}

/** The sentence, in foreign words in part: it goes through View.text before it is shown. */
export const sentence = (failure: Failure): string => (table[failure._tag] as (error: Failure) => string)(failure)
