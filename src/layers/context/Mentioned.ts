/** What each mention brings: the content of a file, a page, a commit, the last output. */
import * as Effect from "effect/Effect"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Content } from "../../domain/message/Message.ts"
import * as Mention from "../../domain/message/Mention.ts"
import * as Saying from "../../domain/message/Saying.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Session } from "../../domain/session/Session.ts"
import * as Terminal from "../../domain/session/Terminal.ts"
import * as Clip from "../../domain/tool/Clip.ts"
import * as TextPage from "../../domain/tool/TextPage.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import * as FileKind from "../../domain/workspace/FileKind.ts"
import * as PathName from "../../domain/workspace/PathName.ts"
import { Shell } from "../../services/Shell.ts"
import { Web } from "../../services/Web.ts"
import { Workspace } from "../../services/Workspace.ts"
import * as SessionRules from "../approval/SessionRules.ts"
import * as Picture from "../picture/Picture.ts"

/** Where mentions are read, and where the bytes of images go. */
export interface At {
  readonly session: Session
  readonly putBlob: (bytes: Uint8Array) => Effect.Effect<string, LogError>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
}

/** Characters that one mention may bring. */
const most = 48_000

/** Seconds and characters that git may take for a mention. */
const git = { timeoutMs: 10_000, keep: most }

type Read = Effect.Effect<Content | undefined, LogError, Shell | Web | Workspace>

type Readers = { readonly [Tag in Mention.Mention["_tag"]]: (mention: Extract<Mention.Mention, { readonly _tag: Tag }>, at: At) => Read }

/** The part that stands for a mention; undefined where the words are no mention after all. */
export const read = (mention: Mention.Mention, at: At): Read =>
  (readers[mention._tag] as (mention: Mention.Mention, at: At) => Read)(mention, at)

const shown = (mention: Mention.Mention, text: string): Content =>
  ({ _tag: "Text", text: `<mention of=${JSON.stringify(Mention.told(mention))}>\n${Clip.middle(text, most)}\n</mention>`, origin: "mention" })

const notice = (mention: Mention.Mention, why: string): Content =>
  ({ _tag: "Text", text: `[${Mention.told(mention)} could not be read: ${why}]`, origin: "notice" })

const kinds: Readonly<Record<string, string>> = {
  png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp", pdf: "application/pdf"
}

const readers: Readers = {
  file: Effect.fnUntraced(function*(mention, at) {
    const workspace = yield* Workspace
    const blob = Saying.blob(mention.path)
    if (blob !== undefined) return yield* kept(mention, blob, at)
    // `/src/a.ts` is a file of the workspace, as other tools have it; an absolute path is one too.
    const within = mention.path.replace(/^\/+/, "")
    const info = yield* (mention.path.startsWith("/") && within !== "" ? Effect.orElseSucceed(workspace.stat(within), () => undefined) : Effect.succeed(undefined)).pipe(
      Effect.flatMap((inside) => inside === undefined ? workspace.stat(mention.path) : Effect.succeed(inside)),
      Effect.result
    )
    if (info._tag === "Failure") {
      if (info.failure.reason === "NotFound" && !mention.sure) return undefined
      return notice(mention, ErrorReport.forPeople(info.failure))
    }
    const { kind, path, size } = info.success
    if (kind === "directory") return yield* folder(mention, path)
    if (kind !== "file") return notice(mention, "it is no file.")
    const mediaType = kinds[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""]
    if (size > Saying.limits.attachment) return notice(mention, `it has ${Math.round(size / 1024 / 1024)} MB, and an attachment may have 20.`)
    return yield* mediaType === undefined ? textOf(mention, path, at.session.cwd) : attached(mention, path, mediaType, at)
  }),
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

const textOf = (mention: Mention.Mention, path: string, cwd: string) =>
  Effect.flatMap(Workspace, ({ readText }) => readText(path)).pipe(
    Effect.map(({ hash, text }): Content => {
      const { extent, text: lines } = TextPage.of(text, { from: 1, to: Infinity })
      const touched = [{ path: PathName.of(cwd, path), kind: "read" as const, hash, ...(extent === undefined ? {} : { content: extent }) }]
      return { _tag: "Text", text: `<file path=${JSON.stringify(path)}>\n${lines}\n</file>`, origin: "mention", touched }
    }),
    Effect.catch((error) => Effect.succeed(notice(mention, ErrorReport.forPeople(error))))
  )

/** A picture that was pasted or dropped: its bytes are kept already. */
const kept = Effect.fnUntraced(function*(mention: Mention.Mention, blob: string, { getBlob, putBlob }: At) {
  const bytes = yield* Effect.result(getBlob(blob))
  const kind = bytes._tag === "Success" ? FileKind.of("", bytes.success) : undefined
  return bytes._tag === "Success" && kind?._tag === "Image"
    ? yield* pictured(mention, { bytes: bytes.success, mediaType: kind.mediaType }, putBlob)
    : notice(mention, "it is no picture that is kept here.")
})

const pictured = (mention: Mention.Mention, picture: Picture.Picture, putBlob: At["putBlob"]) =>
  Picture.fit(picture).pipe(
    Effect.flatMap(({ bytes, mediaType }) => Effect.map(putBlob(bytes), (blob): Content => ({ _tag: "Image", mediaType, blob }))),
    Effect.catchTag("PictureError", ({ message }) => Effect.succeed(notice(mention, message)))
  )

const attached = Effect.fnUntraced(function*(mention: Mention.Mention, path: string, mediaType: string, { putBlob }: At) {
  const { readBytes } = yield* Workspace
  const bytes = yield* Effect.result(readBytes(path))
  if (bytes._tag === "Failure") return notice(mention, ErrorReport.forPeople(bytes.failure))
  if (mediaType === "application/pdf") {
    return { _tag: "Document" as const, mediaType, blob: yield* putBlob(bytes.success), name: path.slice(path.lastIndexOf("/") + 1) }
  }
  return yield* pictured(mention, { bytes: bytes.success, mediaType }, putBlob)
})

const folder = Effect.fnUntraced(function*(mention: Mention.Mention, path: string) {
  const { list } = yield* Workspace
  return yield* list(path, { depth: 2, limit: 200 }).pipe(
    Effect.map(({ cut, entries }) =>
      shown(mention, [...entries.map(({ kind, path }) => kind === "directory" ? `${path}/` : path), ...(cut ? ["[… and more]"] : [])].join("\n") || "(empty)")),
    Effect.catch((error) => Effect.succeed(notice(mention, ErrorReport.forPeople(error))))
  )
})

/** What git says; the commands are ours, and change nothing. */
const told = (mention: Mention.Mention, command: string, cwd: string) =>
  Effect.flatMap(Shell, ({ run }) => run({ command, cwd, ...git, onOutput: () => {} })).pipe(
    Effect.map(({ code, output }) => code === 0
      ? shown(mention, output.trim() === "" ? "(nothing has changed)" : output)
      : notice(mention, output.trim().split("\n").at(-1) ?? "git failed.")),
    Effect.catch(({ message }) => Effect.succeed(notice(mention, message)))
  )
