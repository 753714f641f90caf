/** A screen on a terminal: drawn when it changes, counting down, armed once it was seen, and gone when the scope closes. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import type { Desk } from "./ScreenStore.ts"
import { Host } from "../process/Host.ts"
import * as Lines from "../render/text/BlockLines.ts"
import * as Reflow from "../render/terminal/Reflow.ts"
import * as Screen from "../render/terminal/Screen.ts"
import { text, type Shown } from "../render/view/DisplayText.ts"
import type * as Theme from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"
import type * as TerminalApprover from "./TerminalApprover.ts"

/** At least so long, in ms, between two drawings, and so many times what the last one took: a slow screen may not slow the work. */
const pause = { least: 30, times: 4 }

/** How long an approval must have been seen before a key answers it. */
const glance = "300 millis"

/** `notice`: what calls a person back who has been away too long. `spoken`: lines that never change, for screen readers. */
export interface Options {
  readonly theme: Theme.Theme
  readonly spoken: boolean
  readonly notice?: (words: Shown) => string
}

/** A question has waited so long, or a task has taken so long, that the person may be elsewhere. */
const patience = "4 seconds"
const long = 30_000

/** Draws what has changed, counts down, arms what has been seen, and gives the terminal back at the end. */
export const draw = Effect.fnUntraced(function*(desk: Desk, { notice, spoken, theme }: Options) {
  const { environment: { variables }, terminal } = yield* Host
  const { open } = yield* Effect.promise(() => spoken ? import("../render/terminal/ScreenReader.ts") : import("../render/terminal/InkTerminal.ts"))
  const sleeps = yield* Queue.sliding<void>(1)
  const tell = (message: Screen.Message) => void (isSleep(message) ? Queue.offerUnsafe(sleeps, undefined) : desk.tell(message))
  const options = { ...terminal, theme, tell, reflows: Reflow.reflows(variables) }
  const turn = yield* Semaphore.make(1)
  let face = open(desk.screen(), options)
  const isBehind = () => face.printed() < desk.screen().view.blocks.length
  /** Draws, and tells how long it took and whether there is more to print: all at once would keep keys waiting. */
  const part = turn.withPermits(1)(Effect.timed(Effect.sync(() => {
    const before = face.printed()
    face.show(desk.screen())
    return isBehind() && face.printed() > before
  })))
  const show = Effect.repeat(Effect.tap(part, Effect.yieldNow), { while: ([, more]) => more })
  yield* Effect.addFinalizer(() => Effect.andThen(Effect.suspend(() => isBehind() ? show : Effect.void), Effect.promise(() => face.close())))
  if (isBehind()) Queue.offerUnsafe(desk.changed, undefined)
  yield* Queue.take(desk.changed).pipe(
    Effect.andThen(show),
    Effect.andThen(([took]) => Effect.raceFirst(Effect.sleep(Math.max(pause.least, pause.times * Duration.toMillis(took))), Queue.take(desk.typed))),
    Effect.forever,
    Effect.forkScoped
  )
  /** Who looks at the terminal needs no call. */
  const call = (words: Shown) => Effect.sync(() => {
    if (notice !== undefined && desk.screen().focused !== true) terminal.stdout.write(notice(words))
  })
  let since: number | undefined
  /** A long task is over. */
  const watched = (now: number) => Effect.suspend(() => {
    const { working } = desk.screen().view
    const over = !working && since !== undefined && now - since >= long
    since = working ? since ?? now : undefined
    return over ? call(text("The task is over.")) : Effect.void
  })
  yield* Clock.currentTimeMillis.pipe(
    Effect.tap(watched),
    Effect.tap((now) => Effect.sync(() => Screen.ticks(desk.screen()) && desk.tell({ _tag: "Tick", now }))),
    Effect.andThen(Effect.sleep("1 second")),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Queue.take(desk.waiting).pipe(
    Effect.tap(() => Effect.sleep(glance)),
    Effect.tap((waiting) => Effect.sync(() => desk.tell({ _tag: "Armed", waiting }))),
    Effect.andThen((waiting) => Effect.forkChild(Effect.delay(Effect.suspend(() => desk.screen().waiting === waiting ? call(wanted(waiting)) : Effect.void), patience))),
    Effect.forever,
    Effect.forkScoped
  )
  /** Gives the terminal to another program and takes it back; meanwhile nothing is drawn. */
  const lend: Lend = (effect) =>
    turn.withPermits(1)(Effect.acquireUseRelease(
      Effect.promise(() => face.close()),
      () => effect,
      () => Effect.sync(() => {
        face = open(desk.screen(), { ...options, from: face.printed() })
        Queue.offerUnsafe(desk.changed, undefined)
      })
    ))
  yield* Queue.take(sleeps).pipe(Effect.andThen(lend(terminal.sleep)), Effect.forever, Effect.forkScoped)
  return lend
})

/** Ctrl-Z, which a terminal that is drawn on does not turn into a signal. */
const isSleep = (message: Screen.Message): boolean => message._tag === "Key" && message.key.ctrl && message.key.text === "z"

/** What waits, in a few words. */
const wanted = (waiting: TerminalApprover.Waiting): Shown =>
  Lines.cut(text(waiting._tag === "Question" ? waiting.text : `May I ${waiting.question.access.map(View.touch).join(", ") || waiting.question.call.name}?`), 80)

export type Lend = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
