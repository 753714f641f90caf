/**
 * Whole tasks in a world of faults, drawn from a seed: the disk refuses appends for a while, the provider fails before,
 * within and after an answer, the user interrupts, steers, asks for a summary, and the process dies. Time is virtual.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Chunk, TimedChunk } from "../../../src/domain/message/Chunk.ts"
import { ProviderError, type ProviderReason } from "../../../src/domain/provider/ProviderError.ts"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"
import * as Script from "../../../src/domain/provider/Script.ts"
import * as SeededRandom from "../../../src/domain/session/SeededRandom.ts"
import { LogError } from "../../../src/domain/session/LogError.ts"
import type { Delivery, SessionEvent } from "../../../src/domain/session/SessionEvent.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import * as Play from "../../../src/layers/provider/routes/PlayScript.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import * as Test from "../../../src/layers/Test.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import { RunCommand } from "../../../src/layers/tool/RunCommand.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { EventLog } from "../../../src/services/EventLog.ts"
import { Ids } from "../../../src/services/Ids.ts"
import { Provider } from "../../../src/services/Provider.ts"
import { Storage } from "../../../src/services/Storage.ts"

/** What is drawn from a seed, in order. */
interface Dice {
  /** A number in [0, 1). */
  readonly roll: () => number
  /** A whole number below `n`. */
  readonly below: (n: number) => number
  /** 1, 2, 3 and so on: a name for everything that is to happen once. */
  readonly next: () => number
  readonly pick: <A>(options: ReadonlyArray<A>) => A
  readonly isLucky: (probability: number) => boolean
}

const dice = (seed: number): Dice => {
  let place = 0
  let named = 0
  const roll = () => SeededRandom.randomAt(`simulation ${seed}`, place++)
  const below = (n: number) => Math.floor(roll() * n)
  return { roll, below, next: () => ++named, pick: (options) => options[below(options.length)]!, isLucky: (probability) => roll() < probability }
}

/** What the world remembers outside the log, which the log must agree with. */
export interface Story {
  readonly seed: number
  /** The session that the user talks to. */
  readonly root: string
  /** The log of each session, by its id. */
  readonly logs: ReadonlyMap<string, ReadonlyArray<SessionEvent>>
  /** The session as it was forked at each of its events, where that was asked for. */
  readonly forks: ReadonlyMap<string, ReadonlyArray<SessionEvent>>
  readonly getBlob: Storage["Service"]["getBlob"]
  /** Commands whose effect happened, each written by the model once. */
  readonly effects: ReadonlyArray<string>
  /** What was done to the session, to read a failure by. */
  readonly actions: ReadonlyArray<string>
  /** Faults that were met. */
  readonly faults: ReadonlyArray<string>
  /** Why the story did not come to its end. */
  readonly stuck: string | undefined
}

/** A world without faults is the control: everything succeeds in it. */
export interface Options {
  readonly seed: number
  readonly isFaulty?: boolean
  readonly forks?: boolean
}

const price = { input: 3, output: 15 }
const model = { price, maxOutput: 4_000, window: 24_000 }
const reasons: ReadonlyArray<ProviderReason> = [
  { _tag: "RateLimited" }, { _tag: "ServerFault" }, { _tag: "StreamBroken" }, { _tag: "Connection" }, { _tag: "BadRequest" }, { _tag: "EmptyAnswer" }
]

/** A model that does one thing or another, and stops after some answers. Each command that it writes is another one. */
const provider = ({ below, isLucky, next, pick }: Dice, faults: Array<string>, isFaulty: boolean) => {
  const task = () => ({ prompt: `Part ${next()}.`, name: "part", ...(isLucky(0.5) ? { mode: "edit" } : {}) })
  const call = () => pick([
    () => ({ name: "run_command", params: { command: `charge ${next()}` } }),
    () => ({ name: "run_command", params: { command: `charge ${next()}` } }),
    () => ({ name: "read_file", params: { path: pick(["a.txt", "b.txt"]) } }),
    () => ({ name: "read_file", params: { path: pick(["a.txt", "b.txt"]) } }),
    () => ({ name: "write_file", params: { path: `new${next()}.txt`, content: "new\n" } }),
    () => ({ name: "delegate", params: { tasks: Array.from({ length: 1 + below(3) }, task) } })
  ])()
  const turn = (request: ModelRequest): Script.Turn => {
    const text = "word ".repeat(1 + below(30))
    if (request.purpose !== undefined || Script.place(request) >= 3 + below(3)) return { text }
    return isLucky(0.85) ? { text, calls: Array.from({ length: 1 + below(3) }, call) } : { text }
  }
  const usage = (isFinal: boolean): Chunk =>
    ({ _tag: "Usage", usage: { input: 300 + below(300), output: isFinal ? 50 + below(300) : 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, final: isFinal })
  const answer = (request: ModelRequest): Stream.Stream<Chunk, ProviderError> => {
    const chunks = Script.chunks(turn(request), request).map((chunk) => chunk._tag === "Usage" ? usage(true) : chunk)
    const told = isLucky(0.5) ? [usage(false), ...chunks] : chunks
    const fails = isFaulty && isLucky(0.2)
    const slow = isLucky(0.3) ? 100 + below(3_000) : 1
    const paced = (all: ReadonlyArray<Chunk>) => Stream.fromIterable(all).pipe(Stream.rechunk(1), Stream.tap(() => Effect.sleep(slow)))
    if (!fails) return paced(told)
    const reason = pick(reasons)
    const come = isLucky(0.5) ? 0 : below(told.length)
    faults.push(`${reason._tag} after ${come} chunks`)
    return Stream.concat(paced(told.slice(0, come)), Stream.fail(new ProviderError({ provider: "scripted", message: `Fails with ${reason._tag}.`, reason })))
  }
  return Layer.succeed(Provider, Provider.of({
    describe: (name) => Effect.succeed(Script.model(name.replace(/^scripted\//, ""), { model, turns: [] })),
    prepare: (model, request) => Effect.succeed({ model, request, body: Play.encode(request) }),
    stream: ({ request }) => Stream.map(Stream.suspend(() => answer(request)), (chunk): TimedChunk => ({ at: 0, chunk }))
  }))
}

/** Virtual time passes until an effect is done; what is not done after so many steps never will be. */
const awaited = <A, E, R>(effect: Effect.Effect<A, E, R>, steps = 4_000): Effect.Effect<Exit.Exit<A, E> | undefined, never, R> =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    for (let step = 0; step < steps; step++) {
      const done = fiber.pollUnsafe()
      if (done !== undefined) return done
      yield* TestClock.adjust("1 second")
    }
    return undefined
  })

/** Lives through one seed's story, ends it in a world without faults, and gives what is left of it. */
export const live = Effect.fnUntraced(function*({ forks: isForked = false, isFaulty = true, seed }: Options) {
  const chance = dice(seed)
  const { below, isLucky, pick, roll } = chance
  const store = Context.get(yield* Layer.build(MemoryStorage.layer), Storage)
  const effects: Array<string> = []
  const actions: Array<string> = []
  const faults: Array<string> = []
  const files = MemoryWorkspace.files({ "a.txt": "one\n".repeat(400), "b.txt": "two\n".repeat(900) })
  const limits = { mistakes: 30, repeats: 30, waitMs: 0, ...pick([{}, { usd: 5 }, { usd: 0.4 }, { tokens: 60_000 }, { dayUsd: 2 }]) }
  const disk = pick([0.01, 0.04, 0.1])
  const calm = { faulty: isFaulty }

  const charge = {
    ...RunCommand,
    run: ({ command }: { readonly command: string }) =>
      Effect.gen(function*() {
        effects.push(command)
        yield* Effect.sleep(1 + below(2_000))
        return Outcome.succeeded("done")
      })
  }

  let processes = 0
  /** A process: `die` ends it in the middle of whatever it does, and nothing that it writes then arrives. */
  const process = Effect.gen(function*() {
    let alive = true
    let refuses = 0
    const refused = (why: string) => Effect.fail(new LogError({ session: "", message: why, reason: { _tag: "Disk", code: "ENOSPC" } }))
    const scope = yield* Scope.make()
    const storage = Layer.succeed(Storage, {
      ...store,
      lease: () => Effect.void,
      append: (session, lines, options) => Effect.suspend(() => {
        if (!alive) return refused("This process is dead.")
        if (refuses === 0 && calm.faulty && isLucky(disk)) refuses = 1 + below(4)
        if (refuses === 0 || !calm.faulty) return store.append(session, lines, options)
        refuses -= 1
        faults.push(`refused: ${lines.map(({ body }) => /"_tag":"(\w+)"/.exec(body)?.[1]).join(" ")}`)
        return refused("The disk is full.")
      }),
      putDraft: (session, bytes) => alive ? store.putDraft(session, bytes) : Effect.void
    })
    const world = yield* Layer.buildWithScope(
      Test.layer({ turns: [], provider: provider(chance, faults, calm.faulty), storage, files, tools: [charge] }),
      scope
    )
    // Ids of an earlier process are taken.
    processes += 1
    yield* Effect.repeat(Context.get(world, Ids).session, { times: 100 * processes })
    return {
      agent: Context.get(world, Agent),
      log: Context.get(world, EventLog),
      die: Effect.suspend(() => {
        alive = false
        return Effect.asVoid(Effect.exit(Scope.close(scope, Exit.void)))
      })
    }
  })

  let stuck: string | undefined
  let now = yield* process
  const root = `root-${seed}`
  const settle = Effect.gen(function*() {
    const ended = yield* awaited(now.agent.settled(root))
    if (ended === undefined) stuck ??= `nothing ended after: ${actions.at(-1)}`
  })
  /** What the disk refuses, the user tries again, or leaves. */
  const attempt = <A, E>(action: string, effect: Effect.Effect<A, E>) =>
    Effect.gen(function*() {
      actions.push(action)
      const exit = yield* awaited(effect)
      if (exit === undefined) stuck ??= `${action} did not return`
      return exit !== undefined && Exit.isSuccess(exit)
    })
  const another = (goOn: boolean | undefined) => Effect.gen(function*() {
    actions.push("the process dies")
    yield* awaited(now.die)
    now = yield* process
    if (goOn !== undefined) yield* attempt(`resume, ${goOn ? "" : "not "}going on`, now.agent.resume(root, { overrides: {}, shouldContinue: goOn }))
  })
  const say = (delivery: Delivery) => attempt(`say as ${delivery}`, now.agent.say(root, `Do more ${below(1_000)}.`, delivery))

  while (!(yield* attempt("start", now.agent.start({ id: root, cwd: Test.cwd, model: "scripted/test", mode: "bypassPermissions", onAsk: "deny", limits })))) actions.push("again")
  yield* say("task")
  for (let action = 3 + below(5); action > 0 && stuck === undefined; action--) {
    yield* pick([
      settle,
      settle,
      TestClock.adjust(below(4_000)),
      Effect.andThen(TestClock.adjust(below(4_000)), attempt("interrupt", now.agent.interrupt(root, "Stop."))),
      say("task"),
      say(pick(["steer", "queue", "task"])),
      attempt("compact", now.agent.compact(root)),
      Effect.andThen(TestClock.adjust(below(6_000)), Effect.suspend(() => isFaulty ? another(pick([true, false, false, undefined])) : Effect.void))
    ])
  }
  calm.faulty = false
  if (isFaulty && roll() < 0.5) yield* another(undefined)
  yield* attempt("resume, going on", now.agent.resume(root, { overrides: {}, shouldContinue: true }))
  yield* settle
  yield* say("task")
  yield* settle
  const all = yield* store.list({})
  const logs = new Map(yield* Effect.forEach(all, ({ id }) => Effect.map(Effect.orDie(now.log.read(id)), (log) => [id, log] as const)))
  const fork = Effect.fnUntraced(function*({ event: { _tag }, seq }: SessionEvent) {
    const id = yield* now.agent.fork(root, { at: seq, overrides: {} })
    return [`fork at ${seq}, ${_tag}`, yield* now.log.read(id)] as const
  })
  const forks = new Map(isForked ? yield* Effect.orDie(Effect.forEach(logs.get(root)!, fork)) : [])
  yield* awaited(now.die)
  return { seed, root, forks, logs, getBlob: store.getBlob, effects, actions, faults, stuck } satisfies Story as Story
})
