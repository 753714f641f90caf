/**
 * Replaces services of the live agent: commands run in a shell of the program's own, files and sessions stay in memory.
 * `node examples/replace-services.ts`
 */
import { Agent, Approver, Live, Shell } from "dacapo"
import { Memory, MemoryCheckpoints, MemoryWorkspace, Scripted } from "dacapo/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tmpdir } from "node:os"

const root = tmpdir()
const files = MemoryWorkspace.files({ "hello.txt": "Hello\n" })

/** Nothing runs on this machine: every command only prints itself. */
const shell = Layer.mock(Shell)({
  inspect: () => Effect.succeed({}),
  run: ({ command }) =>
    Effect.succeed({ output: `elsewhere: ${command}\n`, omittedCharacters: 0, code: 0, signal: null, hasTimedOut: false }),
  start: ({ command, onBytes }) =>
    Effect.sync(() => {
      onBytes(new TextEncoder().encode(`elsewhere: ${command}\n`))
      return {
        exit: Effect.succeed({ code: 0, signal: null }),
        stop: Effect.void,
        ports: Effect.succeed([]),
        input: Effect.succeed({ mode: "none", isReading: false }), type: () => Effect.succeed(false)
      }
    })
})

const approver = Layer.succeed(Approver, {
  ask: () => Effect.succeed({ decision: "allow", scope: "once", by: "user" }),
  question: () => Effect.succeed({ by: "nobody" })
})

const agent = Live.layer({
  roots: [root],
  approver,
  shell,
  checkpoints: MemoryCheckpoints.layer(files),
  provider: Scripted.layer([
    { calls: [{ name: "run_command", params: { command: "make test" } }] },
    { text: "It passes.", expect: { lastResult: "elsewhere: make test" } }
  ]),
  storage: Memory.layer,
  workspace: MemoryWorkspace.layer(files, root)
})

const program = Effect.gen(function*() {
  const agent = yield* Agent
  const session = yield* agent.start({ cwd: root, model: "scripted/demo" })
  yield* agent.say(session, "Run the tests")
  const { task } = yield* agent.settled(session)
  console.log(task.result)
})

await Effect.runPromise(Effect.provide(program, agent))
