/** A tool call as one line, which opens to what it was given and what came of it. */
import { useContext, useState } from "preact/hooks"
import * as CallSummary from "../../cli/render/view/CallSummary.ts"
import * as Api from "../client/Api.ts"
import * as Route from "../client/Route.ts"
import * as Reasons from "../../domain/approval/Reasons.ts"
import * as Denial from "../model/Denial.ts"
import type { ToolEntry } from "../model/Timeline.ts"
import { AnsiText } from "./AnsiText.tsx"
import { DiffView } from "./DiffView.tsx"
import { lazy } from "./Lazy.tsx"
import { StoreContext } from "./StoreContext.ts"
import { duration, plural, Text } from "./Text.tsx"

const ResultView = lazy(() => import("./ResultView.tsx").then(({ ResultView }) => ResultView))

const statusText = (entry: ToolEntry): string =>
  entry.outcome === undefined
    ? entry.state === "running" ? entry.name === "ask_user" ? "waiting for an answer" : "running"
      : entry.state === "asked" ? "waiting for approval" : "waiting"
    : entry.outcome.status

const labelOf = ({ access, name, params, verdict }: ToolEntry): string =>
  name === "ask_user" ? `Ask: ${askedText(params)}` :
    verdict === undefined ? CallSummary.describeCall(name, params) : access.every(({ _tag }) => _tag === "Read")
    ? CallSummary.describeRead(name, params)
    : CallSummary.label(access.map(CallSummary.describeAccess).join(", "))

const askedText = (params: unknown): string =>
  typeof params === "object" && params !== null && "question" in params ? String(params.question) : ""

export const isDiff = (text: string): boolean => /^(?:diff --git|--- |@@ )/m.test(text)

export const ToolView = ({ entry }: { readonly entry: ToolEntry }) => {
  const { decision, endedAt, outcome, startedAt, subagents } = entry
  const [isOpen, setOpen] = useState(false)
  const status = statusText(entry)
  const diff = outcome?.display !== undefined && isDiff(outcome.display) ? outcome.display : undefined
  return (
    <>
      <details class={`tool ${status.split(" ")[0]}`} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="mark" aria-hidden="true" />
          <span class="label">
            <Text of={labelOf(entry)} />
          </span>
          {diff === undefined ? null : <Counts diff={diff} />}
          <span class="status">{status === "succeeded" ? "" : status}</span>
          {startedAt !== undefined && endedAt !== undefined && endedAt - startedAt >= 100
            ? <span class="time">{duration(endedAt - startedAt)}</span> : null}
          {status === "succeeded" ? <span class="hidden">succeeded</span> : null}
        </summary>
        {isOpen ? <Details entry={entry} diff={diff} /> : null}
      </details>
      {outcome?.view === undefined ? null : <ResultView view={outcome.view} />}
      {decision?.decision === "deny" && decision.by === "user" ? (
        <p class="note warn denial">
          Denied{decision.words === undefined ? "." : (
            <>
              : <Text of={decision.words} />
            </>
          )}
        </p>
      ) : null}
      <DenialHint entry={entry} />
      {subagents.length === 0 ? null : (
        <ul class="subagents">
          {subagents.map(({ name, report, session }) => (
            <li key={session}>
              <a href={`#/session/${encodeURIComponent(session)}`}>
                <Text of={name} />
              </a>{" "}
              <span class="muted">{report === undefined ? "running" : `${report.status}, ${plural(report.calls, "call")}`}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Which rule or mode denied a call, and the way to the rules of the folder. */
const DenialHint = ({ entry }: { readonly entry: ToolEntry }) => {
  const store = useContext(StoreContext)
  const denial = Denial.of(entry)
  if (denial === undefined) return null
  const { offer, reason, remedy } = denial
  const folder = store?.history.current.session.cwd
  return (
    <p class="note warn denial">
      Denied: <Text of={Reasons.distinct(reason).replace(/\.$/, "")} />. {remedy} {folder === undefined ? null :
        (
          <a href={Route.format({ page: "settings", cwd: folder, ...(offer === undefined ? {} : { rule: offer }) })}>
            {offer === undefined ? "Permission rules" : <Text of={`Add ${offer}`} />}
          </a>
        )}
    </p>
  )
}

const Counts = ({ diff }: { readonly diff: string }) => {
  const lines = diff.split("\n")
  const added = lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length
  const removed = lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length
  return (
    <span class="counts">
      <span class="good">+{added}</span> <span class="bad">−{removed}</span>
    </span>
  )
}

const Details = ({ diff, entry }: { readonly entry: ToolEntry; readonly diff: string | undefined }) => {
  const { name, outcome, params, reason } = entry
  const texts = (outcome?.content ?? []).flatMap((part) => part._tag === "Text" ? [part.text] : [])
  const images = (outcome?.content ?? []).flatMap((part) => part._tag === "Image" ? [part.blob] : [])
  const command = entry.access.find((access) => access._tag === "Command")
  return (
    <div class="details">
      {reason === "" ? null : (
        <p class="muted">
          <Text of={Reasons.distinct(reason)} />
        </p>
      )}
      {diff !== undefined ? <DiffView diff={diff} />
        : command !== undefined ? null
        : <pre class="code" tabIndex={0} aria-label="Parameters"><code><Text of={paramText(params)} /></code></pre>}
      {images.map((blob) => <img key={blob} class="attached" src={Api.imagePath(blob)} alt={`Image of ${name}`} loading="lazy" />)}
      {outcome?.display === undefined || diff !== undefined ? null : <AnsiText text={outcome.display} label="Summary" />}
      {texts.length === 0 || diff !== undefined ? null : <AnsiText text={texts.join("\n")} label="Output" />}
    </div>
  )
}

export const paramText = (params: unknown): string => typeof params === "string" ? params : JSON.stringify(params, null, 2)
