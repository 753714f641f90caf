/** Git worktrees for subagents that edit, each with an agent that works there and shares everything else with its parent's. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import { Agent } from "../../../services/Agent.ts"
import { Environment } from "../../../services/Environment.ts"
import { type WorktreeService, Worktrees } from "../../../services/Worktrees.ts"
import * as MergeWork from "./MergeWork.ts"
import * as Programs from "../Programs.ts"
import * as Worktree from "./Worktree.ts"

/** `agentIn` is the agent of a folder, over the services that surround this layer. */
export const layer = <E extends { readonly message: string }, R>(
  agentIn: (cwd: string) => Layer.Layer<Agent, E, R>
): Layer.Layer<never, never, Environment | R> =>
  Layer.effect(
    Worktrees,
    Effect.gen(function*() {
      const services = yield* Effect.context<R>()
      const environment = yield* Environment
      const pathFor = (folder: string) => Programs.searchPath(environment, [folder])
      // If two of them meet, git fails instead of waiting.
      const lock = yield* Semaphore.make(1)

      const gather: WorktreeService["merge"] = (_, cwd, parts) =>
        MergeWork.mergeWork(pathFor(cwd), cwd, parts).pipe(
          lock.withPermits(1),
          Effect.catch(({ message }) => Effect.succeed(parts.map((part) => MergeWork.failedMerge(part, message))))
        )
      const tidy: WorktreeService["cleanUp"] = (cwd, work) => lock.withPermits(1)(MergeWork.tidy(pathFor(cwd), cwd, work))

      const folders: WorktreeService = {
        sharingReason: (_, cwd) => Worktree.refusal(pathFor(cwd), cwd),
        open: Effect.fn("Worktrees.open")(function*(from, name) {
          const { cwd } = yield* lock.withPermits(1)(Worktree.openForSubagent(pathFor(from), from, name))
          // A separate memo map: what the parent has built already works in another folder.
          const context = yield* Layer.buildWithMemoMap(agentIn(cwd), yield* Layer.makeMemoMap, yield* Effect.scope).pipe(
            Effect.mapError(({ message }) => new CheckpointError({ reason: "Failed", message })),
            Effect.provide(Context.add(services, Worktrees, folders))
          )
          return { cwd, agent: Context.get(context, Agent) }
        }),
        merge: gather,
        cleanUp: tidy,
        keepBranches: (cwd, parts) =>
          gather("", cwd, parts.map((part) => ({ ...part, shouldMerge: false }))).pipe(Effect.tap((work) => tidy(cwd, work)))
      }
      return folders
    })
  )
