/** A task without anyone watching: a prompt in, an answer or a stream of JSON out, never a question. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Saying from "../domain/message/Saying.ts"
import * as Model from "../domain/provider/Model.ts"
import * as Session from "../domain/session/Session.ts"
import type { Followed, SessionEvent } from "../domain/session/SessionEvent.ts"
import { Agent } from "../services/Agent.ts"
import { Tools } from "../services/Tools.ts"
import type { Given } from "./Commands.ts"
import { InputError, type OutputError } from "./CliError.ts"
import { Conclusion } from "./Conclusion.ts"
import * as Earlier from "./Earlier.ts"
import * as ExitCode from "./ExitCode.ts"
import { Host } from "./Host.ts"
import * as NobodyApprover from "./NobodyApprover.ts"
import * as Place from "./Place.ts"
import * as Prompt from "./Prompt.ts"
import * as Json from "./render/Json.ts"
import * as Plain from "./render/Plain.ts"
import * as Report from "./render/Report.ts"
import * as Theme from "./render/Theme.ts"
import * as StreamInput from "./StreamInput.ts"
import * as Wanted from "./Wanted.ts"
import { Wiring } from "./Wiring.ts"
import * as Working from "./Working.ts"

export const run = Effect.fnUntraced(function*({ values, words }: Given) {
  const conclusion = yield* Conclusion
  const host = yield* Host
  const wiring = yield* Wiring
  const streamed = values.inputFormat === "stream-json"
  const prompt = streamed ? spoken(words) : yield* Prompt.gather(words)
  if (prompt === undefined && !streamed && values.resume === undefined && values.continue !== true) {
    return yield* new InputError({ message: "There is no prompt: give one as an argument or on standard input." })
  }
  const problem = prompt === undefined ? undefined : Saying.problem(prompt)
  if (problem !== undefined) return yield* new InputError({ message: problem })
  const { cwd, session: earlier } = yield* Place.find(values)
  const layer = wiring.layer({
    roots: [cwd],
    approver: Layer.provide(NobodyApprover.layer(values.onAsk ?? "deny"), Layer.succeed(Host, host)),
    ...Wanted.confined(values),
    ...(values.baseUrl === undefined ? {} : { baseUrl: values.baseUrl })
  })
  const work = Effect.gen(function*() {
    const agent = yield* Agent
    const session = earlier === undefined
      ? yield* agent.start(yield* Wanted.whole(values, "headless", cwd, host.environment.variables))
      : yield* Earlier.take(values, earlier)
    const before = yield* agent.state(session)
    if (prompt === undefined && !streamed && !Session.resumable(before)) {
      return yield* new InputError({ message: `Session ${session} has nothing left to do: give it a prompt.` })
    }
    if (earlier !== undefined) {
      yield* Wanted.checked(values)
      yield* agent.resume(session, { wanted: Wanted.again(values, "headless", Wanted.before(before.settings)), goOn: prompt === undefined && !streamed })
    }
    const first: Stream.Stream<StreamInput.Said, InputError> = prompt === undefined ? Stream.empty : Stream.make({ text: prompt, delivery: "task" })
    const says = streamed ? Stream.concat(first, StreamInput.said(host.stdin.lines)) : first
    return yield* watch(yield* agent.state(session), earlier === undefined ? 0 : before.seq + 1, says, values.verbose === true)
  })
  const ending = yield* Effect.provide(work, layer)
  return yield* conclusion.tell(ending)
})

const spoken = (words: ReadonlyArray<string>): string | undefined => words.length === 0 ? undefined : words.join(" ")

/**
 * Says what is to be said, shows every event from `from` on, and gives the ending. Interrupted, it stops the task and shows how
 * its calls ended.
 */
const watch = Effect.fnUntraced(function*(state: Session.Session, from: number, says: Stream.Stream<StreamInput.Said, InputError>, verbose: boolean) {
  const agent = yield* Agent
  const { format, report } = yield* Conclusion
  const { environment, stderr, stdout } = yield* Host
  const session = state.id
  yield* Ref.set(report, Report.of(session, state.settings))
  if (format === "stream-json") yield* stdout.write(Json.line(Json.init(yield* describe(state))))
  let seen = from - 1
  const working = yield* Working.make(session, verbose)
  let progress = Plain.initial()
  const theme = Theme.of("auto", stderr.tty, environment.variables)
  const tell = (followed: Followed): Effect.Effect<void> => {
    const [next, lines] = Plain.update(progress, followed, theme)
    progress = next
    return lines === "" ? Effect.void : Effect.ignore(stderr.write(lines))
  }
  const show = (followed: Followed): Effect.Effect<void, OutputError> =>
    Effect.uninterruptible(Effect.gen(function*() {
      if (verbose || (followed._tag === "Settled" && Plain.matters(followed.at.event))) yield* tell(followed)
      if (followed._tag !== "Settled") return
      const { event } = followed.at
      if (!verbose && event._tag === "BudgetSettled" && event.warning !== undefined) {
        yield* Effect.ignore(stderr.write(`efferent: ${event.warning}% of the budget are used.\n`))
      }
      seen = followed.at.seq
      const { model } = yield* Ref.updateAndGet(report, (before) => Report.update(before, followed.at))
      const line = spoken(followed.at, model)
      if (line !== "") yield* stdout.write(line)
      yield* working.on(followed.at)
    }))
  const spoken = (at: SessionEvent, model: string): string => {
    if (format === "events") return Json.line(at)
    const message = format === "stream-json" ? Json.message(session, model, at) : undefined
    return message === undefined ? "" : Json.line(message)
  }
  const catchUp = Effect.gen(function*() {
    const { seq } = yield* agent.state(session)
    if (seen >= seq) return
    yield* agent.follow(session, seen + 1).pipe(
      Stream.takeUntil((followed) => followed._tag === "Settled" && followed.at.seq >= seq),
      Stream.runForEach(show)
    )
  })
  const { wallMs } = state.settings.limits
  let late = false
  let compacted = false
  /** A limit on time also ends what is running, not only what would come next. */
  const deadline = wallMs === undefined ? Effect.void : Effect.suspend(() => {
    late = true
    return agent.interrupt(session, `The time limit of ${Math.round(wallMs / 1000)} s is reached.`)
  }).pipe(Effect.delay(wallMs), Effect.forkChild)
  const task = Effect.gen(function*() {
    yield* deadline
    const follower = yield* agent.follow(session, seen + 1).pipe(
      Stream.filter(({ _tag }) => _tag === "Settled" || _tag === "Notice"), // tokens are thousands, and nobody here shows them
      Stream.runForEach(show),
      Effect.forkChild({ startImmediately: true })
    )
    const heard = Effect.gen(function*() {
      yield* Stream.runForEach(says, ({ delivery, text }) => {
        compacted ||= compacts(text)
        return compacts(text) ? agent.compact(session) : agent.say(session, text, delivery)
      })
      if (!compacted && (yield* agent.state(session)).task.state === "idle") {
        return yield* new InputError({ message: "There is no message on standard input." })
      }
    })
    yield* Effect.raceFirst(Effect.andThen(heard, agent.settled(session)), Effect.andThen(Fiber.join(follower), Effect.never))
    yield* Fiber.interrupt(follower)
    yield* catchUp
    yield* working.end
  })
  yield* Effect.onInterrupt(task, () =>
    Effect.ignore(Effect.andThen(agent.interrupt(session, "The process was told to stop."), catchUp)))
  const { ended, provider } = yield* Ref.get(report)
  return ended === "finished" || (ended === "no" && compacted) ? ExitCode.endings.finished
    : ended === "no" ? late ? ExitCode.ofTask("time", provider) : ExitCode.endings.interrupted
    : ExitCode.ofTask(ended, provider)
}, Effect.scoped)

/** Whether a prompt asks efferent itself to make the conversation smaller. */
const compacts = (prompt: string): boolean => /^\/(?:compact|smol|condense)$/.test(prompt.trim())

/** What the first line of a stream says. */
const describe = Effect.fnUntraced(function*(session: Session.Session) {
  const { cwd, id, settings } = session
  const tools = yield* Tools
  return {
    session: id,
    cwd,
    model: Model.title(settings.model),
    mode: settings.mode,
    tools: tools.specs(session).map(({ name }) => name)
  }
})
