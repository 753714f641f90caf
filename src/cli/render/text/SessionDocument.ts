/** A session as a document to read: Markdown, or a page of HTML that needs nothing else and runs nothing. */
import * as Message from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import type { Session } from "../../../domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../../domain/session/SessionEvent.ts"
import * as View from "../view/View.ts"

/** What stands under a heading: words, or text as it is. */
interface Entry {
  readonly seq: number
  readonly title: string
  readonly text: string
  readonly kind: "prose" | "plain"
}

const entries = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<Entry> => {
  const calls = new Map<string, string>()
  return events.flatMap(({ event, seq }) =>
    entry(event, calls).filter(({ text, title }) => text.trim() !== "" || title.startsWith("Back")).map((each) => ({ seq, ...each, text: View.text(each.text).trimEnd() })))
}

const entry = (event: Settled, calls: Map<string, string>): ReadonlyArray<Omit<Entry, "seq">> => {
  switch (event._tag) {
    case "UserSaid":
      return [{ title: "User", text: event.text, kind: "prose" }]
    case "ModelResponded":
      return event.content.flatMap((part): ReadonlyArray<Omit<Entry, "seq">> => {
        if (part._tag === "Text") return [{ title: "Assistant", text: part.text, kind: "prose" }]
        if (part._tag === "Reasoning") return [{ title: "Thought", text: part.text, kind: "prose" }]
        if (part._tag !== "ToolCall") return []
        calls.set(part.id, part.name)
        return [{ title: `Call of ${part.name}`, text: JSON.stringify(part.params, null, 2), kind: "plain" }]
      })
    case "ToolFinished":
      return [{ title: `${calls.get(event.call) ?? event.call}: ${event.outcome.status}`, text: event.outcome.display ?? Message.text(event.outcome.content), kind: "plain" }]
    case "Rewound":
      return [{ title: `Back at event ${event.to}`, text: "", kind: "prose" }]
    case "ContextCompacted":
      return event.kind !== "summary" ? [] : [{
        title: "Summary",
        text: (event.replaced?.by ?? []).flatMap(({ content }) => content.flatMap((part) => part._tag === "Text" && part.origin === "summary" ? [part.text] : [])).join("\n"),
        kind: "prose"
      }]
    case "TaskFailed":
      return [{ title: "Failed", text: event.message, kind: "prose" }]
    case "Interrupted":
      return [{ title: "Interrupted", text: event.why, kind: "prose" }]
    default:
      return []
  }
}

const facts = ({ cost, cwd, created, id, settings, usage }: Session): ReadonlyArray<readonly [string, string]> => [
  ["Session", id],
  ["Folder", View.text(cwd)],
  ["Model", View.text(Model.title(settings.model))],
  ["Begun", new Date(created).toISOString()],
  ["Tokens", `${usage.input + usage.cacheRead + usage.cacheWrite} in, ${usage.output} out`],
  ["Cost", `$${cost.toFixed(4)}`]
]

const headline = ({ id, title }: Session): string => View.text(title === "" ? `Session ${id}` : title).replaceAll("\n", " ")

export const markdown = (session: Session, events: ReadonlyArray<SessionEvent>): string =>
  [
    `# ${headline(session)}`,
    facts(session).map(([name, value]) => `- ${name}: ${value}`).join("\n"),
    ...entries(events).map(({ kind, text, title }) => `## ${title}\n\n${kind === "prose" ? text : fenced(text)}`.trimEnd())
  ].join("\n\n") + "\n"

/** Behind more backticks than stand in it. */
const fenced = (text: string): string => {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${fence}\n${text}\n${fence}`
}

export const html = (session: Session, events: ReadonlyArray<SessionEvent>): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(headline(session))}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
  h2 { font-size: 1rem; margin: 2rem 0 .3rem } h2 a { color: inherit; opacity: .5; text-decoration: none; font-weight: normal }
  .prose { white-space: pre-wrap; overflow-wrap: anywhere } pre { overflow-x: auto; padding: .8rem; border: 1px solid #8884; border-radius: .4rem }
</style>
<h1>${escaped(headline(session))}</h1>
<dl>${facts(session).map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`).join("")}</dl>
${entries(events).map(({ kind, seq, text, title }) => `<section id="e${seq}">
<h2>${escaped(title)} <a href="#e${seq}">${seq}</a></h2>
${kind === "prose" ? `<div class="prose">${escaped(text)}</div>` : `<pre>${escaped(text)}</pre>`}
</section>`).join("\n")}
</html>
`

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;" }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!)
