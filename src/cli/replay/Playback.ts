/** Shows a recorded session again as its terminal showed it: what settled, and between it the words as they came. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Model from "../../domain/provider/Model.ts"
import * as Answer from "../../domain/session/ResponseBuilder.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Followed, SessionEvent } from "../../domain/session/SessionEvent.ts"
import * as Recording from "../../layers/replay/Recording.ts"
import { Parser } from "../../services/Parser.ts"
import { Tools } from "../../services/Tools.ts"
import { Host } from "../process/Host.ts"
import type { Recorded } from "./LoadRecording.ts"
import * as Lines from "../render/text/BlockLines.ts"
import * as Reflow from "../render/terminal/Reflow.ts"
import * as Screen from "../render/terminal/Screen.ts"
import type { Theme } from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"

/** ms at most that a pause of the session is waited for: nobody watches a night. */
const longest = 5_000

/** `speed`: 0 at once, 1 as it was, 2 twice as fast. Gives the view at the end. */
export const play = Effect.fnUntraced(function*({ events, getBlob }: Recorded, speed: number, theme: Theme) {
  const { stdin, stdout } = yield* Host
  const show = stdin.tty && stdout.tty && speed > 0 ? yield* onScreen(theme) : yield* inLines(theme)
  const wait = (ms: number) => speed > 0 && ms > 0 ? Effect.sleep(Math.min(ms, longest) / speed) : Effect.void
  let view = View.initial()
  const tell = (followed: Followed) => Effect.suspend(() => show(view = View.update(view, followed)))
  let session = Session.empty
  for (const at of events) {
    const said = speed > 0 ? yield* recording(at, getBlob) : []
    if (said.length > 0) yield* words(session, said, wait, tell)
    else yield* wait(session.seq < 0 ? 0 : at.time - session.time)
    session = Session.apply(session, at)
    yield* tell({ _tag: "Settled", at })
  }
  return view
}, Effect.scoped)

type Tell<E, R> = (followed: Followed) => Effect.Effect<void, E, R>

const recording = ({ event }: SessionEvent, getBlob: Recorded["getBlob"]) =>
  event._tag === "ModelResponded"
    ? Effect.flatMap(getBlob(event.recording), (bytes) => Recording.decode("", bytes))
    : Effect.succeed([])

/** An answer as it came, chunk by chunk. */
const words = Effect.fnUntraced(function*<E, R>(
  session: Session.Session,
  recorded: Effect.Success<ReturnType<typeof recording>>,
  wait: (ms: number) => Effect.Effect<void>,
  tell: Tell<E, R>
) {
  const parser = yield* Parser
  const tools = yield* Tools
  const { model, toolFormat } = Session.speaker(session)
  const answer = Answer.initial(session.responses + 1, Model.title(model))
  let last = 0
  yield* Stream.fromIterable(recorded).pipe(
    Stream.rechunk(1),
    Stream.tap(({ at }) => {
      const ms = at - last
      last = at
      return wait(ms)
    }),
    Stream.map(({ chunk }) => chunk),
    parser.parse(toolFormat, tools.specs(session)),
    Stream.runForEach((part) => part._tag === "Remarks" ? Effect.void : tell({ _tag: "Parsed", part: Answer.part(answer, part) }))
  )
})

/** Where nothing can be drawn again, blocks are printed as they settle. */
const inLines = Effect.fnUntraced(function*(theme: Theme) {
  const { stdout } = yield* Host
  let shown = 0
  return ({ blocks }: View.View) => {
    const from = shown
    shown = blocks.length
    const lines = blocks.slice(from).flatMap((block, i) => [
      ...(Lines.parted(blocks[from + i - 1], block) ? [""] : []),
      ...Lines.block(block, theme)
    ])
    return lines.length === 0 ? Effect.void : stdout.write(`${lines.join("\n")}\n`)
  }
})

const onScreen = Effect.fnUntraced(function*(theme: Theme) {
  const { environment: { variables }, terminal } = yield* Host
  const { open } = yield* Effect.promise(() => import("../render/terminal/InkTerminal.ts"))
  const face = yield* Effect.acquireRelease(
    Effect.sync(() => open(Screen.initial(View.initial()), { ...terminal, theme, tell: () => {}, reflows: Reflow.reflows(variables) })),
    ({ close }) => Effect.promise(close)
  )
  return (view: View.View) => Effect.andThen(Effect.sync(() => face.show(Screen.initial(view))), Effect.yieldNow)
})
