/** The folder of a run: the given one for a new session, or the session's own when it is resumed. */
import * as Effect from "effect/Effect"
import { InputError, UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"
import * as WorkingFolder from "./WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as FindSession from "./FindSession.ts"
import { Storage } from "../../services/Storage.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import * as WorktreeFlag from "./WorktreeFlag.ts"

/** Rejects flags of forks without a fork, and flags of new sessions when one is resumed. */
const checkFlags = (
  { continue: latest, ephemeral, files, forkSession, resume, resumeSessionAt, sessionId, to, worktree }: Values
): Effect.Effect<void, UsageError> => {
  const newSessionFlag = ephemeral === true
    ? "--no-session"
    : sessionId !== undefined
    ? "--session-id"
    : worktree !== undefined
    ? "--worktree"
    : undefined
  return newSessionFlag !== undefined && (latest === true || resume !== undefined)
    ? Effect.fail(
      new UsageError({ message: `${newSessionFlag} is only for new sessions; it can't be combined with --resume or --continue.` })
    )
    : forkSession === true && latest !== true && resume === undefined
    ? Effect.fail(new UsageError({ message: "--fork-session needs a session to fork: add --continue or --resume <session>." }))
    : forkSession !== true && (to !== undefined || files === true)
    ? Effect.fail(new UsageError({ message: "--to and --files need --fork-session. To rewind the session itself, use `dacapo rewind`." }))
    : resumeSessionAt !== undefined && resume === undefined
    ? Effect.fail(new UsageError({ message: "--resume-session-at needs --resume." }))
    : Effect.void
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Checks that an id is a UUID that no session has. */
const checkNewId = Effect.fnUntraced(function*(id: string) {
  if (!uuid.test(id)) return yield* new UsageError({ message: `"${id}" is not a valid value for --session-id; expected a UUID.` })
  const { records } = yield* AgentLayers
  const events = yield* Effect.provide(Effect.flatMap(Storage, (storage) => storage.read(id.toLowerCase(), 0)), records)
  if (events.length > 0) return yield* new InputError({ message: `Session ${id} already exists. To resume it, use --resume ${id}.` })
})

/** `cwd` and `roots` (additional folders) are absolute and exist until the scope closes; `session` is the one to resume. */
export const resolve = Effect.fnUntraced(function*(values: Values) {
  const host = yield* Host
  const cwd = yield* WorkingFolder.open(host.cwd, values.cd)
  yield* checkFlags(values)
  const roots = yield* Effect.forEach(values.addDir ?? [], (folder) => WorkingFolder.open(host.cwd, folder))
  const sessionName = values.resume ?? (values.continue === true ? "" : undefined)
  if (sessionName === undefined) {
    if (values.sessionId !== undefined) yield* checkNewId(values.sessionId)
    return { cwd: yield* WorktreeFlag.folder(values, cwd), roots, session: undefined }
  }
  const { records } = yield* AgentLayers
  const session = yield* Effect.provide(FindSession.find(sessionName === "" ? "latest" : sessionName, cwd), records)
  return { cwd: yield* WorkingFolder.open(session.cwd, undefined), roots, session: session.id }
})
