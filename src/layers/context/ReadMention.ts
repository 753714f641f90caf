/** The content of each mention: a file, a page, a commit, the last output. */
import * as Effect from "effect/Effect"
import * as Match from "effect/Match"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import * as LastCommand from "../../domain/session/LastCommand.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import type { Shell } from "../../services/Shell.ts"
import { Diagnostics } from "../../services/lookup/Diagnostics.ts"
import * as Problem from "../../domain/diagnostics/Problem.ts"
import { Web } from "../../services/Web.ts"
import type { Workspace } from "../../services/Workspace.ts"
import * as SessionRules from "../approval/SessionRules.ts"
import * as ReadMentionedFile from "./ReadMentionedFile.ts"
import * as MentionedGit from "./MentionedGit.ts"
import { notice, mentionText, type MentionContext } from "./MentionPart.ts"

type Read = Effect.Effect<Content | undefined, LogError, Shell | Web | Workspace>

type Readers = {
  readonly [Tag in Mention.Mention["_tag"]]: (mention: Extract<Mention.Mention, { readonly _tag: Tag }>) => (at: MentionContext) => Read
}

/** The part for a mention; undefined if the text is not a mention after all. */
export const read = (mention: Mention.Mention, at: MentionContext): Read => Match.valueTags(mention, readers)(at)

const readers: Readers = {
  file: (mention) => (at) => ReadMentionedFile.read(mention, at),
  page: (mention) =>
    Effect.fnUntraced(function*({ session }) {
      const web = yield* Web
      return yield* web.get({ url: mention.url, isHostAllowed: (url) => Rule.namesPrivateHost(SessionRules.of(session), url) }).pipe(
        Effect.flatMap((page) =>
          Effect.tryPromise(async () => (await import("../network/PageText.ts")).of(page)).pipe(Effect.orElseSucceed(() => page.text))
        ),
        Effect.match({ onSuccess: (text) => mentionText(mention, text), onFailure: ({ message }) => notice(mention, message) })
      )
    }),
  commit: (mention) => ({ session }) => MentionedGit.read(mention, session.cwd),
  changes: (mention) => ({ session }) => MentionedGit.read(mention, session.cwd),
  terminal: (mention) => ({ session: { terminal } }) =>
    Effect.succeed(
      terminal.lastOutput === undefined ? notice(mention, "no command has run yet.") : mentionText(mention, terminal.lastOutput)
    ),
  problems: (mention) =>
    Effect.fnUntraced(function*({ session }) {
      const { checks, notes, problems } = yield* (yield* Diagnostics).current(session)
      const lastCheck = LastCommand.problemsText(session.terminal)
      const texts = [
        ...(problems.length === 0 ? [] : [`Reported by language servers:\n${Problem.render(problems)}`]),
        ...checks,
        ...(lastCheck === undefined ? [] : [lastCheck])
      ]
      const noteTexts = notes.map((note) => `[${note}]`)
      return texts.length === 0
        ? notice(mention, ["no test, build or check has run yet.", ...noteTexts].join(" "))
        : mentionText(mention, [...texts, ...noteTexts].join("\n\n"))
    })
}
