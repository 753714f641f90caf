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
import { Workspace } from "../../services/Workspace.ts"

/** A file under its own name and under that of its link target, both absolute. */
interface File {
  readonly path: string
  readonly target: string
}

/** Whether a person agreed to a read that the rules ask about; `rule` is the one that asks. A deny applies regardless. */
export type Consent = (file: File, rule: string | undefined) => boolean

/** The user named the files. */
export const userConsent: Consent = () => true

/** Nobody can be asked. No rule applies outside the open folders: there the reader's own limits do. */
export const unattendedConsent: Consent = (_, rule) => rule === undefined

/** A call was approved with what it touches: exactly these files, and those in a folder under the rule that asked about the folder. */
export const consentOfCall = (approval: Approval["Service"], session: Session, tool: string, access: ReadonlyArray<Access>): Consent => {
  const approved = access.flatMap((one) => {
    if (one._tag !== "Read" && one._tag !== "Edit") return []
    const path = resolve(session.cwd, one.path)
    const { decision, rule } = judge(approval, session, tool, { path, target: one.resolvedPath ?? path })
    return [{ path, target: one.resolvedPath ?? path, rule: decision === "ask" ? rule : undefined }]
  })
  return (file, rule) =>
    approved.some((one) =>
      one.path === file.path && one.target === file.target ||
      one.rule !== undefined && one.rule === rule && PathSpec.isInside(one.target, file.target)
    )
}

const judge = (approval: Approval["Service"], session: Session, tool: string, { path, target }: File) =>
  approval.judge({
    name: tool,
    kind: "read",
    tags: ["read"],
    access: [path === target ? { _tag: "Read", path } : { _tag: "Read", path, resolvedPath: target }],
    requestsApproval: false
  }, session)

/** What rules, protections and `consent` let a session read; `tool` is the reading tool. */
const policy = (approval: Approval["Service"], session: Session, tool: string, consent: Consent): ReadPolicy => {
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

/** The workspace without the content and the names of files that the policy closes. */
const view = (workspace: Workspace["Service"], { canList, refusal }: ReadPolicy): Workspace["Service"] => {
  const absolute = (path: string): string => resolve(workspace.roots[0] ?? "/", path)
  const target = (path: string) => Effect.orElseSucceed(workspace.resolve(path), () => absolute(path))
  const open = <A>(path: string, read: (path: string) => Effect.Effect<A, FileError>) =>
    Effect.flatMap(target(path), (target) => {
      const message = refusal(absolute(path), target)
      return message === undefined ? Effect.mapError(read(path), hideNearMisses)
        : Effect.fail(new FileError({ path, reason: "Denied", message }))
    })
  /** An error suggests existing names close to a missing path. */
  const hideNearMisses = (error: FileError): FileError => {
    const { message, near, path, reason } = error
    return near === undefined ? error
      : new FileError({ path, reason, message, near: near.filter((path) => canList(absolute(path), absolute(path))) })
  }
  /** In a folder reached through a link, files are judged under that name and under their own. */
  const pathFilter = (path: string, isVisible: (path: string, target: string) => boolean) =>
    Effect.map(
      target(path),
      (folder) => (file: string) => isVisible(PathSpec.isInside(folder, file) ? absolute(path) + file.slice(folder.length) : file, file)
    )
  return {
    ...workspace,
    stat: (path) => Effect.mapError(workspace.stat(path), hideNearMisses),
    readText: (path) => open(path, workspace.readText),
    readBytes: (path) => open(path, workspace.readBytes),
    list: (path, options) =>
      Effect.flatMap(
        pathFilter(path, canList),
        (isVisible) => Effect.mapError(workspace.list(path, { ...options, isVisible }), hideNearMisses)
      ),
    search: (path, regex, options) =>
      Effect.flatMap(
        pathFilter(path, (file, target) => refusal(file, target) === undefined),
        (isVisible) => Effect.mapError(workspace.search(path, regex, { ...options, isVisible }), hideNearMisses)
      )
  }
}

/** Runs an effect that reads for a session: its Workspace and everything else that opens files follow the session's rules. */
export const withReadPolicy =
  (session: Session, tool: string, consent: (approval: Approval["Service"]) => Consent) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Workspace> | Approval | Workspace> =>
    Effect.gen(function*() {
      const approval = yield* Approval
      const workspace = yield* Workspace
      const readPolicy = policy(approval, session, tool, consent(approval))
      return yield* effect.pipe(
        Effect.provideService(Workspace, view(workspace, readPolicy)),
        Effect.provideService(ReadPolicy, readPolicy)
      )
    })
