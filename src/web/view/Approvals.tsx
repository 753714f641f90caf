/** What waits for the user: approvals with what would be done, and questions of the model. */
import { useEffect, useRef, useState } from "preact/hooks"
import { Access } from "../../domain/tool/Access.ts"
import type { PendingApproval, PendingQuestion } from "../../domain/control/PendingRequest.ts"
import * as CallSummary from "../../cli/render/view/CallSummary.ts"
import { after, monotonicMs } from "../client/Frames.ts"
import type { Pending, SessionStore } from "../client/SessionStore.ts"
import { shortcut } from "./Keys.ts"
import { DiffView } from "./DiffView.tsx"
import { paramText } from "./ToolView.tsx"
import { Button, Text } from "./Text.tsx"

/** Nothing is allowed before it has been on the screen for so long, in ms: the key was meant for something else. */
const readingMs = 300

type Scope = "once" | "session" | "always"

export const Approvals = ({ store }: { readonly store: SessionStore }) => {
  const pending = store.pending.value
  /** Those that an answer to several leaves out, by id. */
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set())
  if (pending.length === 0) return null
  const approvals = pending.flatMap(({ request, since }) => request._tag === "Approval" ? [{ request, since }] : [])
  const answer = async (
    { request, since }: { readonly request: PendingApproval; readonly since: number },
    decision: "allow" | "deny",
    scope: Scope,
    words?: string
  ) => {
    if (decision === "allow" && monotonicMs() - since < readingMs) return
    await store.operate({
      _tag: "Answer",
      session: store.id,
      request: request.id,
      action: request.action,
      decision,
      scope,
      ...(words === undefined || words.trim() === "" ? {} : { words })
    })
  }
  const selected = approvals.filter(({ request }) => !excluded.has(request.id))
  const answerAll = async (decision: "allow" | "deny", scope: Scope) => {
    for (const approval of selected) await answer(approval, decision, approval.request.offer.length === 0 ? "once" : scope)
  }
  const isRisky = selected.some(({ request }) => request.risk === "high")
  return (
    <section class="approvals" aria-label="Waiting for you" aria-live="polite">
      {approvals.length < 2 ? null : (
        <div class="bar">
          <strong>{approvals.length} approvals wait</strong>
          <Button isDisabled={selected.length === 0} onPress={() => void answerAll("allow", "once")}>Allow {selected.length} once</Button>
          <Button isDisabled={selected.length === 0 || isRisky} onPress={() => void answerAll("allow", "session")}>
            Allow {selected.length} for this session
          </Button>
          <Button isDisabled={selected.length === 0} onPress={() => void answerAll("deny", "once")}>Deny {selected.length}</Button>
        </div>
      )}
      {pending.map((one, i) =>
        one.request._tag === "Approval"
          ? (
            <Approval
              key={one.request.id}
              request={one.request}
              isFirst={i === 0}
              isSelected={approvals.length < 2 ? undefined : !excluded.has(one.request.id)}
              onSelect={(isSelected) => {
                const next = new Set(excluded)
                if (isSelected) next.delete(one.request.id)
                else next.add(one.request.id)
                setExcluded(next)
              }}
              onAnswer={(decision, scope, words) =>
                void answer({ request: one.request as PendingApproval, since: one.since }, decision, scope, words)}
            />
          )
          : <Question key={one.request.id} request={one.request} pending={one} store={store} />
      )}
    </section>
  )
}

const Approval = ({ isFirst, isSelected, onAnswer, onSelect, request }: {
  readonly request: PendingApproval
  readonly isFirst: boolean
  /** Whether an answer to several includes it; undefined if it waits alone. */
  readonly isSelected: boolean | undefined
  readonly onSelect: (isSelected: boolean) => void
  readonly onAnswer: (decision: "allow" | "deny", scope: Scope, words?: string) => void
}) => {
  const { access, call, diff, from, offer, reason, risk } = request
  const [isDenying, setDenying] = useState(false)
  const [words, setWords] = useState("")
  const [isReadable, setReadable] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => after(readingMs, () => setReadable(true)), [])
  useEffect(() => {
    if (isDenying) input.current?.focus()
  }, [isDenying])
  useEffect(() =>
    isFirst
      ? shortcut({
        y: () => onAnswer("allow", "once"),
        s: () => onAnswer("allow", "session"),
        a: () => offer.length > 0 && onAnswer("allow", "always"),
        n: () => setDenying(true)
      })
      : undefined
  )
  const title = CallSummary.question(access, call.name)
  const rule = offer.join(", ")
  return (
    <article class={`approval ${risk}`} aria-label={title}>
      <header>
        {isSelected === undefined ? null : (
          <input
            type="checkbox"
            aria-label={`Answer with the others: ${title}`}
            checked={isSelected}
            onInput={({ currentTarget }) => onSelect(currentTarget.checked)}
          />
        )}
        <h2>{title}</h2>
        <span class={`tag risk-${risk}`}>{risk} risk</span>
        {from === undefined ? null : (
          <span class="tag">
            subagent <Text of={from} />
          </span>
        )}
      </header>
      <div class="what">
        {access.map((one, i) =>
          access.length === 1 && CallSummary.isNamedByQuestion(one, call.name) ? null : <Action key={i} access={one} />
        )}
        {access.length === 0
          ? <pre class="code" tabIndex={0} aria-label="Parameters"><code><Text of={`${call.name} ${paramText(call.params)}`} /></code></pre>
          : null}
        {diff === undefined ? null : <DiffView diff={diff} />}
      </div>
      <p class="muted">
        <Text of={reason} />
      </p>
      {isDenying
        ? (
          <form class="deny" onSubmit={(event) => (event.preventDefault(), onAnswer("deny", "once", words))}>
            <label>
              What should the agent do instead?
              <input
                ref={input}
                value={words}
                onInput={({ currentTarget }) => setWords(currentTarget.value)}
                onKeyDown={({ key }) => key === "Escape" && setDenying(false)}
              />
            </label>
            <button type="submit" class="button danger">Deny</button>
            <Button onPress={() => setDenying(false)}>Back</Button>
          </form>
        )
        : (
          <div class="bar">
            <Button isPrimary isDisabled={!isReadable} onPress={() => onAnswer("allow", "once")} hint={isFirst ? "Y" : undefined!}>
              Allow once
            </Button>
            <Button isDisabled={!isReadable} onPress={() => setDenying(true)} hint={isFirst ? "N" : undefined!}>Deny</Button>
            {offer.length === 0 ? null : (
              <>
                <Button isDisabled={!isReadable} onPress={() => onAnswer("allow", "session")} hint={isFirst ? "S" : undefined!}>
                  For this session
                </Button>
                <Button isDisabled={!isReadable} onPress={() => onAnswer("allow", "always")} hint={isFirst ? "A" : undefined!}>
                  Always
                </Button>
                <span class="muted rule">
                  adds{" "}
                  <code>
                    <Text of={rule} />
                  </code>
                </span>
              </>
            )}
          </div>
        )}
    </article>
  )
}

const Action = ({ access }: { readonly access: Access }) =>
  access._tag === "Command"
    ? <pre class="code command" tabIndex={0} aria-label="Command"><code><Text of={access.command} /></code></pre>
    : access._tag === "Mcp" || access._tag === "Other"
    ? (
      <pre
        class="code"
        tabIndex={0}
        aria-label="Input"
      ><code><Text of={`${CallSummary.subject(access)}\n${paramText(access.input)}`} /></code></pre>
    )
    : (
      <p class="path">
        <code>
          <Text of={CallSummary.describeAccess(access)} />
        </code>
      </p>
    )

const Question = (
  { pending, request, store }: { readonly request: PendingQuestion; readonly pending: Pending; readonly store: SessionStore }
) => {
  const [text, setText] = useState("")
  const reply = (answer: string) => {
    if (answer.trim() === "" || monotonicMs() - pending.since < readingMs) return
    void store.operate({ _tag: "Reply", session: store.id, request: request.id, text: answer })
  }
  return (
    <article class="approval" aria-label="Question">
      <h2>
        <Text of={request.text} />
      </h2>
      <div class="bar">
        {request.options.map((option) => (
          <Button
            key={option}
            onPress={() => reply(option)}
          >
            <Text of={option} />
          </Button>
        ))}
      </div>
      <form class="deny" onSubmit={(event) => (event.preventDefault(), reply(text))}>
        <label>
          Answer<input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <button type="submit" class="button primary">Answer</button>
      </form>
    </article>
  )
}
