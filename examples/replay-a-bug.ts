/**
 * Replays a session without a model or files: first unchanged, then with a corrected tool result, to see where the run diverges.
 * `node examples/replay-a-bug.ts`
 */
import { Agent, EventLog, Outcome, Replay, Storage } from "dacapo"
import { Chain, MemoryWorkspace, Test } from "dacapo/testing"
import * as Effect from "effect/Effect"

const world = Test.layer({
  files: MemoryWorkspace.files({ "port.txt": "8o80\n" }),
  turns: [
    { calls: [{ name: "read_file", params: { path: "port.txt" } }] },
    { text: "The port is 8080." }
  ]
})

const program = Effect.gen(function*() {
  const agent = yield* Agent
  const session = yield* agent.start({ cwd: Test.cwd, model: "scripted/bug" })
  yield* agent.say(session, "Which port?")
  yield* agent.settled(session)

  const log = yield* (yield* EventLog).read(session)
  const { getBlob } = yield* Storage
  const { events } = yield* Replay.verify(log, { getBlob })
  console.log(`${events} events replayed, all equal`)

  const corrected = Chain.rehash(log, (event) =>
    event._tag === "ToolFinished" ? { ...event, outcome: { ...event.outcome, content: Outcome.succeeded("1 | 8080").content } } : event)
  const diverged = yield* Effect.flip(Replay.verify(corrected, { getBlob }))
  console.log(diverged._tag === "Diverged" ? `diverges at event ${diverged.seq}` : diverged.message)
})

await Effect.runPromise(Effect.provide(program, world))
