/** `/rewind`, `/undo` and Esc-Esc: restore files and conversation as of before a message, whose text goes back into the input line. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Checkpoint } from "../../../domain/workspace/Checkpoint.ts"
import { Agent } from "../../../services/Agent.ts"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { EventLog } from "../../../services/EventLog.ts"
import * as RewindSession from "../../replay/RewindSession.ts"
import { age } from "../../render/text/Age.ts"
import { cut } from "../../render/text/BlockLines.ts"
import { changes } from "../../render/view/Quantity.ts"
import { text as safeText } from "../../render/view/DisplayText.ts"
import * as ScreenStore from "../ScreenStore.ts"
import * as UserShell from "../UserShell.ts"
import { sessionId, type SlashContext } from "./SlashContext.ts"

/** A message to rewind to, with the changes to files that followed it. */
interface Point {
  readonly seq: number
  readonly time: number
  readonly text: string
  readonly counts: { readonly files: number; readonly added: number; readonly removed: number }
}

/** What a rewind restores. */
const parts = [
  { name: "Files and conversation", files: true, conversation: true },
  { name: "Conversation only; files stay as they are", files: false, conversation: true },
  { name: "Files only; the conversation stays as it is", files: true, conversation: false }
] as const

/** Back to before a message that the user chooses; `last` is the last one. */
export const rewind = Effect.fnUntraced(function*(context: SlashContext, which: string) {
  const { store } = context
  if (which === "last") {
    const last = yield* lastMessage(context)
    return last === undefined ? undefined : yield* rewindTo(context, last)
  }
  const points = yield* messages(context)
  const now = yield* Clock.currentTimeMillis
  const choice = yield* ScreenStore.pick(
    store,
    "Rewind to before which message? Another rewind undoes it.",
    points.map(({ counts, text, time }) => `${age(now - time).padEnd(10)}  ${changes(counts).padEnd(18)}  ${text.split("\n", 1)[0]!}`)
  )
  if (choice !== undefined) yield* rewindTo(context, points[choice]!)
})

/** Back to before the last message, files and conversation. */
export const undo = Effect.fnUntraced(function*(context: SlashContext) {
  const last = yield* lastMessage(context)
  if (last === undefined) return yield* ScreenStore.note(context.store, "Nothing to undo.")
  yield* restore(context, last, parts[0])
})

/** The last message that the model still sees. */
const lastMessage = Effect.fnUntraced(function*(context: SlashContext) {
  const { read } = yield* EventLog
  /** After each event, the seq of the last message of the conversation: a rewind takes it from the event that it goes back to. */
  const lastSeqs: Array<number | undefined> = []
  for (const { event, seq } of yield* read(yield* sessionId(context))) {
    lastSeqs.push(
      event._tag === "UserSaid" ? seq
        : event._tag === "Rewound" && event.conversation ? lastSeqs[event.to]
        : lastSeqs.at(-1)
    )
  }
  return (yield* messages(context)).find(({ seq }) => seq === lastSeqs.at(-1))
})

const rewindTo = Effect.fnUntraced(function*(context: SlashContext, point: Point) {
  const title = `Rewind to before ${quoted(point.text)} and edit it? What do you want to restore?`
  const choice = yield* ScreenStore.pick(context.store, title, parts.map(({ name }) => name))
  if (choice !== undefined) yield* restore(context, point, parts[choice]!)
})

/** The beginning of a message on one line. */
const quoted = (message: string): string => `"${cut(safeText(message.replaceAll("\n", " ")), 40)}"`

const restore = Effect.fnUntraced(function*(context: SlashContext, { seq, text }: Point, part: (typeof parts)[number]) {
  const { store } = context
  const { conversation, files, name } = part
  const agent = yield* Agent
  const result = yield* agent.rewind(yield* sessionId(context), { to: seq - 1, files, conversation, remove: [] })
  if (conversation) store.dispatch({ _tag: "Draft", text: UserShell.withoutTranscript(text) })
  const restored = name.split(";", 1)[0]!.replace(" only", "").toLowerCase()
  yield* ScreenStore.note(store, [`Rewound ${restored} to before ${quoted(text)}.`, ...RewindSession.lines(result)].join("\n"))
})

/** The messages of the session, newest first. A checkpoint's counts are of the changes since the previous one. */
const messages = Effect.fnUntraced(function*(context: SlashContext) {
  const id = yield* sessionId(context)
  const log = yield* EventLog
  const entries = (yield* log.read(id)).flatMap(({ event, seq, time }) =>
    event._tag === "UserSaid" ? [{ seq, time, text: event.text }] : []
  )
  const checkpoints = yield* Effect.orElseSucceed((yield* Checkpoints).list(id), () => [])
  return yield* Effect.forEach(
    entries.toReversed(),
    Effect.fnUntraced(function*(message) {
      const next = entries.find(({ seq }) => seq > message.seq)?.seq ?? Infinity
      const saved = checkpoints.filter(({ counts, seq }) => seq > message.seq && seq <= next && counts.files > 0)
      return {
        ...message,
        counts: {
          files: yield* changedFiles(checkpoints, saved),
          added: saved.reduce((sum, { counts }) => sum + counts.added, 0),
          removed: saved.reduce((sum, { counts }) => sum + counts.removed, 0)
        }
      } satisfies Point
    }),
    { concurrency: 4 }
  )
})

/** How many files differ between the checkpoint before these and the last of them. */
const changedFiles = Effect.fnUntraced(function*(all: ReadonlyArray<Checkpoint>, saved: ReadonlyArray<Checkpoint>) {
  const maxFiles = Math.max(0, ...saved.map(({ counts }) => counts.files))
  const before = all[all.indexOf(saved[0]!) - 1]
  if (saved.length < 2 || before === undefined) return maxFiles
  const changes = (yield* Checkpoints).changes(before.id, saved.at(-1)!.id)
  return yield* Effect.orElseSucceed(Effect.map(changes, ({ length }) => length), () => maxFiles)
})
