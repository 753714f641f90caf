/** Git worktrees for children that edit, each with an agent that works there and shares everything else with its parent's. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import { Agent } from "../../../services/Agent.ts"
import { Environment } from "../../../services/Environment.ts"
import { type Folders, Worktrees } from "../../../services/Worktrees.ts"
import * as Gather from "./MergeWork.ts"
import * as Worktree from "./Worktree.ts"

/** `agentIn` is the agent of a folder, over the services that surround this layer. */
export const layer = <E extends { readonly message: string }, R>(agentIn: (cwd: string) => Layer.Layer<Agent, E, R>): Layer.Layer<never, never, Environment | R> =>
  Layer.effect(Worktrees, Effect.gen(function*() {
    const services = yield* Effect.context<R>()
    const { variables } = yield* Environment
    const path = variables["PATH"] ?? ""
    // Where two of them meet, git fails and does not wait.
    const turn = yield* Semaphore.make(1)

    const gather: Folders["gather"] = (_, cwd, parts) =>
      Gather.gather(path, cwd, parts).pipe(
        turn.withPermits(1),
        Effect.catch(({ message }) => Effect.succeed(parts.map((part) => Gather.untaken(part, message))))
      )
    const tidy: Folders["tidy"] = (cwd, work) => turn.withPermits(1)(Gather.tidy(path, cwd, work))

    const folders: Folders = {
      sharing: (_, cwd) => Worktree.refusal(path, cwd),
      open: Effect.fn("Worktrees.open")(function*(from, name) {
        const { cwd } = yield* turn.withPermits(1)(Worktree.openChild(path, from, name))
        // A memo map of its own: what the surroundings have built already works in another folder.
        const built = yield* Layer.buildWithMemoMap(agentIn(cwd), yield* Layer.makeMemoMap, yield* Effect.scope).pipe(
          Effect.mapError(({ message }) => new CheckpointError({ reason: "Failed", message })),
          Effect.provide(Context.add(services, Worktrees, folders))
        )
        return { cwd, agent: Context.get(built, Agent) }
      }),
      gather,
      tidy,
      keep: (cwd, parts) =>
        gather("", cwd, parts.map((part) => ({ ...part, merges: false }))).pipe(Effect.tap((work) => tidy(cwd, work)))
    }
    return folders
  }))
