/** What each mention brings: the content of a file, a page, a commit, the last output. */
import * as Effect from "effect/Effect"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import * as Terminal from "../../domain/session/LastCommand.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import { Shell } from "../../services/Shell.ts"
import { Web } from "../../services/Web.ts"
import type { Workspace } from "../../services/Workspace.ts"
import * as SessionRules from "../approval/SessionRules.ts"
import * as MentionedFile from "./ReadMentionedFile.ts"
import { most, notice, shown, type At } from "./MentionPart.ts"

/** Seconds and characters that git may take for a mention. */
const git = { timeoutMs: 10_000, keep: most }

type Read = Effect.Effect<Content | undefined, LogError, Shell | Web | Workspace>

type Readers = { readonly [Tag in Mention.Mention["_tag"]]: (mention: Extract<Mention.Mention, { readonly _tag: Tag }>, at: At) => Read }

/** The part that stands for a mention; undefined where the words are no mention after all. */
export const read = (mention: Mention.Mention, at: At): Read =>
  (readers[mention._tag] as (mention: Mention.Mention, at: At) => Read)(mention, at)

const readers: Readers = {
  file: MentionedFile.read,
  page: Effect.fnUntraced(function*(mention, { session }) {
    const web = yield* Web
    return yield* web.get({ url: mention.url, named: (url) => Rule.namesHost(SessionRules.of(session), url) }).pipe(
      Effect.flatMap((page) => Effect.tryPromise(async () => (await import("../network/PageText.ts")).of(page)).pipe(Effect.orElseSucceed(() => page.text))),
      Effect.match({ onSuccess: (text) => shown(mention, text), onFailure: ({ message }) => notice(mention, message) })
    )
  }),
  commit: (mention, { session }) =>
    told(mention, `git --no-pager show --no-color --no-ext-diff --stat --patch ${mention.hash} --`, session.cwd),
  changes: (mention, { session }) =>
    told(mention, "git --no-pager status --short && git --no-pager diff --no-color --no-ext-diff HEAD --", session.cwd),
  terminal: (mention, { session: { terminal } }) =>
    Effect.succeed(terminal.last === undefined ? notice(mention, "no command has run yet.") : shown(mention, terminal.last)),
  problems: (mention, { session: { terminal } }) => {
    const problems = Terminal.problems(terminal)
    return Effect.succeed(problems === undefined ? notice(mention, "no test, build or check has run yet.") : shown(mention, problems))
  }
}

/** What git says; the commands are ours, and change nothing. */
const told = (mention: Mention.Mention, command: string, cwd: string) =>
  Effect.flatMap(Shell, ({ run }) => run({ command, cwd, ...git, onOutput: () => {} })).pipe(
    Effect.map(({ code, output }) => code === 0
      ? shown(mention, output.trim() === "" ? "(nothing has changed)" : output)
      : notice(mention, output.trim().split("\n").at(-1) ?? "git failed.")),
    Effect.catch(({ message }) => Effect.succeed(notice(mention, message)))
  )
