/** A conversation in the terminal: events and keys go into the Screen, what it wishes is done, what it holds is drawn. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Mode } from "../domain/approval/Mode.ts"
import * as Saying from "../domain/message/Saying.ts"
import * as Session from "../domain/session/Session.ts"
import { Agent } from "../services/Agent.ts"
import { ContextWindow } from "../services/ContextWindow.ts"
import { Intake } from "../services/Intake.ts"
import { Provider } from "../services/Provider.ts"
import { Redactor } from "../services/Redactor.ts"
import { Settings } from "../services/Settings.ts"
import type { Given } from "./Commands.ts"
import * as McpConfig from "./mcp/McpConfig.ts"
import * as Earlier from "./Earlier.ts"
import * as ErrorReport from "./ErrorReport.ts"
import { endings, type Failure } from "./ExitCode.ts"
import type { Values } from "./Flags.ts"
import { Host } from "./Host.ts"
import * as Offspring from "./Offspring.ts"
import * as Place from "./Place.ts"
import * as ContextLines from "./render/Context.ts"
import * as Lines from "./render/Lines.ts"
import * as Screen from "./render/Screen.ts"
import * as Theme from "./render/Theme.ts"
import * as View from "./render/View.ts"
import * as TerminalApprover from "./TerminalApprover.ts"
import * as Wanted from "./Wanted.ts"
import { Wiring } from "./Wiring.ts"

/** At least so long, in ms, between two drawings, and so many times what the last one took: a slow screen may not slow the work. */
const pause = { least: 30, times: 4 }

/** How long an approval must have been seen before a key answers it. */
const glance = "300 millis"

export const run = Effect.fnUntraced(function*({ values, words }: Given) {
  const host = yield* Host
  const wiring = yield* Wiring
  const { cwd, session: earlier } = yield* Place.find(values)
  const theme = Theme.of(values.color ?? "auto", true, host.environment.variables)
  const desk = yield* openDesk
  const approver = TerminalApprover.make((waiting) => desk.tell({ _tag: "Waits", waiting }))
  const conversation = Effect.gen(function*() {
    const session = earlier === undefined ? yield* fresh(values, cwd, desk) : yield* resumed(values, earlier, desk)
    yield* draw(desk, theme)
    const written = yield* Effect.flatMap(Intake, (intake) => intake.commands(cwd))
    desk.tell({ _tag: "Commands", names: written.map(({ name }) => name) })
    const perform = yield* performer(session, cwd, desk)
    if (words.length > 0) yield* perform({ _tag: "Say", text: words.join(" "), delivery: "task" })
    while (true) {
      const wish = yield* Queue.take(desk.wishes)
      if (wish._tag === "Leave") return { id: session.id(), exit: wish.by === "word" ? endings.finished.exit : endings.interrupted.exit }
      yield* perform(wish)
    }
  })
  const runtime = wiring.layer({ roots: [cwd], approver, ...Wanted.confined(values), ...(yield* McpConfig.servers(values, cwd)), ...(values.baseUrl === undefined ? {} : { baseUrl: values.baseUrl }) })
  const { exit, id } = yield* Effect.scoped(conversation).pipe(Effect.provide(runtime))
  if (id !== undefined) {
    yield* host.stdout.write(`${Lines.status(desk.screen().view.status, theme)}\nGo on with: efferent --resume ${id}\n`)
  }
  return exit
})

/** Where everything meets: `tell` changes the screen, `changed` says that it did, `wishes` is what it asks for. */
interface Desk {
  readonly screen: () => Screen.Screen
  readonly show: (screen: Screen.Screen) => void
  readonly tell: (message: Screen.Message) => void
  readonly changed: Queue.Queue<void>
  readonly wishes: Queue.Queue<Screen.Wish>
  /** What waits for the person, as it comes up. */
  readonly waiting: Queue.Queue<TerminalApprover.Waiting>
}

const openDesk = Effect.gen(function*() {
  const changed = yield* Queue.sliding<void>(1)
  const wishes = yield* Queue.unbounded<Screen.Wish>()
  const waiting = yield* Queue.unbounded<TerminalApprover.Waiting>()
  let screen = Screen.initial(View.initial())
  return {
    changed,
    wishes,
    waiting,
    screen: () => screen,
    show: (next) => void (screen = next),
    tell: (message) => {
      const [next, wish] = Screen.update(screen, message)
      screen = next
      if (wish !== undefined) Queue.offerUnsafe(wishes, wish)
      if (message._tag === "Waits" && message.waiting !== undefined) Queue.offerUnsafe(waiting, message.waiting)
      Queue.offerUnsafe(changed, undefined)
    }
  } satisfies Desk
})

/** The session of a conversation. `begin` gives its id, and starts it where it has not begun. */
interface Talk {
  readonly id: () => string | undefined
  readonly begin: Effect.Effect<string, Failure>
  /** The mode of a session that has not begun. */
  readonly choose: (mode: Mode) => void
}

/** A new session begins with the first word, so that looking around leaves none behind; its model is known before. */
const fresh = Effect.fnUntraced(function*(values: Values, cwd: string, desk: Desk) {
  const { environment } = yield* Host
  const agent = yield* Agent
  const { describe } = yield* Provider
  const watch = yield* watcher(desk)
  let wanted = yield* Wanted.whole(values, "terminal", cwd, environment.variables)
  let id: string | undefined
  desk.show(Screen.initial(View.initial({ mode: wanted.mode, model: yield* describe(wanted.model) })))
  desk.tell({ _tag: "Noted", text: `efferent ${environment.version} in ${cwd}`, tone: "info" })
  return {
    id: () => id,
    choose: (mode) => void (wanted = { ...wanted, mode }),
    begin: Effect.suspend(() =>
      id !== undefined ? Effect.succeed(id) : Effect.tap(agent.start(wanted), (started) => {
        id = started
        return watch(started)
      })
    )
  } satisfies Talk
})

/** An earlier session is shown from its first event on; what it had not finished waits until the person says so. */
const resumed = Effect.fnUntraced(function*(values: Values, earlier: string, desk: Desk) {
  const agent = yield* Agent
  const id = yield* Earlier.take(values, earlier)
  const watch = yield* watcher(desk)
  const { settings } = yield* agent.state(id)
  yield* agent.resume(id, { wanted: Wanted.again(values, "terminal", Wanted.before(settings)), goOn: false })
  const state = yield* agent.state(id)
  yield* watch(id)
  if (Session.resumable(state)) desk.tell({ _tag: "Noted", text: "The last task was not finished: /go goes on with it.", tone: "warn" })
  return { id: () => id, choose: () => {}, begin: Effect.succeed(id) } satisfies Talk
})

/** Shows a session's events for as long as the conversation lasts. */
const watcher = Effect.fnUntraced(function*(desk: Desk) {
  const agent = yield* Agent
  const scope = yield* Effect.scope
  const offspring = yield* Offspring.make(({ session }, followed) =>
    Effect.sync(() => followed._tag === "Settled" && desk.tell({ _tag: "Child", session, at: followed.at })))
  return Effect.fnUntraced(function*(id: string) {
    const { seq } = yield* agent.state(id)
    yield* agent.follow(id, 0).pipe(
      Stream.runForEach((followed) => {
        desk.tell({ _tag: "Followed", followed })
        // What others did before is in their logs, and not opened again.
        return followed._tag === "Settled" && followed.at.seq > seq ? offspring.on(followed.at) : Effect.void
      }),
      Effect.forkIn(scope, { startImmediately: true })
    )
  })
})

/** Draws what has changed, counts down, arms what has been seen, and gives the terminal back at the end. */
const draw = Effect.fnUntraced(function*(desk: Desk, theme: Theme.Theme) {
  const { terminal } = yield* Host
  const { open } = yield* Effect.promise(() => import("./render/Live.ts"))
  const face = yield* Effect.acquireRelease(
    Effect.sync(() => open(desk.screen(), { ...terminal, theme, tell: desk.tell })),
    ({ close }) => Effect.promise(close)
  )
  yield* Queue.take(desk.changed).pipe(
    Effect.andThen(Effect.timed(Effect.sync(() => face.show(desk.screen())))),
    Effect.andThen(([took]) => Effect.sleep(Math.max(pause.least, pause.times * Duration.toMillis(took)))),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Clock.currentTimeMillis.pipe(
    Effect.tap((now) => Effect.sync(() => Screen.ticks(desk.screen()) && desk.tell({ _tag: "Tick", now }))),
    Effect.andThen(Effect.sleep("1 second")),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Queue.take(desk.waiting).pipe(
    Effect.tap(() => Effect.sleep(glance)),
    Effect.andThen((waiting) => Effect.sync(() => desk.tell({ _tag: "Armed", waiting }))),
    Effect.forever,
    Effect.forkScoped
  )
})

/** Does what the screen wishes. What can't be done is told, and the conversation goes on. */
const performer = Effect.fnUntraced(function*(talk: Talk, cwd: string, desk: Desk) {
  const agent = yield* Agent
  const context = yield* ContextWindow
  const { allow } = yield* Settings
  const { redact } = yield* Redactor
  const scope = yield* Effect.scope
  const attempt = (effect: Effect.Effect<unknown, Failure>): Effect.Effect<void> =>
    Effect.catch(Effect.asVoid(effect), (failure) =>
      Effect.map(redact, (clean) => desk.tell({ _tag: "Noted", text: clean(ErrorReport.sentence(failure)), tone: "bad" })))
  const apart = (effect: Effect.Effect<unknown, Failure>) => Effect.asVoid(Effect.forkIn(attempt(effect), scope))

  type Table = { readonly [Tag in Exclude<Screen.Wish["_tag"], "Leave">]: (wish: Extract<Screen.Wish, { readonly _tag: Tag }>) => Effect.Effect<void> }
  const table: Table = {
    Say: ({ delivery, text }) =>
      attempt(Effect.gen(function*() {
        const problem = Saying.problem(text)
        if (problem !== undefined) return desk.tell({ _tag: "Noted", text: problem, tone: "warn" })
        const id = yield* talk.begin
        yield* agent.say(id, text, delivery)
        if (delivery === "task") yield* apart(agent.settled(id))
      })),
    Compact: () => attempt(Effect.gen(function*() {
      const id = talk.id()
      if (id === undefined) return desk.tell({ _tag: "Noted", text: "There is nothing to make smaller yet.", tone: "info" })
      yield* agent.compact(id)
      yield* apart(agent.settled(id))
    })),
    Context: () => attempt(Effect.gen(function*() {
      const id = talk.id()
      if (id === undefined) return desk.tell({ _tag: "Noted", text: "Nothing was said yet.", tone: "info" })
      const session = yield* agent.state(id)
      const report = yield* context.report(session, Session.speaker(session).model)
      desk.tell({ _tag: "Noted", text: ContextLines.lines(report, false).join("\n"), tone: "info" })
    })),
    GoOn: () => attempt(Effect.flatMap(talk.begin, (id) => agent.resume(id, { wanted: {}, goOn: true }))),
    Answer: ({ answer, to }) =>
      Effect.forEach(answer.scope === "always" ? to.question.offer : [], (rule) => attempt(allow(cwd, rule))).pipe(
        Effect.andThen(Effect.sync(() => to.answer(answer)))
      ),
    Reply: ({ reply, to }) => Effect.sync(() => to.answer(reply)),
    Interrupt: () => apart(Effect.flatMap(talk.begin, (id) => agent.interrupt(id, "The user interrupted."))),
    Switch: ({ mode }) => {
      const id = talk.id()
      if (id !== undefined) return attempt(agent.switchMode(id, mode))
      talk.choose(mode)
      return Effect.sync(() => desk.tell({ _tag: "Mode", mode }))
    }
  }
  return (wish: Exclude<Screen.Wish, { readonly _tag: "Leave" }>) => (table[wish._tag] as (wish: Screen.Wish) => Effect.Effect<void>)(wish)
})
