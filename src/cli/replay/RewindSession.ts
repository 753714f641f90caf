/** Rewinds a session from the command line: asks for confirmation on another branch or commit, and lists the files. */
import * as Effect from "effect/Effect"
import * as Rewind from "../../domain/session/Rewind.ts"
import type { Change } from "../../domain/workspace/Checkpoint.ts"
import * as UserRepository from "../../layers/workspace/checkpoints/UserRepository.ts"
import { Agent, type RewindOptions, type RewindResult } from "../../services/Agent.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { EventLog } from "../../services/EventLog.ts"
import { confirm } from "../terminal/Confirm.ts"
import type { Values } from "../args/Flags.ts"
import * as View from "../render/view/View.ts"

/** Rewinds a session; `cwd` is its folder. */
export const rewind = Effect.fnUntraced(function*({ target, cwd, session, values }: {
  readonly session: string
  readonly cwd: string
  readonly target: RewindOptions
  readonly values: Values
}) {
  const agent = yield* Agent
  if (target.files) yield* confirmSamePosition(session, cwd, target.to, values)
  return yield* agent.rewind(session, target)
})

/** Asks for confirmation if the checkpoint was saved on another branch or commit. */
const confirmSamePosition = Effect.fnUntraced(function*(session: string, cwd: string, to: number, values: Values) {
  const checkpoints = yield* Checkpoints
  const log = yield* EventLog
  const snapshot = Rewind.filesAt(yield* log.read(session), to)
  if (snapshot._tag !== "Saved") return
  const checkpoint = (yield* checkpoints.list(session)).find(({ id }) => id === snapshot.id)
  const current = UserRepository.position(cwd)
  if (checkpoint === undefined || (current.branch === checkpoint.branch && current.head === checkpoint.head)) return
  const [savedPosition, currentPosition] = [checkpoint, current].map(({ branch, head }) => describePosition(branch, head))
  yield* confirm(`The checkpoint was saved on ${savedPosition}; you are now on ${currentPosition}.`, values)
})

const describePosition = (branch: string | null, head: string | null): string =>
  head === null && branch === null ? "no branch" : `${branch ?? "no branch"} at ${head?.slice(0, 10) ?? "no commit"}`

/** A line for each changed file, and for each file that was created since and is kept. */
export const lines = ({ changes, remaining }: RewindResult): ReadonlyArray<string> => [
  ...changes.map(({ kind, path }) => line(kind, path)),
  ...remaining.map((path) => line("kept", path)),
  ...(remaining.length === 0 ? [] : ["Files created since are kept. Use --remove <paths> to delete them."])
]

const line = (kind: Change["kind"] | "kept", path: string): string => `${kind.padEnd(9)} ${View.text(path).replaceAll("\n", "␤")}`
