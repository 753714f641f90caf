/** A conversation in the terminal: events and keys go into the Screen, what it wishes is done, what it holds is drawn. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { Agent } from "../services/Agent.ts"
import { Provider } from "../services/Provider.ts"
import { Settings } from "../services/Settings.ts"
import type { Given } from "./Commands.ts"
import * as ErrorReport from "./ErrorReport.ts"
import { endings, type Failure } from "./ExitCode.ts"
import { Host } from "./Host.ts"
import * as Place from "./Place.ts"
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
  const wishes = yield* Queue.unbounded<Screen.Wish>()
  const drawings = yield* Queue.sliding<void>(1)
  let screen = Screen.initial(View.initial())

  const tell = (message: Screen.Message): void => {
    const [next, wish] = Screen.update(screen, message)
    screen = next
    if (wish !== undefined) Queue.offerUnsafe(wishes, wish)
    if (message._tag === "Waits" && message.waiting !== undefined) Queue.offerUnsafe(seen, message.waiting)
    Queue.offerUnsafe(drawings, undefined)
  }
  const seen = yield* Queue.unbounded<TerminalApprover.Waiting>()
  const approver = TerminalApprover.make((waiting) => tell({ _tag: "Waits", waiting }))

  const conversation = Effect.gen(function*() {
    const agent = yield* Agent
    const { allow } = yield* Settings
    const wanted = yield* Wanted.whole(values, "terminal", cwd, host.environment.variables)
    let mode = wanted.mode
    let session = earlier

    /** Shows a session from its first event on, for as long as the conversation lasts. */
    const watch = (id: string) =>
      agent.follow(id, 0).pipe(
        Stream.runForEach((followed) => Effect.sync(() => tell({ _tag: "Followed", followed }))),
        Effect.forkScoped({ startImmediately: true })
      )
    const begin = Effect.gen(function*() {
      session ??= yield* Effect.tap(agent.start({ ...wanted, mode }), watch)
      return session
    })

    if (session !== undefined) {
      const { settings } = yield* agent.state(session)
      yield* agent.resume(session, { wanted: Wanted.again(values, "terminal", settings), goOn: false })
      const { task } = yield* agent.state(session)
      yield* watch(session)
      if (task.state === "interrupted") tell({ _tag: "Noted", text: "The last task was not finished: /go goes on with it.", tone: "warn" })
    } else {
      const model = yield* Effect.flatMap(Provider, ({ describe }) => describe(wanted.model))
      screen = Screen.initial(View.initial({ mode, model }))
      tell({ _tag: "Noted", text: `efferent ${host.environment.version} in ${cwd}`, tone: "info" })
    }

    /** What the session can't do is told, and the conversation goes on. */
    const attempt = <A, R>(effect: Effect.Effect<A, Failure, R>) =>
      Effect.catch(Effect.asVoid(effect), (failure) => Effect.sync(() => tell({ _tag: "Noted", text: ErrorReport.sentence(failure), tone: "bad" })))

    const perform = Effect.fnUntraced(function*(wish: Screen.Wish) {
      switch (wish._tag) {
        case "Say": {
          yield* attempt(Effect.gen(function*() {
            const id = yield* begin
            yield* agent.say(id, wish.text, wish.delivery)
            if (wish.delivery === "task") yield* Effect.forkScoped(attempt(agent.settled(id)))
          }))
          return
        }
        case "GoOn":
          if (session !== undefined) yield* attempt(agent.resume(session, { wanted: {}, goOn: true }))
          return
        case "Answer": {
          const { offer } = wish.to.question
          if (wish.answer.scope === "always") yield* attempt(Effect.forEach(offer, (rule) => allow(cwd, rule), { discard: true }))
          return wish.to.answer(wish.answer)
        }
        case "Reply":
          return wish.to.answer(wish.reply)
        case "Interrupt":
          if (session !== undefined) yield* Effect.forkScoped(agent.interrupt(session, "The user interrupted."))
          return
        case "Switch":
          mode = wish.mode
          if (session === undefined) tell({ _tag: "Mode", mode })
          else yield* attempt(agent.switchMode(session, mode))
          return
      }
    })

    yield* Effect.acquireRelease(
      Effect.map(Effect.promise(() => import("./render/Live.ts")), ({ open }) => open(screen, { ...host.terminal, theme, tell })),
      ({ close }) => Effect.promise(close)
    ).pipe(
      Effect.tap(({ show }) =>
        Queue.take(drawings).pipe(
          Effect.andThen(Effect.timed(Effect.sync(() => show(screen)))),
          Effect.andThen(([took]) => Effect.sleep(Math.max(pause.least, pause.times * Duration.toMillis(took)))),
          Effect.forever,
          Effect.forkScoped
        )
      )
    )
    yield* Queue.take(seen).pipe(
      Effect.tap(() => Effect.sleep(glance)),
      Effect.andThen((waiting) => Effect.sync(() => tell({ _tag: "Armed", waiting }))),
      Effect.forever,
      Effect.forkScoped
    )
    if (words.length > 0) yield* perform({ _tag: "Say", text: words.join(" "), delivery: "task" })
    while (true) {
      const wish = yield* Queue.take(wishes)
      if (wish._tag === "Leave") return { session, exit: wish.by === "word" ? endings.finished.exit : endings.interrupted.exit }
      yield* perform(wish)
    }
  })

  const layer = wiring.layer({ roots: [cwd], approver, ...(values.baseUrl === undefined ? {} : { baseUrl: values.baseUrl }) })
  const { exit, session } = yield* Effect.provide(Effect.scoped(conversation), layer)
  if (session !== undefined) {
    yield* host.stdout.write(`${Lines.status(screen.view.status, theme)}\nGo on with: efferent --resume ${session}\n`)
  }
  return exit
})
