/** Commands that may go on beside the agent, in the scope of this layer: what runs when it closes is ended. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { Environment } from "../../../services/Environment.ts"
import { type Asked, type Job, Jobs, type Lines, type Output } from "../../../services/BackgroundCommands.ts"
import { type Exit as Ended, Shell } from "../../../services/Shell.ts"
import * as Collect from "./CollectOutput.ts"
import * as OutputFile from "./OutputFile.ts"

/** Characters of head and tail that one look at a command shows. */
const keep = 48_000

/** Commands of a session that have ended and can still be read; of more, the oldest are forgotten. */
const remembered = 8

/** ms between two looks: at what came, and at whether there is enough. */
const every = { show: 50, wait: 100 }

export const layer: Layer.Layer<Jobs, never, Environment | Shell> = Layer.effect(Jobs, Effect.gen(function*() {
  const { folders } = yield* Environment
  const shell = yield* Shell
  const scope = yield* Effect.scope
  const sessions = new Map<string, Map<string, Job>>()
  const of = (session: string): ReadonlyArray<Job> => [...sessions.get(session)?.values() ?? []]
  const running = (session: string) => of(session).filter((job) => job.exit() === undefined)

  const start = Effect.fn("Jobs.start")(function*({ id, onOutput, session, ...program }: Asked) {
    yield* forgetOldest(session)
    const own = yield* Scope.make()
    const file = OutputFile.make(join(folders.cache, "output"))
    const collected = Collect.make({ keep, onOutput, onSettled: file.write })
    const begun = shell.start({ ...program, onBytes: collected.take }).pipe(Scope.provide(own))
    const { exit, hides, ports, stop } = yield* Effect.onError(begun, () => Scope.close(own, Exit.void))
    let ended: Ended | undefined
    const shown = yield* Effect.forkIn(Effect.forever(Effect.andThen(Effect.sleep(every.show), Effect.sync(collected.show))), own)
    const over = yield* exit.pipe(
      Effect.tap((exit) => Effect.sync(() => {
        collected.show()
        ended = exit
      })),
      Effect.tap(() => Fiber.interrupt(shown)),
      Effect.forkIn(own)
    )
    const job: Job = {
      id,
      command: program.command,
      exit: () => ended,
      output: outputOf(collected, file),
      ports: Effect.suspend(() => ended === undefined ? ports : Effect.succeed([])),
      hides: Effect.suspend(() => ended === undefined ? hides : Effect.succeed(false)),
      wait: (ms, enough = Effect.succeed(false)) => waited(Fiber.await(over), enough, ms),
      leave: Effect.asVoid(Fiber.interrupt(shown)),
      stop: Effect.andThen(stop, Effect.asVoid(Fiber.await(over))),
      close: Effect.suspend(() => {
        sessions.get(session)?.delete(id)
        return Effect.andThen(Scope.close(own, Exit.void), Effect.sync(file.close))
      })
    }
    const jobs = sessions.get(session) ?? new Map<string, Job>()
    sessions.set(session, jobs.set(id, job))
    return job
  }, Effect.uninterruptible, inRealTime)

  const forgetOldest = (session: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const ended = of(session).filter((job) => job.exit() !== undefined)
      return Effect.forEach(ended.slice(0, -remembered), ({ close }) => close, { discard: true })
    })

  yield* Scope.addFinalizer(scope, Effect.suspend(() =>
    Effect.forEach([...sessions.keys()].flatMap(of), ({ close }) => close, { concurrency: "unbounded", discard: true })))

  return Jobs.of({
    start,
    running: (session) => Effect.sync(() => running(session)),
    find: (session, id) => Effect.sync(() => sessions.get(session)?.get(id)),
    stop: (session) => Effect.suspend(() => Effect.forEach(running(session), ({ stop }) => stop, { concurrency: "unbounded", discard: true }))
  })
}))

/** A process lives in real time, whatever clock the program runs under. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Until it is over, there is enough, or the time is. */
const waited = (over: Effect.Effect<unknown>, enough: Effect.Effect<boolean>, ms: number): Effect.Effect<void> => {
  const looks = Effect.gen(function*() {
    while (!(yield* enough)) yield* Effect.sleep(every.wait)
  })
  return Effect.raceFirst(over, looks).pipe(Effect.timeoutOption(ms), Effect.asVoid, inRealTime)
}

const outputOf = (collected: Collect.Collector, file: OutputFile.OutputFile): Output => {
  let seen = 1
  const line = (): ReadonlyArray<string> => {
    const text = collected.line()
    return text === "" ? [] : [text]
  }
  const pending = (from: number): Stream.Stream<Lines> =>
    Stream.suspend(() => {
      const first = file.count() + 1
      return from > first ? Stream.empty : Stream.fromIterable(line().map((text) => ({ first, lines: [text] })))
    })
  return {
    excerpt: collected.result,
    count: () => file.count() + line().length,
    look: () => {
      const from = seen
      seen = file.count() + 1
      return from
    },
    lines: (from) => Stream.concat(Stream.orDie(Stream.fromAsyncIterable(file.read(from), (cause) => cause)), pending(from))
  }
}
