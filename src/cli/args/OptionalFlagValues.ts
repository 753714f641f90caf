/**
 * Flags with an optional value (`--resume`, `--worktree`): the argument after such a flag is its value if it names an existing
 * session or worktree, and otherwise the start of the prompt. A valid name for a new worktree counts if more arguments follow as
 * the prompt. The lookup runs only when such a flag is used.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../services/Storage.ts"
import type { Invocation } from "../Command.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

/** The invocation with each such argument assigned to its flag or to the prompt. */
export const resolve = Effect.fnUntraced(function*(invocation: Invocation) {
  const { optionalValueIndexes: { resume, worktree } = {}, values, args } = invocation
  const isSession = resume !== undefined && (yield* hasSession(args[resume]!))
  const isWorktree = worktree !== undefined && (yield* hasWorktree(values.cd, args[worktree]!, args.length > 1))
  const valueIndexes = [...isSession ? [resume] : [], ...isWorktree ? [worktree] : []]
  return {
    ...invocation,
    args: args.filter((_, index) => !valueIndexes.includes(index)),
    values: {
      ...values,
      ...(isSession ? { resume: args[resume]! } : {}),
      ...(isWorktree ? { worktree: args[worktree]! } : {})
    }
  } satisfies Invocation
})

/** Whether a session has this name. */
const hasSession = Effect.fnUntraced(function*(name: string) {
  const { records } = yield* AgentLayers
  const sessions = yield* Effect.provide(Effect.flatMap(Storage, (storage) => storage.list({})), records)
  return sessions.some(({ title }) => title === name)
})

/** Whether a worktree has this name or, if more arguments follow, could be created with it. */
const hasWorktree = Effect.fnUntraced(function*(cd: string | undefined, name: string, hasMoreArgs: boolean) {
  const { cwd, environment } = yield* Host
  const [Programs, Worktree] = yield* Effect.promise(() =>
    Promise.all([import("../../layers/workspace/Programs.ts"), import("../../layers/workspace/worktree/Worktree.ts")])
  )
  if (!Worktree.isName(name) || hasMoreArgs) return Worktree.isName(name)
  const folder = yield* WorkingFolder.open(cwd, cd)
  return yield* Worktree.exists(Programs.searchPath(environment, [folder]), folder, name)
})
