/** Draws a screen on a terminal whenever it changes, ticks countdowns, enables prompts once they were seen, and closes with the scope. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import { optional } from "../../domain/Optional.ts"
import * as PromptReadiness from "./PromptReadiness.ts"
import type { ScreenStore } from "./ScreenStore.ts"
import { Host } from "../process/Host.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as ActivityLine from "../render/terminal/ActivityLine.ts"
import * as Reflow from "../render/terminal/Reflow.ts"
import * as Screen from "../render/terminal/Screen.ts"
import { text, type SafeText } from "../render/view/DisplayText.ts"
import * as LoadMarkdown from "../render/text/LoadMarkdown.ts"
import type * as Theme from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"
import type * as TerminalApprover from "./TerminalApprover.ts"

/** The pause between two frames: `minMs`, or `factor` times the last frame's duration, so that a slow terminal does not slow the work. */
const drawPause = { minMs: 30, factor: 4 }

/** `notification` encodes a desktop notification, `title` is the window's. `isScreenReader` prints plain lines that never change. */
export interface Options {
  readonly theme: Theme.Theme
  readonly isScreenReader: boolean
  readonly notification?: (text: SafeText) => string
  readonly title?: (screen: Screen.Screen) => SafeText
}

/** How long a prompt waits, or a task runs, before the user is notified. */
const notificationDelay = "4 seconds"
const longTaskMs = 30_000

/** Draws until the scope closes, and returns a way to lend the terminal to another program. */
export const draw = Effect.fnUntraced(function*(store: ScreenStore, { notification, isScreenReader, theme, title }: Options) {
  const { environment: { variables }, terminal } = yield* Host
  const { open } = yield* Effect.promise(() =>
    isScreenReader ? import("../render/terminal/ScreenReader.ts") : import("../render/terminal/InkTerminal.ts")
  )
  const sleeps = yield* Queue.sliding<void>(1)
  const dispatch = (message: Screen.Message) => void (isSleep(message) ? Queue.offerUnsafe(sleeps, undefined) : store.dispatch(message))
  let markdown: BlockLines.RenderMarkdown | undefined
  const options = {
    ...terminal,
    theme,
    dispatch,
    ...optional({ title }),
    reflows: Reflow.reflows(variables),
    markdown: () => markdown ?? noMarkdown
  }
  /** Loads the renderer of Markdown before the first text is shown. */
  const loadMarkdown = Effect.suspend(() =>
    markdown !== undefined || !View.hasText(store.screen().view) ? Effect.void
      : Effect.map(LoadMarkdown.lines, (lines) => {
        markdown = lines
      })
  )
  yield* loadMarkdown
  const drawLock = yield* Semaphore.make(1)
  let terminalView = open(store.screen(), options)
  /** The prompt of the last frame. */
  let drawnPrompt: Screen.ActivePrompt | undefined
  const hasUndrawnBlocks = () => terminalView.printedBlocks() < store.screen().view.blocks.length
  /** Draws one frame; returns its duration and whether more blocks are to be printed: printing all at once would delay keys. */
  const drawPart = drawLock.withPermits(1)(Effect.andThen(
    loadMarkdown,
    Effect.timed(Effect.sync(() => {
      const printedBefore = terminalView.printedBlocks()
      const screen = store.screen()
      terminalView.show(screen)
      if (!hasUndrawnBlocks() && Screen.activePrompt(screen) !== drawnPrompt) {
        drawnPrompt = Screen.activePrompt(screen)
        Queue.offerUnsafe(store.activity, undefined)
      }
      return hasUndrawnBlocks() && terminalView.printedBlocks() > printedBefore
    }))
  ))
  const drawAll = Effect.repeat(Effect.tap(drawPart, Effect.yieldNow), { while: ([, more]) => more })
  yield* Effect.addFinalizer(() => {
    store.set({ ...store.screen(), commandView: undefined })
    return Effect.andThen(Effect.suspend(() => hasUndrawnBlocks() ? drawAll : Effect.void), Effect.promise(() => terminalView.close()))
  })
  if (hasUndrawnBlocks()) Queue.offerUnsafe(store.changes, undefined)
  yield* Queue.take(store.changes).pipe(
    Effect.andThen(drawAll),
    Effect.andThen(([elapsed]) =>
      Effect.raceFirst(Effect.sleep(Math.max(drawPause.minMs, drawPause.factor * Duration.toMillis(elapsed))), Queue.take(store.keystrokes))
    ),
    Effect.forever,
    Effect.forkScoped
  )
  /** A user who looks at the terminal needs no notification. */
  const notify = (text: SafeText) =>
    Effect.sync(() => {
      if (notification !== undefined && store.screen().isFocused !== true) terminal.stdout.write(notification(text))
    })
  let workingSince: number | undefined
  /** Notifies the user when a long task has finished. */
  const notifyWhenDone = (now: number) =>
    Effect.suspend(() => {
      const { isWorking } = store.screen().view
      const isOver = !isWorking && workingSince !== undefined && now - workingSince >= longTaskMs
      workingSince = isWorking ? workingSince ?? now : undefined
      return isOver ? notify(text("Task finished.")) : Effect.void
    })
  yield* Clock.currentTimeMillis.pipe(
    Effect.tap(notifyWhenDone),
    Effect.tap((now) => Effect.sync(() => Screen.needsTick(store.screen(), now) && store.dispatch({ _tag: "Tick", now }))),
    Effect.andThen(Effect.sleep(ActivityLine.tickMs)),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.forkScoped(PromptReadiness.run(store, () => drawnPrompt))
  yield* Queue.take(store.prompts).pipe(
    Effect.andThen((waiting) =>
      Effect.forkChild(
        Effect.delay(
          Effect.suspend(() => store.screen().pending === waiting ? notify(promptText(waiting)) : Effect.void),
          notificationDelay
        )
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )
  /** Closes the screen while another program uses the terminal, and opens it again. */
  const lendTerminal: LendTerminal = (effect) =>
    drawLock.withPermits(1)(Effect.acquireUseRelease(
      Effect.promise(() => terminalView.close()),
      () => effect,
      () =>
        Effect.map(loadMarkdown, () => {
          // Keys typed for the other program answer no prompt.
          drawnPrompt = undefined
          store.dispatch({ _tag: "Ready", prompt: undefined })
          terminalView = open(store.screen(), { ...options, printedBlocks: terminalView.printedBlocks() })
          Queue.offerUnsafe(store.changes, undefined)
        })
    ))
  yield* Queue.take(sleeps).pipe(Effect.andThen(lendTerminal(terminal.sleep)), Effect.forever, Effect.forkScoped)
  return lendTerminal
})

/** A screen without text has nothing to render. */
const noMarkdown: BlockLines.RenderMarkdown = (text) => text.split("\n")

/** Ctrl-Z, which a terminal in raw mode does not turn into a signal. */
const isSleep = (message: Screen.Message): boolean => message._tag === "Key" && message.key.ctrl && message.key.text === "z"

/** The text of a notification about a prompt. */
const promptText = (waiting: TerminalApprover.PendingPrompt): SafeText =>
  BlockLines.cut(
    text(
      waiting._tag === "Question" ? waiting.text
        : `Approval needed: ${waiting.question.access.map(View.describeAccess).join(", ") || waiting.question.call.name}`
    ),
    80
  )

export type LendTerminal = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
