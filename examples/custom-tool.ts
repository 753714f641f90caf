/** A custom tool, offered to the model with the built-in ones. `node examples/custom-tool.ts` */
import { Access, Agent, Outcome, Tool } from "dacapo"
import { Test } from "dacapo/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const RollDice = Tool.define({
  name: "roll_dice",
  description: "Roll dice and return their sum.",
  params: Schema.Struct({
    sides: Schema.Int.annotate({ description: "The number of sides of each die." }),
    count: Schema.Int.annotate({ description: "The number of dice." })
  }),
  kind: "read",
  tags: [],
  access: (params) => [Access.other("roll_dice", params)],
  run: ({ count, sides }) => Effect.succeed(Outcome.succeeded(`${count} dice: ${count * Math.ceil(sides / 2)}`))
})

// The same layers as in a test: a scripted model and scripted approvals.
const world = Test.layer({
  tools: [RollDice],
  turns: [
    { calls: [{ name: "roll_dice", params: { sides: 6, count: 2 } }] },
    { text: "You rolled six.", expect: { lastResult: "2 dice: 6" } }
  ],
  answers: [{ decision: "allow" }]
})

const program = Effect.gen(function*() {
  const agent = yield* Agent
  const session = yield* agent.start({ cwd: Test.cwd, model: "scripted/dice" })
  yield* agent.say(session, "Roll two dice")
  const { task } = yield* agent.settled(session)
  console.log(task.result)
})

await Effect.runPromise(Effect.provide(program, world))
