/**
 * Files as one session may read them. Tools, context sources and mentions see no other Workspace than this one: a rule
 * or a protection that closes a file to `read_file` closes it to every reader, under its own name and through links.
 */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import * as PathSpec from "../../domain/approval/PathSpec.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Access } from "../../domain/tool/Access.ts"
import { FileError } from "../../domain/workspace/FileError.ts"
import { Approval } from "../../services/Approval.ts"
import { ReadPolicy } from "../../services/ReadPolicy.ts"
import { type PathFilter, type Reader, Workspace } from "../../services/Workspace.ts"
import * as SessionRules from "./SessionRules.ts"

/** A file under its own name and under that of its link target, both absolute. */
interface File {
  readonly path: string
  readonly target: string
}

/** What a caller may read besides what the rules allow; a deny applies regardless. */
export interface Grant {
  /** Whether a person agreed to a read that the rules ask about; `rule` is the one that asks. */
  readonly consent: (file: File, rule: string | undefined) => boolean
  /** Files and folders outside the open ones that are read too. */
  readonly outside: ReadonlyArray<string>
}

/** The user named the files. */
export const ofUser: Grant = { consent: () => true, outside: [] }

/** Nobody can be asked. No rule applies outside the open folders: there the reader's own limits do. */
export const unattended: Grant = { consent: (_, rule) => rule === undefined, outside: [] }

/**
 * A call that may run, with what it touches: exactly these files, and those in a folder under the rule that asked about the folder.
 * Outside the open folders, what a person or the mode allowed, or a rule for paths: a rule for all reads (`Read`) opens nothing there.
 * In a folder outside, what would be read without a question if it were open.
 */
export const ofCall = (approval: Approval["Service"], session: Session, tool: string, access: ReadonlyArray<Access>): Grant => {
  const approved = access.flatMap((one) => {
    if (one._tag !== "Read" && one._tag !== "Edit") return []
    const path = resolve(session.cwd, one.path)
    const target = one.resolvedPath ?? path
    return [{ path, target, isRead: one._tag === "Read", verdict: judge(approval, session, tool, { path, target }) }]
  })
  const outside = approved.filter(({ isRead, target, verdict: { decision, rule } }) =>
    isRead && !PathSpec.isInsideAny(SessionRules.rootsOf(session), target) &&
    (decision === "ask" || rule === undefined || rule.includes("("))
  ).map(({ target }) => target)
  const withOutside = { ...session, settings: { ...session.settings, roots: [...session.settings.roots ?? [], ...outside] } }
  return {
    consent: (file, rule) =>
      approved.some(({ path, target, verdict }) =>
        path === file.path && target === file.target ||
        rule !== undefined && verdict.decision === "ask" && verdict.rule === rule && PathSpec.isInside(target, file.target)
      ) ||
      PathSpec.isInsideAny(outside, file.target) && judge(approval, withOutside, tool, file).decision === "allow",
    outside
  }
}

const judge = (approval: Approval["Service"], session: Session, tool: string, { path, target }: File) =>
  approval.judge({
    name: tool,
    kind: "read",
    tags: ["read"],
    access: [path === target ? { _tag: "Read", path } : { _tag: "Read", path, resolvedPath: target }],
    requestsApproval: false
  }, session)

/** What rules, protections and consent let a session read; `tool` is the reading tool. */
const policy = (approval: Approval["Service"], session: Session, tool: string, { consent }: Grant): ReadPolicy => {
  const verdict = (path: string, target: string) => judge(approval, session, tool, { path, target })
  return {
    refusal: (path, target) => {
      const { decision, reason, rule } = verdict(path, target)
      return decision === "allow" ? undefined
        : decision === "deny" ? `A permission rule denies reading it (${rule ?? reason}).`
        : consent({ path, target }, rule) ? undefined
        : `Reading it needs separate approval (${rule ?? reason}).`
    },
    canList: (path, target) => {
      const { decision, rule } = verdict(path, target)
      return decision !== "deny" || rule === undefined
    }
  }
}

/** The workspace without the content and the names of files that the policy closes, with the reads outside that were approved. */
const view = (
  workspace: Workspace["Service"],
  { canList, refusal }: ReadPolicy,
  outside: ReadonlyArray<string>
): Workspace["Service"] => {
  const reader = outside.length === 0 ? undefined : workspace.outside?.(outside)
  const readerOf = (target: string): Reader => reader !== undefined && PathSpec.isInsideAny(outside, target) ? reader : workspace
  const absolute = (path: string): string => resolve(workspace.roots[0] ?? "/", path)
  const target = (path: string) => Effect.orElseSucceed(workspace.resolve(path), () => absolute(path))
  const open = <A>(path: string, read: (reader: Reader) => Effect.Effect<A, FileError>) =>
    Effect.flatMap(target(path), (target) => {
      const message = refusal(absolute(path), target)
      return message === undefined ? Effect.mapError(read(readerOf(target)), hideNearMisses)
        : Effect.fail(new FileError({ path, reason: "Denied", message }))
    })
  /** An error suggests existing names close to a missing path. */
  const hideNearMisses = (error: FileError): FileError => {
    const { message, near, path, reason } = error
    return near === undefined ? error
      : new FileError({ path, reason, message, near: near.filter((path) => canList(absolute(path), absolute(path))) })
  }
  /** In a folder reached through a link, files are judged under that name and under their own. */
  const inFolder = <A>(
    path: string,
    isVisible: (path: string, target: string) => boolean,
    read: (reader: Reader, isVisible: PathFilter) => Effect.Effect<A, FileError>
  ) =>
    Effect.flatMap(target(path), (folder) => {
      const isFileVisible: PathFilter = (file) =>
        isVisible(PathSpec.isInside(folder, file) ? absolute(path) + file.slice(folder.length) : file, file)
      return Effect.mapError(read(readerOf(folder), isFileVisible), hideNearMisses)
    })
  return {
    ...workspace,
    stat: (path) => Effect.flatMap(target(path), (target) => Effect.mapError(readerOf(target).stat(path), hideNearMisses)),
    readText: (path) => open(path, (reader) => reader.readText(path)),
    readBytes: (path) => open(path, (reader) => reader.readBytes(path)),
    list: (path, options) => inFolder(path, canList, (reader, isVisible) => reader.list(path, { ...options, isVisible })),
    search: (path, regex, options) =>
      inFolder(
        path,
        (file, target) => refusal(file, target) === undefined,
        (reader, isVisible) => reader.search(path, regex, { ...options, isVisible })
      )
  }
}

/** Runs an effect that reads for a session: its Workspace and everything else that opens files follow the session's rules. */
export const withReadPolicy =
  (session: Session, tool: string, grantOf: (approval: Approval["Service"]) => Grant) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Workspace> | Approval | Workspace> =>
    Effect.gen(function*() {
      const approval = yield* Approval
      const workspace = yield* Workspace
      const grant = grantOf(approval)
      const readPolicy = policy(approval, session, tool, grant)
      return yield* effect.pipe(
        Effect.provideService(Workspace, view(workspace, readPolicy, grant.outside)),
        Effect.provideService(ReadPolicy, readPolicy)
      )
    })
