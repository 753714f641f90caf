/** Renders a session as a Markdown document, or as a self-contained HTML page without scripts. */
import * as ErrorReport from "../../../domain/ErrorReport.ts"
import * as MarkdownContext from "../../../domain/message/MarkdownContext.ts"
import * as Message from "../../../domain/message/Message.ts"
import * as Model from "../../../domain/provider/Model.ts"
import type { Session } from "../../../domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../../domain/session/SessionEvent.ts"
import { escapeHtml } from "./EscapeHtml.ts"
import * as MarkdownHtml from "./MarkdownHtml.ts"
import * as View from "../view/View.ts"
import type { HiddenEvent } from "../view/HiddenEvent.ts"

/** A section of the document: Markdown of the model, text as the user wrote it, or preformatted text. */
interface Entry {
  readonly seq: number
  /** The heading; `name` escapes an untrusted name for the document's format. */
  readonly title: (name: Name) => string
  readonly text: string
  readonly kind: "markdown" | "prose" | "plain"
}

type Name = (untrusted: string) => string

const entries = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<Entry> => {
  const calls = new Map<string, string>()
  return events.flatMap(({ event, seq }) =>
    entry(event, calls).filter(({ text, title }) => text.trim() !== "" || title(View.line).startsWith("Rewound")).map((each) => ({
      seq,
      ...each,
      text: View.text(each.text).trimEnd()
    }))
  )
}

/** Events that the document leaves out. A new event must be listed here or written. */
type IgnoredEvent =
  | HiddenEvent
  | "SessionStarted"
  | "SessionNamed"
  | "Resumed"
  | "ModeSwitched"
  | "ModelSwitched"
  | "ToolsChanged"
  | "ContextPlanned"
  | "ModelRequested"
  | "ModelRetrying"
  | "ModelFailed"
  | "FallbackTaken"
  | "ModelWaiting"
  | "ToolProposed"
  | "ApprovalAsked"
  | "ApprovalDecided"
  | "CheckpointsOff"
  | "ToolStarted"
  | "TodoUpdated"
  | "Reminded"
  | "BudgetSettled"
  | "BudgetExhausted"
  | "TaskFinished"

const entry = (event: Settled, calls: Map<string, string>): ReadonlyArray<Omit<Entry, "seq">> => {
  switch (event._tag) {
    case "UserSaid":
      return [{ title: () => "User", text: event.text, kind: "prose" }]
    case "ModelResponded":
      return event.content.flatMap((part): ReadonlyArray<Omit<Entry, "seq">> => {
        if (part._tag === "Text") return [{ title: () => "Assistant", text: part.text, kind: "markdown" }]
        if (part._tag === "Reasoning") return [{ title: () => "Thought", text: part.text, kind: "markdown" }]
        if (part._tag !== "ToolCall") return []
        calls.set(part.id, part.name)
        return [{ title: (name) => `Tool call: ${name(part.name)}`, text: JSON.stringify(part.params, null, 2), kind: "plain" }]
      })
    case "ToolFinished":
      return [{
        title: (name) => `${name(calls.get(event.call) ?? event.call)}: ${event.outcome.status}`,
        text: event.outcome.display ?? Message.text(event.outcome.content),
        kind: "plain"
      }]
    case "Rewound":
      return [{ title: () => `Rewound to event ${event.to}`, text: "", kind: "prose" }]
    case "ContextCompacted":
      return event.kind !== "summary" ? [] : [{
        title: () => "Summary",
        text: (event.replaced?.by ?? []).flatMap(({ content }) =>
          content.flatMap((part) => part._tag === "Text" && part.origin === "summary" ? [part.text] : [])
        ).join("\n"),
        kind: "markdown"
      }]
    case "TaskFailed":
      return [{ title: () => "Failed", text: ErrorReport.line(ErrorReport.ofTask(event)), kind: "prose" }]
    case "Interrupted":
      return [{ title: () => "Interrupted", text: event.why, kind: "prose" }]
    default:
      event._tag satisfies IgnoredEvent
      return []
  }
}

const metadata = ({ cost, cwd, createdAt, id, settings, usage }: Session): ReadonlyArray<readonly [string, string]> => [
  ["Session", id],
  ["Folder", View.line(cwd)],
  ["Model", View.line(Model.title(settings.model))],
  ["Started", new Date(createdAt).toISOString()],
  ["Tokens", `${usage.input + usage.cacheRead + usage.cacheWrite} in, ${usage.output} out`],
  ["Cost", `$${cost.toFixed(4)}`]
]

const headline = ({ id, title }: Session): string => View.text(title === "" ? `Session ${id}` : title).replaceAll("\n", " ")

export const markdown = (session: Session, events: ReadonlyArray<SessionEvent>): string =>
  [
    `# ${escapeMarkdown(headline(session))}`,
    metadata(session).map(([name, value]) => `- ${name}: ${code(value)}`).join("\n"),
    ...entries(events).map(({ kind, text, title }) =>
      `## ${title(code)}\n\n${kind === "plain" ? fenceBlock(text) : closed(text)}`.trimEnd()
    )
  ].join("\n\n") + "\n"

/** A text in which no code block is open at the end: the next section would be part of it. */
const closed = (text: string): string => {
  const { fence } = MarkdownContext.after(text, MarkdownContext.start)
  return fence === undefined ? text : `${text}\n${/^(?:`+|~+)/.exec(fence)![0]}`
}

/** A fenced block, with more backticks than the text contains. */
const fenceBlock = (text: string): string => {
  const fence = ticks(text, 3)
  return `${fence}\n${text}\n${fence}`
}

/** A name as inline code, which Markdown in the name can't end. */
const code: Name = (untrusted) => {
  const text = View.line(untrusted)
  const fence = ticks(text, 1)
  return fence === "`" ? `\`${text}\`` : `${fence} ${text} ${fence}`
}

/** More backticks than any run in the text, and at least `minLength`. */
const ticks = (text: string, minLength: number): string =>
  "`".repeat([...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length + 1), minLength))

/** Text with its Markdown syntax escaped. */
const escapeMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|~-]/g, "\\$&")

const contents: Readonly<Record<Entry["kind"], (text: string) => string>> = {
  markdown: (text) => `<div class="markdown">\n${MarkdownHtml.html(text)}\n</div>`,
  prose: (text) => `<div class="prose">${escapeHtml(text)}</div>`,
  plain: (text) => `<pre>${escapeHtml(text)}</pre>`
}

export const html = (session: Session, events: ReadonlyArray<SessionEvent>): string =>
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(headline(session))}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
  h2 { font-size: 1rem; margin: 2rem 0 .3rem } h2 a { color: inherit; opacity: .5; text-decoration: none; font-weight: normal }
  .prose { white-space: pre-wrap; overflow-wrap: anywhere } pre { overflow-x: auto; padding: .8rem; border: 1px solid #8884; border-radius: .4rem }
  .markdown p { white-space: pre-line; overflow-wrap: anywhere } .markdown li > p { margin: 0 } table { border-collapse: collapse }
  td, th { border: 1px solid #8884; padding: .2rem .6rem } blockquote { border-left: 3px solid #8884; margin-left: 0; padding-left: 1rem }
</style>
<h1>${escapeHtml(headline(session))}</h1>
<dl>${metadata(session).map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>
${
    entries(events).map(({ kind, seq, text, title }) =>
      `<section id="e${seq}">
<h2>${escapeHtml(title(View.line))} <a href="#e${seq}">${seq}</a></h2>
${contents[kind](text)}
</section>`
    ).join("\n")
  }
</html>
`
