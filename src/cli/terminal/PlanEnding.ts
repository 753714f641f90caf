/** After a plan was presented: lets the user choose whether and how it is implemented. */
import * as Effect from "effect/Effect"
import type { Mode } from "../../domain/approval/Mode.ts"
import type { Session } from "../../domain/session/Session.ts"
import { PresentPlan } from "../../layers/tool/PresentPlan.ts"
import type { Failure } from "../process/ExitCode.ts"
import type { Conversation } from "./Conversation.ts"
import * as ScreenStore from "./ScreenStore.ts"

const options: ReadonlyArray<{ readonly label: string; readonly mode?: Mode }> = [
  { label: "Yes, and accept edits", mode: "acceptEdits" },
  { label: "Yes, and ask before each edit", mode: "default" },
  { label: "No, keep planning" }
]

const planTools: ReadonlySet<string> = new Set([PresentPlan.name, ...PresentPlan.aliases ?? []])

/** Whether the last task ended with a plan. */
const hasPlan = ({ calls, settings, task }: Session): boolean =>
  settings.mode === "plan" && task.state === "finished" &&
  calls.some(({ call, outcome }) => planTools.has(call.name) && outcome?.status === "succeeded")

/** `settled` reads the session, whose task has ended. */
export const offer = Effect.fnUntraced(function*(
  settled: Effect.Effect<Session, Failure>,
  { conversation, say, store }: {
    readonly conversation: Conversation
    readonly store: ScreenStore.ScreenStore
    readonly say: (text: string) => Effect.Effect<void, Failure>
  }
) {
  const { isSendingQueue, queued } = store.screen()
  const session = yield* settled
  // What the user queued comes first: it is still here, on its way, or has started a task.
  if (queued.length > 0 || isSendingQueue || !hasPlan(session) || conversation.id() !== session.id) return
  const choice = yield* ScreenStore.pick(store, "Implement this plan?", options.map(({ label }) => label))
  const mode = choice === undefined ? undefined : options[choice]!.mode
  if (mode === undefined) return
  yield* conversation.setMode(mode)
  yield* say("Implement the plan.")
})
