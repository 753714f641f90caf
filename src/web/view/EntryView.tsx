/** One entry of the timeline. */
import { memo } from "preact/compat"
import * as Api from "../client/Api.ts"
import type { Entry } from "../model/Timeline.ts"
import { Markdown } from "./Markdown.tsx"
import { Text } from "./Text.tsx"
import { ToolView } from "./ToolView.tsx"

const classes: Readonly<Partial<Record<Entry["_tag"], string>>> = { Answer: "answer", Checkpoint: "mark", Tool: "call", User: "user" }

export const EntryView = memo(({ entry }: { readonly entry: Entry }) => (
  <article
    class={`entry ${classes[entry._tag] ?? ""}${entry.isLeft === true ? " left" : ""}`}
    id={`event-${entry.seq}`}
  >
    {body(entry)}
  </article>
))

const body = (entry: Entry) => {
  switch (entry._tag) {
    case "User":
      return (
        <>
          <h2 class="hidden">You</h2>
          {entry.delivery === "task" ? null : <span class="tag">{entry.delivery === "steer" ? "steering" : "queued"}</span>}
          <div class="said">
            <Text of={entry.text} />
          </div>
          {entry.images.map(({ blob }) => (
            <img
              key={blob}
              class="attached"
              src={Api.imagePath(blob)}
              alt="Attached image"
              loading="lazy"
            />
          ))}
        </>
      )
    case "Answer":
      return <Markdown text={entry.text} />
    case "Reasoning":
      return <Reasoning text={entry.text} />
    case "Tool":
      return <ToolView entry={entry} />
    case "Note":
      return (
        <p class={`note ${entry.tone}`}>
          <Text of={entry.text} />
        </p>
      )
    case "Origin":
      return (
        <p class="note">
          Forked from <a href={`#/session/${encodeURIComponent(entry.session)}`}>another session</a> after event {entry.at}.
        </p>
      )
    case "Checkpoint":
      return (
        <p class="note">
          Checkpoint <Text of={entry.why} />
        </p>
      )
    case "Rewound":
      return (
        <p class="note warn">
          <Text of={entry.text} />
        </p>
      )
    case "End":
      return entry.text === "" ? null
        : entry.tone === "good" ? <Markdown text={entry.text} /> : (
          <p class={`note ${entry.tone}`} role="status">
            <Text of={entry.text} />
          </p>
        )
  }
}

export const Reasoning = ({ isOpen = false, text }: { readonly text: string; readonly isOpen?: boolean }) => (
  <details class="reasoning" open={isOpen}>
    <summary>Reasoning</summary>
    <div class="quiet">
      <Markdown text={text} />
    </div>
  </details>
)
