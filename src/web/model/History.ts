/** The log of a session in the browser, folded once: the state and the conversation at any event, at once. */
import * as Session from "../../domain/session/Session.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import * as Timeline from "./Timeline.ts"

/** What the page shows of a session at one event. */
export interface Moment {
  readonly session: Session.Session
  readonly timeline: Timeline.Timeline
}

export interface History {
  /** By sequence number, without gaps; grows in place. */
  readonly events: Array<SessionEvent>
  /** The newest moment; its timeline grows in place. */
  current: Moment
  /** The moment after every `interval` events. */
  readonly keyframes: Array<Moment>
}

/** Between two keyframes so many events are folded again to reach a moment. */
export const interval = 100

const nothing = (): Moment => ({ session: Session.empty, timeline: Timeline.make() })

export const make = (): History => ({ events: [], current: nothing(), keyframes: [] })

/** Adds the next event. One that is known already is skipped; one after a gap is refused. */
export const push = (history: History, at: SessionEvent): "added" | "known" | "gap" => {
  const { events } = history
  if (at.seq < events.length) return "known"
  if (at.seq > events.length) return "gap"
  events.push(at)
  history.current = next(history, history.current, at)
  if (events.length % interval === 0) history.keyframes.push({ ...history.current, timeline: Timeline.copy(history.current.timeline) })
  return "added"
}

/** The moment after the event `seq`; −1 is before the first. */
export const momentAt = (history: History, seq: number): Moment => {
  if (seq >= history.events.length - 1) return history.current
  const frames = Math.floor((seq + 1) / interval)
  const keyframe = history.keyframes[frames - 1]
  let moment = keyframe === undefined ? nothing() : { ...keyframe, timeline: Timeline.copy(keyframe.timeline) }
  for (let i = frames * interval; i <= seq; i++) moment = next(history, moment, history.events[i]!)
  return moment
}

/** The timeline is changed in place. A rewind may go back further than the state remembers. */
const next = ({ events }: History, { session, timeline }: Moment, at: SessionEvent): Moment => {
  Timeline.push(timeline, at)
  return { timeline, session: Session.isInHistory(session, at) ? Session.apply(session, at) : Session.fold(events.slice(0, at.seq + 1)) }
}

/** An event's name as people read it: `Tool finished`, `Subagent started`. */
export const eventName = ({ event }: SessionEvent): string => {
  const words = event._tag.replace(/^Child/, "Subagent").replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.replace(/^User said$/, "Message").replace(/^Tool proposed$/, "Tool call")
}
