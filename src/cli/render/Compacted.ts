/** What a compaction did, in words for people. */
import type { Settled } from "../../domain/session/SessionEvent.ts"

/** One line of it. */
export const told = ({ after, before, failed, kind, why }: Extract<Settled, { _tag: "ContextCompacted" }>): string => {
  const done = before === after ? "There is nothing to make smaller yet." : `${passes[kind]}: about ${before} tokens of conversation became ${after}.`
  const reason = { full: "The window is full. ", refused: "The provider called it too long. ", asked: "" }[why]
  return `${reason}${failed === undefined ? "" : `No summary: ${failed} `}${done}`
}

const passes = {
  duplicates: "Left out what was shown twice",
  shorten: "Shortened earlier results",
  summary: "Summarised earlier turns",
  truncate: "Left out earlier turns"
} as const
