/**
 * The words right behind flags that may take one (`--resume`, `--worktree`): a word is the flag's where it names something that
 * there is, and else the beginning of the prompt. A worktree that is yet to be is named where other words are the prompt. Looked
 * up for those alone who call them so.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../services/Storage.ts"
import type { Given } from "../Commands.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import { Wiring } from "../process/AgentLayers.ts"

/** The call with each of these words where it belongs. */
export const decided = Effect.fnUntraced(function*(given: Given) {
  const { behind: { resume, worktree } = {}, values, words } = given
  const isSession = resume !== undefined && (yield* session(words[resume]!))
  const isWorktree = worktree !== undefined && (yield* named(values.cd, words[worktree]!, words.length > 1))
  const taken = [...isSession ? [resume] : [], ...isWorktree ? [worktree] : []]
  return {
    ...given,
    words: words.filter((_, at) => !taken.includes(at)),
    values: {
      ...values,
      ...(isSession ? { resume: words[resume]! } : {}),
      ...(isWorktree ? { worktree: words[worktree]! } : {})
    }
  } satisfies Given
})

/** Whether a session has this name. */
const session = Effect.fnUntraced(function*(name: string) {
  const { records } = yield* Wiring
  const all = yield* Effect.provide(Effect.flatMap(Storage, (storage) => storage.list({})), records)
  return all.some(({ title }) => title === name)
})

/** Whether a worktree has this name, or may have it where one `may` be made. */
const named = Effect.fnUntraced(function*(cd: string | undefined, name: string, may: boolean) {
  const { cwd, environment: { variables } } = yield* Host
  const Worktree = yield* Effect.promise(() => import("../../layers/workspace/worktree/Worktree.ts"))
  return Worktree.isName(name) && (may || (yield* Worktree.exists(variables["PATH"] ?? "", yield* Folder.open(cwd, cd), name)))
})
