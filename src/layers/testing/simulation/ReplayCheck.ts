/** Replays what a simulation has recorded: every log must give the same log again. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import type * as Tool from "../../../services/Tool.ts"
import type { Storage } from "../../../services/Storage.ts"
import * as ProviderLive from "../../provider/ProviderLive.ts"
import * as VerifyReplay from "../../replay/VerifyReplay.ts"
import * as Test from "../../Test.ts"
import * as Dice from "./Dice.ts"
import * as EventLoop from "./EventLoop.ts"
import { SeededScheduler } from "./SeededScheduler.ts"
import * as SimulatedModel from "./SimulatedModel.ts"
import { VirtualClock } from "./VirtualClock.ts"

/** What a replay computes with. It has no state: all replays with the same tools share it. */
const build = (tools: ReadonlyArray<Tool.Any<never>>) =>
  Effect.runPromise(
    Effect.flatMap(Scope.make(), (scope) =>
      Layer.buildWithScope(Test.layer({ tools, provider: ProviderLive.layer({ routes: [SimulatedModel.silentRoute] }) }), scope))
  )
const services = new WeakMap<ReadonlyArray<Tool.Any<never>>, ReturnType<typeof build>>()
const noTools: ReadonlyArray<Tool.Any<never>> = []

/** What is wrong with the replay of a log; undefined if it gives the same log. */
export const divergence = async (
  seed: number,
  log: ReadonlyArray<SessionEvent>,
  getBlob: Storage["Service"]["getBlob"],
  tools: ReadonlyArray<Tool.Any<never>> = noTools
): Promise<string | undefined> => {
  const shared = services.get(tools) ?? build(tools)
  services.set(tools, shared)
  const context = await shared
  const dice = Dice.make(`${seed} replay`)
  const scheduler = new SeededScheduler(dice)
  const clock = new VirtualClock({ now: 0 }, (task) => scheduler.schedule(task))
  const { end } = await EventLoop.run(Effect.provide(VerifyReplay.verify(log, { getBlob }), context), { scheduler, clock, dice })
  return typeof end === "string" ? `the replay is ${end}` : Exit.isSuccess(end) ? undefined : `the replay fails: ${Cause.pretty(end.cause)}`
}
