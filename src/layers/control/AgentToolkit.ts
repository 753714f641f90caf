/**
 * The agent as a Toolkit of `effect/ai`: another model delegates work to it.
 *
 *     LanguageModel.generateText({ prompt, toolkit: AgentToolkit.toolkit })
 *       .pipe(Effect.provide(AgentToolkit.layer({ cwd, model: "anthropic/claude-sonnet-5" })), Effect.provide(Live.layer({ … })))
 */
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Agent, type SessionOptions } from "../../services/Agent.ts"
import { runTask } from "./RunTask.ts"

/** A task that the agent runs to its end, in a session of its own. */
export const RunTask = Tool.make("run_task", {
  description:
    "Runs a coding task in a folder: an agent reads and edits files and runs commands until it is done, and reports what it did.",
  parameters: Schema.Struct({ prompt: Schema.String.annotate({ description: "The task, with everything that the agent needs to know." }) }),
  success: Schema.Struct({
    session: Schema.String,
    state: Schema.String,
    result: Schema.String,
    cost: Schema.Finite
  }),
  failure: Schema.Struct({ message: Schema.String }),
  failureMode: "return"
})

/** The toolkit of a request: its one tool is `run_task`. */
export const toolkit = Toolkit.make(RunTask)

/** The handlers: each call is a session with these options. Approvals are the agent's: its rules, mode and approver. */
export const layer = (options: SessionOptions): Layer.Layer<Tool.HandlersFor<typeof toolkit.tools>, never, Agent> =>
  toolkit.toLayer(Effect.map(Agent, (agent) => ({
    run_task: ({ prompt }: typeof RunTask.parametersSchema.Type) =>
      runTask(prompt, options).pipe(
        Effect.map(({ cost, id, result, state }) => ({ session: id, state, result, cost })),
        Effect.mapError(({ message }) => ({ message })),
        Effect.provideService(Agent, agent)
      )
  })))
