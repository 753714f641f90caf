/** The agent of one simulated process: its real services over the simulated surroundings, which fail as the seed says. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { ClientProgram, ClientProgramError } from "../../../services/extension/ClientProgram.ts"
import { Ids } from "../../../services/Ids.ts"
import type * as Tool from "../../../services/Tool.ts"
import type * as Composition from "../../Composition.ts"
import * as ProviderLive from "../../provider/ProviderLive.ts"
import * as Test from "../../Test.ts"
import * as MemoryFiles from "../MemoryFiles.ts"
import * as Life from "./Life.ts"
import * as SimulatedFiles from "./SimulatedFiles.ts"
import * as SimulatedModel from "./SimulatedModel.ts"
import * as SimulatedShell from "./SimulatedShell.ts"
import * as SimulatedStorage from "./SimulatedStorage.ts"
import * as SimulatedUser from "./SimulatedUser.ts"
import * as World from "./World.ts"

/** What a replacement is made of: the world of a seed, and one of its processes. */
export interface Place {
  readonly world: World.World
  readonly life: Life.Life
}

export interface Replacements {
  /** Tools of one's own, and calls of them that the model may make. */
  readonly tools?: ReadonlyArray<Tool.Any<never>>
  readonly calls?: ReadonlyArray<SimulatedModel.MakeCall>
  /** Layers in place of the world's, built for each process: services of one's own, or faults planted to be found. */
  readonly replace?: (place: Place) => Partial<Composition.Parts<never, Composition.All>>
}

const ids = (world: World.World) =>
  Layer.succeed(
    Ids,
    Ids.of({
      session: Effect.sync(() => `00000000-0000-7000-8000-${String(world.nextName()).padStart(12, "0")}`),
      seed: Effect.sync(() => `seed ${world.seed} ${world.nextName()}`)
    })
  )

const checkpoints = (world: World.World, life: Life.Life) =>
  Layer.succeed(Checkpoints, {
    ...world.checkpoints,
    save: (options) =>
      life.alive(Effect.suspend(() =>
        world.plan.strike("checkpoint failed") === undefined ? world.checkpoints.save(options)
          : Effect.fail(new CheckpointError({ reason: "Failed", message: "git failed." }))
      ))
  })

/** ms that a hook takes at most. */
const maxHookMs = 2_000

const hooks = ({ dice, plan }: World.World, life: Life.Life) =>
  Layer.succeed(ClientProgram, {
    hook: () =>
      life.alive(Effect.suspend(() => {
        if (plan.strike("hook hung") !== undefined) return Effect.never
        if (plan.strike("hook failed") !== undefined) return new ClientProgramError({ message: "it crashed" })
        const answer = plan.strike("hook denied") === undefined ? {} : { decision: "block", reason: "No." }
        return Effect.as(Effect.sleep(1 + dice("hooks").below(maxHookMs)), answer)
      })),
    send: () => new ClientProgramError({ message: "there are no servers" }),
    subscribe: () => () => {}
  })

export const services = ({ life, world }: Place, { calls, replace = () => ({}), tools = [] }: Replacements) =>
  Layer.provide(
    Test.layer({
      approver: SimulatedUser.approver(world, life),
      checkpoints: checkpoints(world, life),
      ids: ids(world),
      jsonFiles: MemoryFiles.layer(world.texts),
      provider: ProviderLive.layer({ routes: [SimulatedModel.route(world, life, calls)] }),
      shell: SimulatedShell.layer(world, life),
      storage: SimulatedStorage.layer(world, life),
      tools,
      workspace: SimulatedFiles.layer(world, life, Test.cwd),
      ...replace({ world, life })
    }),
    hooks(world, life)
  ) as Layer.Layer<Composition.All>

/** Loads what is loaded on use once in real time: a module that is still being loaded would be waited for in virtual time. */
const loadOnce = () =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    yield* Effect.promise(() =>
      Promise.all([
        import("../../control/FollowSession.ts"),
        import("../../control/RunOperation.ts"),
        import("../../tool/command/ReadOutput.ts")
      ])
    )
    const world = yield* World.make({ seed: 0, kinds: [] })
    yield* Layer.build(services({ world, life: Life.make(world, 1, new Map()) }, {}))
  })))
let loading: ReturnType<typeof loadOnce> | undefined

/** Before the first seed. */
export const load = () => loading ??= loadOnce()
