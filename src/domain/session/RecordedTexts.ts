/**
 * Texts of ours that an event holds. A replay takes them from the log: it verifies what was decided and sent, so
 * improved wording does not make an old session diverge.
 */
import type { Message } from "../message/Message.ts"
import type { Settled } from "./SessionEvent.ts"
import * as Carryover from "../context/compaction/Carryover.ts"

/** An event with the texts of the recorded one in its place; everything else stays as it is. */
export const adopt = <Event extends Settled>(event: Event, recorded: Settled): Event =>
  event._tag === recorded._tag ? { ...event, ...texts(event, recorded) } : event

type Table = {
  readonly [Tag in Settled["_tag"]]?: (
    event: Extract<Settled, { _tag: Tag }>,
    recorded: Extract<Settled, { _tag: Tag }>
  ) => Partial<Extract<Settled, { _tag: Tag }>>
}

const texts = (event: Settled, recorded: Settled): Partial<Settled> =>
  (table[event._tag] as ((event: Settled, recorded: Settled) => Partial<Settled>) | undefined)?.(event, recorded) ?? {}

const table: Table = {
  ContextPlanned: (_, { left }) => ({ left }),
  ContextCompacted: (event, recorded) => {
    if (!hasSamePlaces(event, recorded)) return {}
    const { after, left, replaced, shortened } = recorded
    return {
      after,
      left,
      shortened,
      ...(event.replaced === undefined || replaced === undefined ? {}
        : { replaced: { ...event.replaced, by: messages(event.replaced.by, replaced.by) } }),
      ...ifBoth("failed", event, recorded)
    }
  },
  ModelRequested: (event, recorded) => ifBoth("adapted", event, recorded),
  ModelResponded: (event, recorded) => ({
    warnings: recorded.warnings,
    malformed: event.malformed.map((one) => recorded.malformed.find(({ call }) => call === one.call) ?? one),
    ...ifBoth("nearMiss", event, recorded)
  }),
  ModelRetrying: (_, { message }) => ({ message }),
  ModelFailed: (_, { message }) => ({ message }),
  FallbackTaken: (_, { why }) => ({ why }),
  ModelWaiting: (_, { message }) => ({ message }),
  ToolProposed: (_, { reason }) => ({ reason }),
  ToolFinished: ({ outcome }, { outcome: { content, mistake, status } }) =>
    outcome.status === status && outcome.mistake === mistake ? { outcome: { ...outcome, content } } : {},
  CheckpointSaved: (_, { why }) => ({ why }),
  Reminded: (_, { text }) => ({ text }),
  SynthesisEnded: (event, recorded) => ifBoth("failed", event, recorded),
  TaskFailed: (_, { message }) => ({ message })
}

/** An optional text, if both events have one. */
const ifBoth = <Name extends string, Event extends { readonly [N in Name]?: unknown }>(
  name: Name,
  event: Event,
  recorded: Event
): Pick<Event, Name> | {} => event[name] === undefined || recorded[name] === undefined ? {} : { [name]: recorded[name] }

type Compacted = Extract<Settled, { readonly _tag: "ContextCompacted" }>

/** Whether the same parts were shortened and the same messages replaced. */
const hasSamePlaces = (event: Compacted, recorded: Compacted): boolean => JSON.stringify(places(event)) === JSON.stringify(places(recorded))

const places = ({ kind, replaced, shortened }: Compacted): unknown => [
  kind,
  replaced && [replaced.from, replaced.to],
  shortened.map(({ message, param, part }) => [message, part, param])
]

/** Parts written by a compaction are taken as recorded; the user's messages are compared. */
const messages = (event: ReadonlyArray<Message>, recorded: ReadonlyArray<Message>): ReadonlyArray<Message> =>
  event.map((message, i) => ({
    ...message,
    content: message.content.map((part, j) => {
      const other = recorded[i]?.content[j]
      return other !== undefined && Carryover.isSynthetic(part) && Carryover.isSynthetic(other) ? other : part
    })
  }))
