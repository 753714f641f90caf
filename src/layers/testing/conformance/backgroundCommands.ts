/**
 * The contract of all BackgroundCommands, as cases that any test runner can run: a case fails with an assertion. They must
 * know three commands: `printf 'one\ntwo\nthr'` prints that, `exit 3` ends with that code, `sleep 60` runs on.
 *
 *     for (const { name, run } of BackgroundCommandsConformance.cases(MyCommands.layer, cwd)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type BackgroundCommand, BackgroundCommands, type StartOptions } from "../../../services/BackgroundCommands.ts"
import { type Case, over } from "./ServiceCase.ts"

const print = String.raw`printf 'one\ntwo\nthr'`

/** `cwd` is a folder in which commands can run. */
export const cases = <E>(layer: Layer.Layer<BackgroundCommands, E>, cwd: string): ReadonlyArray<Case> => {
  const check = over(BackgroundCommands, layer)
  const options = (command: string, changes: Partial<StartOptions> = {}): StartOptions => ({
    session: "a",
    id: "call_1",
    command,
    cwd,
    onOutput: () => {},
    ...changes
  })
  const ended = (command: BackgroundCommand) => Effect.as(command.wait(20_000), command)
  return [
    check("returns the code and the output of a command that ended", ({ start }) =>
      Effect.gen(function*() {
        let live = ""
        const { exit, output } = yield* Effect.flatMap(start(options(print, { onOutput: (text) => void (live += text) })), ended)
        assert.deepEqual(exit(), { code: 0, signal: null })
        assert.deepEqual(output.excerpt(), { output: "one\ntwo\nthr", omittedCharacters: 0 })
        assert.equal(live, "one\ntwo\nthr")
      })),
    check(
      "returns the code of a command that fails",
      ({ start }) => Effect.map(Effect.flatMap(start(options("exit 3")), ended), ({ exit }) => assert.equal(exit()?.code, 3))
    ),
    check("knows how long a command ran once it has ended, and whether the model knows it", ({ start }) =>
      Effect.gen(function*() {
        const command = yield* start(options("sleep 60"))
        assert.equal(command.durationMs(), undefined)
        yield* command.stop
        assert.ok((command.durationMs() ?? -1) >= 0)
        assert.equal(command.isReported(), false)
        yield* command.report
        assert.equal(command.isReported(), true)
      })),
    check("numbers the lines, the unfinished one as well", ({ start }) =>
      Effect.gen(function*() {
        const { output } = yield* Effect.flatMap(start(options(print)), ended)
        assert.equal(output.count(), 3)
        const numbered = (from: number) =>
          Effect.map(Stream.runCollect(output.lines(from)), (all) =>
            all.flatMap(({ first, lines }) => lines.map((line, i) => [first + i, line])))
        assert.deepEqual(yield* numbered(2), [[2, "two"], [3, "thr"]])
        assert.deepEqual(yield* numbered(4), [])
      })),
    check("shows at each look what the last one did not, and an unfinished line again", ({ start }) =>
      Effect.gen(function*() {
        const { output } = yield* Effect.flatMap(start(options(print)), ended)
        assert.deepEqual([output.look(), output.look()], [1, 3])
      })),
    check("names the commands of each session that run, oldest first", ({ running, start }) =>
      Effect.gen(function*() {
        const ids = (session: string) => Effect.map(running(session), (commands) => commands.map(({ id }) => id))
        yield* start(options("sleep 60"))
        yield* start(options("sleep 60", { id: "call_2" }))
        yield* start(options("sleep 60", { session: "b", id: "call_3" }))
        yield* Effect.flatMap(start(options("exit 3", { id: "call_4" })), ended)
        assert.deepEqual(yield* ids("a"), ["call_1", "call_2"])
        assert.deepEqual(yield* ids("b"), ["call_3"])
        assert.deepEqual(yield* ids("c"), [])
      })),
    check("ends the command of a call that starts another one: its first result was lost", ({ find, start }) =>
      Effect.gen(function*() {
        const earlier = yield* start(options("sleep 60"))
        const later = yield* start(options("sleep 60"))
        assert.notEqual(earlier.exit(), undefined)
        assert.equal(later.exit(), undefined)
        assert.equal(yield* find("a", "call_1"), later)
      })),
    check("finds a command after it ended, until it is closed", ({ find, start }) =>
      Effect.gen(function*() {
        const command = yield* start(options("sleep 60"))
        yield* command.stop
        assert.equal(command.exit()?.code, null)
        assert.equal((yield* find("a", "call_1"))?.id, "call_1")
        assert.equal(yield* find("b", "call_1"), undefined)
        yield* command.close
        assert.equal(yield* find("a", "call_1"), undefined)
      })),
    check("stops the commands of one session, and no other's", ({ running, start, stop }) =>
      Effect.gen(function*() {
        const first = yield* start(options("sleep 60"))
        yield* start(options("sleep 60", { session: "b" }))
        yield* stop("a")
        assert.notEqual(first.exit(), undefined)
        assert.deepEqual([yield* running("a"), (yield* running("b")).length], [[], 1])
      })),
    check("has no ports and no prompt once it ended", ({ start }) =>
      Effect.gen(function*() {
        const { input, ports, type } = yield* Effect.flatMap(start(options(print)), ended)
        assert.deepEqual([yield* ports, yield* input, yield* type("x")], [[], { mode: "none", isReading: false }, false])
      })),
    check("reports its release to those who wait for it", ({ start }) =>
      Effect.gen(function*() {
        const { release, released } = yield* start(options("sleep 60"))
        const waiting = yield* Effect.forkChild(released, { startImmediately: true })
        yield* release
        yield* Fiber.join(waiting)
      }))
  ]
}
