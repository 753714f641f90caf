/**
 * Runs tasks from a program without Effect. `node examples/promises.ts <folder> "<task>" [provider/model]`
 * `approve` decides what no rule allows; here it allows npm commands.
 */
import { createAgent } from "dacapo"

const [cwd = process.cwd(), task = "What is this project?", model = "anthropic/claude-sonnet-4-6"] = process.argv.slice(2)

const agent = createAgent({
  cwd,
  model,
  mode: "acceptEdits",
  approve: ({ access }) => access.every((touched) => touched._tag === "Command" && touched.command.startsWith("npm ")) ? "allow" : "deny"
})

const session = await agent.session()
for await (const event of session.stream(task)) {
  if (event._tag === "Settled") console.error(event.at.seq, event.at.event._tag)
}
const { cost, task: { result, state } } = await session.state()
console.log(`${state}: ${result} ($${cost.toFixed(4)})`)
await agent.close()
