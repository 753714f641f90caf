/**
 * Flags with an optional value (`--resume`, `--worktree`): the argument after such a flag is its value if it names an existing
 * session or worktree, and otherwise the start of the prompt. A single word, or nearly the name of a session, is a mistyped name: it
 * is not sent to the latest session as a prompt. A valid name for a new worktree counts if more arguments follow as
 * the prompt. The lookup runs only when such a flag is used.
 */
import * as Effect from "effect/Effect"
import { Storage } from "../../services/Storage.ts"
import type { Invocation } from "../Command.ts"
import { InputError } from "../process/CliError.ts"
import { didYouMean, nearNames } from "./DidYouMean.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

/**
 * The invocation with each such argument assigned to its flag or to the prompt. A mistyped name of a session fails in a headless
 * run; in a terminal the user chooses a session instead.
 */
export const resolve = Effect.fnUntraced(function*(invocation: Invocation, isHeadless: boolean) {
  const { optionalValueIndexes: { resume, worktree } = {}, values, args } = invocation
  const names = resume === undefined ? [] : yield* sessionNames
  const isSession = resume !== undefined && names.includes(args[resume]!)
  if (resume !== undefined && !isSession && isMistyped(args[resume]!, names)) {
    const name = args[resume]!
    if (!isHeadless) return { ...invocation, args: args.filter((_, index) => index !== resume), unknownSession: name }
    return yield* new InputError({
      message: `No session is called "${name}".${didYouMean(name, names)} Run \`dacapo sessions list\` to list the sessions, ` +
        `or use --continue to send it as a prompt to the latest one.`
    })
  }
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

const sessionNames = Effect.gen(function*() {
  const { records } = yield* AgentLayers
  const sessions = yield* Effect.provide(Effect.flatMap(Storage, (storage) => storage.list({})), records)
  return sessions.map(({ title }) => title)
})

/** Whether an argument that names no session was meant to: prompts have several words, slash commands and `-` are prompts. */
const isMistyped = (name: string, names: ReadonlyArray<string>): boolean => /^[^\s/@-]\S*$/.test(name) || nearNames(name, names).length > 0

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
