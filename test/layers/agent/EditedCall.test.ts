/** A call that the user changed before it ran: judged anew as it is now, run as it is now, told to the model, and replayed. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Test from "../../../src/layers/Test.ts"
import { events, of, replays, run } from "./world.ts"

const command = (command: string) => ({ name: "run_command", params: { command } })
const commands = { "make clean": { output: "all gone\n" }, "make test": { output: "ok\n" } }

describe("a call that the user changed", () => {
  it.effect("is shown again in its new form, then runs, and the model is told", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Go", { mode: "default" })
      const all = yield* events(id)
      expect(session.task.state).toBe("finished")
      expect(of(all, "ToolProposed").flatMap(({ access }) => access)).toMatchObject([{ _tag: "Command", command: "make clean" }, { _tag: "Command", command: "make test" }])
      expect(of(all, "ToolFinished").map(({ outcome }) => JSON.stringify(outcome.content))).toEqual([expect.stringContaining("ok")])
      expect(JSON.stringify(session.messages)).toContain(JSON.stringify("The user changed this call before it ran. It ran with: {\"command\":\"make test\"}").slice(1, -1))
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      commands,
      turns: [{ calls: [command("make clean")] }, { text: "Done." }],
      answers: [{ decision: "allow", params: { command: "make test" } }, { decision: "allow" }]
    }))))

  it.effect("is denied if a rule denies its new form", () =>
    Effect.gen(function*() {
      const { id } = yield* run("Go", { mode: "default", rules: { allow: [], ask: [], deny: ["Bash(make clean)"] } })
      expect(of(yield* events(id), "ToolFinished").map(({ outcome }) => outcome.status)).toEqual(["denied"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      commands,
      turns: [{ calls: [command("make test")] }, { text: "Done." }],
      answers: [{ decision: "allow", params: { command: "make clean" } }]
    }))))
})
