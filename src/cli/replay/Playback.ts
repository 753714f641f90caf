/** Plays a recorded session in the terminal: its events, and the streamed text between them. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Model from "../../domain/provider/Model.ts"
import * as ResponseBuilder from "../../domain/session/ResponseBuilder.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Followed, SessionEvent } from "../../domain/session/SessionEvent.ts"
import * as Recording from "../../layers/replay/Recording.ts"
import { Parser } from "../../services/Parser.ts"
import { Tools } from "../../services/Tools.ts"
import { Host } from "../process/Host.ts"
import type { SessionRecording } from "./LoadRecording.ts"
import * as BlockLines from "../render/text/BlockLines.ts"
import * as Reflow from "../render/terminal/Reflow.ts"
import * as Screen from "../render/terminal/Screen.ts"
import * as LoadMarkdown from "../render/text/LoadMarkdown.ts"
import type { Theme } from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"

/** Longest pause during playback, in ms. */
const maxPauseMs = 5_000

/** `speed`: 0 without pauses, 1 at the original speed, 2 twice as fast. Returns the final view. */
export const play = Effect.fnUntraced(function*({ events, getBlob }: SessionRecording, speed: number, theme: Theme) {
  const { stdin, stdout } = yield* Host
  const show = stdin.tty && stdout.tty && speed > 0 ? yield* screenPlayer(theme) : yield* linePlayer(theme)
  const wait = (ms: number) => speed > 0 && ms > 0 ? Effect.sleep(Math.min(ms, maxPauseMs) / speed) : Effect.void
  let view = View.initial()
  const apply = (followed: Followed) => Effect.suspend(() => show(view = View.update(view, followed)))
  let session = Session.empty
  for (const entry of events) {
    const chunks = speed > 0 ? yield* recording(entry, getBlob) : []
    if (chunks.length > 0) yield* playResponse(session, chunks, wait, apply)
    else yield* wait(session.seq < 0 ? 0 : entry.time - session.time)
    session = Session.apply(session, entry)
    yield* apply({ _tag: "Settled", at: entry })
  }
  return view
}, Effect.scoped)

type Apply<E, R> = (followed: Followed) => Effect.Effect<void, E, R>

const recording = ({ event }: SessionEvent, getBlob: SessionRecording["getBlob"]) =>
  event._tag === "ModelResponded"
    ? Effect.flatMap(getBlob(event.recording), (bytes) => Recording.decode("", bytes))
    : Effect.succeed([])

/** Plays a response chunk by chunk. */
const playResponse = Effect.fnUntraced(function*<E, R>(
  session: Session.Session,
  chunks: Effect.Success<ReturnType<typeof recording>>,
  wait: (ms: number) => Effect.Effect<void>,
  apply: Apply<E, R>
) {
  const parser = yield* Parser
  const tools = yield* Tools
  const { model, toolFormat } = Session.activeModel(session)
  const response = ResponseBuilder.initial(session.responseCount + 1, Model.title(model))
  let last = 0
  yield* Stream.fromIterable(chunks).pipe(
    Stream.rechunk(1),
    Stream.tap(({ at }) => {
      const delayMs = at - last
      last = at
      return wait(delayMs)
    }),
    Stream.map(({ chunk }) => chunk),
    parser.parse(toolFormat, tools.specs(session), { canRepair: session.settings.tagRepair === true }),
    Stream.runForEach((part) =>
      part._tag === "Remarks" ? Effect.void : apply({ _tag: "Parsed", part: ResponseBuilder.addPart(response, part) })
    )
  )
})

/** Prints each block once it is complete, for output that can't be redrawn. */
const linePlayer = Effect.fnUntraced(function*(theme: Theme) {
  const { stdout } = yield* Host
  const renderer = yield* LoadMarkdown.renderer(theme)
  let printed = 0
  return ({ blocks }: View.View) => {
    const from = printed
    printed = blocks.length
    const lines = blocks.slice(from).flatMap((block, i) => [
      ...(BlockLines.isSeparated(blocks[from + i - 1], block) ? [""] : []),
      ...BlockLines.blockLines(block, renderer)
    ])
    return lines.length === 0 ? Effect.void : stdout.write(`${lines.join("\n")}\n`)
  }
})

const screenPlayer = Effect.fnUntraced(function*(theme: Theme) {
  const { environment: { variables }, terminal } = yield* Host
  const { open } = yield* Effect.promise(() => import("../render/terminal/InkTerminal.ts"))
  const markdown = yield* LoadMarkdown.lines
  const terminalView = yield* Effect.acquireRelease(
    Effect.sync(() =>
      open(Screen.initial(View.initial()), {
        ...terminal,
        theme,
        dispatch: () => {},
        reflows: Reflow.reflows(variables),
        markdown: () => markdown
      })
    ),
    ({ close }) => Effect.promise(close)
  )
  return (view: View.View) => Effect.andThen(Effect.sync(() => terminalView.show(Screen.initial(view))), Effect.yieldNow)
})
