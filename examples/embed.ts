/**
 * Runs a task from a program. `node examples/embed.ts <folder> "<task>" [provider/model]`
 * Every service is a layer: the approver here denies whatever would prompt, with the reason.
 */
import { Agent, Approver, Live } from "dacapo"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const [folder = process.cwd(), task = "What is this project?", model = "anthropic/claude-sonnet-4-6"] = process.argv.slice(2)

const approver = Layer.succeed(Approver, {
  ask: ({ reason }) => Effect.succeed({ decision: "deny", scope: "once", by: "nobody", words: `Denied: ${reason}` }),
  question: () => Effect.succeed({ by: "nobody" })
})

const program = Effect.gen(function*() {
  const agent = yield* Agent
  const session = yield* agent.start({ cwd: folder, model, mode: "acceptEdits" })
  yield* agent.follow(session, 0).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        if (event._tag === "Settled") console.error(event.at.seq, event.at.event._tag)
      })),
    Effect.forkChild({ startImmediately: true })
  )
  yield* agent.say(session, task)
  const { cost, task: { result, state } } = yield* agent.settled(session)
  console.log(`${state}: ${result} ($${cost.toFixed(4)})`)
})

await Effect.runPromise(Effect.provide(program, Live.layer({ roots: [folder], approver })))
