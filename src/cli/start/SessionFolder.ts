/** Where a run takes place: a new session in the folder that was named, or an earlier one in its own. */
import * as Effect from "effect/Effect"
import { InputError, UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import * as Folder from "./WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as SessionNames from "./FindSession.ts"
import { Storage } from "../../services/Storage.ts"
import { Wiring } from "../process/AgentLayers.ts"
import * as Worktree from "./WorktreeFlag.ts"

/** Flags of a fork mean nothing without one, and a session that is there has its id and its place. */
const checked = ({ continue: latest, ephemeral, files, forkSession, resume, sessionId, to, worktree }: Values): Effect.Effect<void, UsageError> => {
  const news = ephemeral === true ? "--no-session" : sessionId !== undefined ? "--session-id" : worktree !== undefined ? "--worktree" : undefined
  return news !== undefined && (latest === true || resume !== undefined)
    ? Effect.fail(new UsageError({ message: `${news} is for a session that begins, not for one that is taken up again.` }))
  : forkSession === true && latest !== true && resume === undefined
    ? Effect.fail(new UsageError({ message: "--fork-session needs a session to begin from: add --continue or --resume <session>." }))
  : forkSession !== true && (to !== undefined || files === true)
    ? Effect.fail(new UsageError({ message: "--to and --files go with --fork-session; `dacapo rewind` goes back in the session itself." }))
  : Effect.void
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An id of the caller's, that no session has. */
const fresh = Effect.fnUntraced(function*(id: string) {
  if (!uuid.test(id)) return yield* new UsageError({ message: `--session-id needs a UUID; "${id}" is none.` })
  const { records } = yield* Wiring
  const kept = yield* Effect.provide(Effect.flatMap(Storage, (storage) => storage.read(id.toLowerCase(), 0)), records)
  if (kept.length > 0) return yield* new InputError({ message: `There is a session ${id} already: --resume ${id} takes it up.` })
})

/** `cwd` and `roots` (folders that are open beside it) are absolute, and there for as long as the scope lasts; `session` is the one to take up again. */
export const find = Effect.fnUntraced(function*(values: Values) {
  const host = yield* Host
  const cwd = yield* Folder.open(host.cwd, values.cd)
  yield* checked(values)
  const roots = yield* Effect.forEach(values.addDir ?? [], (folder) => Folder.open(host.cwd, folder))
  const named = values.resume ?? (values.continue === true ? "" : undefined)
  if (named === undefined) {
    if (values.sessionId !== undefined) yield* fresh(values.sessionId)
    return { cwd: yield* Worktree.folder(values, cwd), roots, session: undefined }
  }
  const { records } = yield* Wiring
  const session = yield* Effect.provide(SessionNames.find(named === "" ? "latest" : named, cwd), records)
  return { cwd: yield* Folder.open(session.cwd, undefined), roots, session: session.id }
})
