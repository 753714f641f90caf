/** What waits for the user, in one session or in several: approvals, also several at once, and questions of the model. */
import { useState } from "preact/hooks"
import type { VNode } from "preact"
import type { Operation } from "../../../domain/control/Operation.ts"
import type { PendingApproval } from "../../../domain/control/PendingRequest.ts"
import { monotonicMs } from "../../client/Frames.ts"
import { keyOf, type Waiting } from "../../client/Waiting.ts"
import { Button } from "../Text.tsx"
import { Approval, type Decision, readingMs, type Scope } from "./Approval.tsx"
import { Question } from "./Question.tsx"

interface Props {
  readonly requests: ReadonlyArray<Waiting>
  readonly operate: (operation: Operation) => Promise<boolean>
  /** Where a request comes from, above it. */
  readonly origin?: (request: Waiting) => VNode
}

export const RequestList = ({ operate, origin, requests }: Props) => {
  /** Those that an answer to several leaves out, by key. */
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set())
  const approvals = requests.flatMap((waiting) => waiting.request._tag === "Approval" ? [{ ...waiting, request: waiting.request }] : [])
  const answer = async (
    { request, session, since }: Waiting & { readonly request: PendingApproval },
    decision: Decision,
    scope: Scope,
    words = ""
  ): Promise<unknown> =>
    decision === "allow" && monotonicMs() - since < readingMs ? undefined : operate({
      _tag: "Answer",
      session,
      request: request.id,
      action: request.action,
      decision,
      scope,
      ...(words.trim() === "" ? {} : { words })
    })
  const selected = approvals.filter((waiting) => !excluded.has(keyOf(waiting)))
  const answerAll = async (decision: Decision, scope: Scope) => {
    for (const approval of selected) await answer(approval, decision, approval.request.offer.length === 0 ? "once" : scope)
  }
  const select = (key: string) => (isSelected: boolean) => {
    const next = new Set(excluded)
    if (isSelected) next.delete(key)
    else next.add(key)
    setExcluded(next)
  }
  const isRisky = selected.some(({ request }) => request.risk === "high")
  return (
    <section class="approvals" aria-label="Waiting for you" aria-live="polite">
      {approvals.length < 2 ? null : (
        <div class="bar all">
          <strong>{approvals.length} approvals are waiting</strong>
          <Button isDisabled={selected.length === 0} onPress={() => void answerAll("allow", "once")}>Allow {selected.length} once</Button>
          <Button isDisabled={selected.length === 0 || isRisky} onPress={() => void answerAll("allow", "session")}>
            Allow {selected.length} for this session
          </Button>
          <Button isDisabled={selected.length === 0} onPress={() => void answerAll("deny", "once")}>Deny {selected.length}</Button>
          {isRisky ? <span class="muted">A call of high risk is allowed for the session only on its own.</span> : null}
        </div>
      )}
      {requests.map((waiting, i) => {
        const { request, session, since } = waiting
        const key = keyOf(waiting)
        return (
          <div key={key} class="waiting">
            {origin?.(waiting)}
            {request._tag === "Approval"
              ? (
                <Approval
                  request={request}
                  isFirst={i === 0}
                  isSelected={approvals.length < 2 ? undefined : !excluded.has(key)}
                  onSelect={select(key)}
                  onAnswer={(decision, scope, words) => void answer({ session, since, request }, decision, scope, words)}
                />
              )
              : (
                <Question
                  request={request}
                  since={since}
                  onReply={(text) => void operate({ _tag: "Reply", session, request: request.id, text })}
                />
              )}
          </div>
        )
      })}
    </section>
  )
}
