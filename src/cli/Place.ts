/** Where a run takes place: a new session in the folder that was named, or an earlier one in its own. */
import * as Effect from "effect/Effect"
import { UsageError } from "./CliError.ts"
import type { Values } from "./Flags.ts"
import * as Folder from "./Folder.ts"
import { Host } from "./Host.ts"
import * as SessionNames from "./SessionNames.ts"
import { Wiring } from "./Wiring.ts"
import * as Worktree from "./Worktree.ts"

/** Flags of a fork mean nothing without one, and an earlier session has its folder. */
const checked = ({ continue: latest, files, forkSession, resume, to, worktree }: Values): Effect.Effect<void, UsageError> =>
  worktree !== undefined && (latest === true || resume !== undefined)
    ? Effect.fail(new UsageError({ message: "--worktree is for a new session: an earlier one goes on in the folder that it had." }))
  : forkSession === true && latest !== true && resume === undefined
    ? Effect.fail(new UsageError({ message: "--fork-session needs a session to begin from: add --continue or --resume <session>." }))
  : forkSession !== true && (to !== undefined || files === true)
    ? Effect.fail(new UsageError({ message: "--to and --files go with --fork-session; `efferent rewind` goes back in the session itself." }))
  : Effect.void

/** `cwd` is absolute, and there for as long as the scope lasts; `session` is the one to take up again. */
export const find = Effect.fnUntraced(function*(values: Values) {
  const host = yield* Host
  const cwd = yield* Folder.open(host.cwd, values.cd)
  yield* checked(values)
  const named = values.resume ?? (values.continue === true ? "" : undefined)
  if (named === undefined) return { cwd: yield* Worktree.folder(values, cwd), session: undefined }
  const { records } = yield* Wiring
  const session = yield* Effect.provide(SessionNames.find(named === "" ? "latest" : named, cwd), records)
  return { cwd: yield* Folder.open(session.cwd, undefined), session: session.id }
})
