/** Going back as the command line does it: asked about on another branch or commit, and told file by file. */
import * as Effect from "effect/Effect"
import * as Moment from "../../domain/session/Moment.ts"
import type { Change } from "../../domain/workspace/Checkpoint.ts"
import * as UserRepository from "../../layers/workspace/checkpoints/UserRepository.ts"
import { Agent, type Back, type WentBack } from "../../services/Agent.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { EventLog } from "../../services/EventLog.ts"
import { confirm } from "../terminal/Confirm.ts"
import * as View from "../render/view/View.ts"

/** Takes a session back; `cwd` is its folder. */
export const go = Effect.fnUntraced(function*({ back, cwd, session, yes }: {
  readonly session: string
  readonly cwd: string
  readonly back: Back
  readonly yes: boolean | undefined
}) {
  const agent = yield* Agent
  if (back.files) yield* samePlace(session, cwd, back.to, yes)
  return yield* agent.rewind(session, back)
})

/** Files of another branch are seldom meant. */
const samePlace = Effect.fnUntraced(function*(session: string, cwd: string, to: number, yes: boolean | undefined) {
  const checkpoints = yield* Checkpoints
  const log = yield* EventLog
  const saved = Moment.files(yield* log.read(session), to)
  if (saved._tag !== "Saved") return
  const then = (yield* checkpoints.list(session)).find(({ id }) => id === saved.id)
  const now = UserRepository.position(cwd)
  if (then === undefined || (now.branch === then.branch && now.head === then.head)) return
  yield* confirm(`These files were saved on ${place(then.branch, then.head)}, and you are on ${place(now.branch, now.head)}.`, yes)
})

const place = (branch: string | null, head: string | null): string =>
  head === null && branch === null ? "no branch" : `${branch ?? "no branch"} at ${head?.slice(0, 10) ?? "no commit"}`

/** A line for each file that changed, and for each that stays though it was made since. */
export const lines = ({ changes, kept }: WentBack): ReadonlyArray<string> => [
  ...changes.map(({ kind, path }) => line(kind, path)),
  ...kept.map((path) => line("kept", path)),
  ...(kept.length === 0 ? [] : ["Files that you made since are kept; --remove deletes those that it names."])
]

const line = (kind: Change["kind"] | "kept", path: string): string => `${kind.padEnd(9)} ${View.text(path).replaceAll("\n", "␤")}`
