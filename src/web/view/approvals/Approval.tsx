/** One approval: what would be done, why it asks, and the answers. */
import { useEffect, useRef, useState } from "preact/hooks"
import * as Reasons from "../../../domain/approval/Reasons.ts"
import type { PendingApproval } from "../../../domain/control/PendingRequest.ts"
import { Access } from "../../../domain/tool/Access.ts"
import * as CallSummary from "../../../cli/render/view/CallSummary.ts"
import { after } from "../../client/Frames.ts"
import { DiffView } from "../DiffView.tsx"
import { shortcut } from "../Keys.ts"
import { Button, Text } from "../Text.tsx"
import { paramText } from "../ToolView.tsx"

/** Nothing is allowed before it has been on the screen for so long, in ms: the click was meant for something else. */
export const readingMs = 300

/** How long an approval must have been the first one, and no key been pressed, before a key answers it, in ms: as in the terminal. */
const quietMs = 700

export type Decision = "allow" | "deny"
export type Scope = "once" | "session" | "always"

export const Approval = ({ isFirst, isSelected, onAnswer, onSelect, request }: {
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
  const [takesKeys, setTakesKeys] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => after(readingMs, () => setReadable(true)), [])
  useEffect(() => isFirst ? after(quietMs, () => setTakesKeys(true)) : setTakesKeys(false), [isFirst])
  useEffect(() => {
    if (isDenying) input.current?.focus()
  }, [isDenying])
  useEffect(() =>
    isFirst && takesKeys
      ? shortcut({
        y: () => onAnswer("allow", "once"),
        s: () => offer.length > 0 && onAnswer("allow", "session"),
        a: () => offer.length > 0 && onAnswer("allow", "always"),
        n: () => setDenying(true)
      }, quietMs)
      : undefined
  )
  const title = CallSummary.question(access, call.name)
  const rule = offer.join(", ")
  const hint = (key: string) => isFirst ? key : undefined!
  return (
    <article class={`approval ${risk}${takesKeys ? " takes-keys" : ""}`} aria-label={title}>
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
        {access.length === 0 || (diff === undefined && access.some(({ _tag }) => _tag === "Edit"))
          ? <pre class="code" tabIndex={0} aria-label="Parameters"><code><Text of={`${call.name} ${paramText(call.params)}`} /></code></pre>
          : null}
        {diff === undefined ? null : <DiffView diff={diff} />}
      </div>
      <p class="muted">{CallSummary.label(Reasons.distinct(reason))}</p>
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
          <>
            <div class="bar answers">
              <Button isPrimary isDisabled={!isReadable} onPress={() => onAnswer("allow", "once")} hint={hint("Y")}>Allow once</Button>
              <Button isDisabled={!isReadable} onPress={() => setDenying(true)} hint={hint("N")}>Deny</Button>
              {offer.length === 0 ? null : (
                <>
                  <Button isDisabled={!isReadable} onPress={() => onAnswer("allow", "session")} hint={hint("S")}>For this session</Button>
                  <Button isDisabled={!isReadable} onPress={() => onAnswer("allow", "always")} hint={hint("A")}>Always</Button>
                </>
              )}
            </div>
            <p class="muted rule">
              {offer.length === 0 ? "No rule is narrow enough to allow this for longer." : (
                <>
                  “For this session” and “Always” add the rule{" "}
                  <code>
                    <Text of={rule} />
                  </code>
                </>
              )}
            </p>
          </>
        )}
    </article>
  )
}

/** The command, and before it what is typed into it. */
const commandText = ({ command, input }: Extract<Access, { readonly _tag: "Command" }>): string =>
  input === undefined ? command : `${CallSummary.typedInput(input)}\ninto: ${command}`

const Action = ({ access }: { readonly access: Access }) =>
  access._tag === "Command"
    ? <pre class="code command" tabIndex={0} aria-label="Command"><code><Text of={commandText(access)} /></code></pre>
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
