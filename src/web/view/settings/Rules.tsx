/** Permission rules: those in effect, a form for the user's own, and what rules would have decided in past sessions. */
import { useState } from "preact/hooks"
import * as PageData from "../../../domain/control/PageData.ts"
import * as Api from "../../client/Api.ts"
import { attempt } from "../../client/Messages.ts"
import { Button, Choice, plural, safe, Text } from "../Text.tsx"

const verbs: Readonly<Record<PageData.Decision, string>> = { deny: "deny", ask: "ask", allow: "allow" }

/** How many sessions a trial reads. */
const trialSessions = { "20": "last 20 sessions", "50": "last 50 sessions", "100": "last 100 sessions" } as const

export const Rules = ({ firstRule, onChange, settings: { cwd, rules } }: {
  /** What the form for a new rule begins with. */
  readonly firstRule: string
  readonly settings: PageData.FolderSettings
  readonly onChange: Api.SettingsChanger
}) => {
  const [decision, setDecision] = useState<PageData.Decision>("allow")
  const [rule, setRule] = useState(firstRule)
  const [sessions, setSessions] = useState<keyof typeof trialSessions>("20")
  const [report, setReport] = useState<PageData.TrialReport>()
  const [isTrying, setTrying] = useState(false)
  const add = async () => {
    if (await onChange({ _tag: "AddRule", cwd, decision, rule })) setRule("")
  }
  /** The rules in effect, and the new one if there is one. */
  const attemptTrial = async () => {
    setTrying(true)
    const lists = (of: PageData.Decision) => [
      ...rules.filter((one) => one.decision === of).map((one) => one.rule),
      ...(of === decision && rule.trim() !== "" ? [rule.trim()] : [])
    ]
    const request = { rules: { allow: lists("allow"), ask: lists("ask"), deny: lists("deny") }, sessions: Number(sessions) }
    setReport(await attempt(() => Api.tryRules(request)))
    setTrying(false)
  }
  return (
    <section class="usage-table">
      <h2>Permission rules</h2>
      {rules.length === 0 ? <p class="muted">No rules: what is not read-only asks.</p> :
        (
          <div class="scroll-x" tabIndex={0} role="region" aria-label="Permission rules">
            <table class="data">
              <thead>
                <tr>
                  {["Decision", "Rule"].map((head) => <th key={head} scope="col">{head}</th>)}
                  <th scope="col">
                    <span class="hidden">Change</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rules.map((one, i) => (
                  <tr key={i}>
                    <td class={`decision-${one.decision}`}>{verbs[one.decision]}</td>
                    <td class="wide">
                      <code>
                        <Text of={one.rule} />
                      </code>
                      <span class="why">
                        <Text of={one.source} />
                      </span>
                    </td>
                    <td class="right">
                      {one.isOwn
                        ? (
                          <button
                            type="button"
                            class="link"
                            aria-label={safe(`Remove the rule ${one.rule}`)}
                            onClick={() => void onChange({ _tag: "RemoveRule", cwd, decision: one.decision, rule: one.rule })}
                          >
                            Remove
                          </button>
                        )
                        : null}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      <form class="bar inputs" onSubmit={(event) => (event.preventDefault(), void add())}>
        <label class="field narrow">
          Decision
          <select value={decision} onChange={({ currentTarget }) => setDecision(currentTarget.value as PageData.Decision)}>
            {PageData.decisions.map((one) => <option key={one} value={one}>{verbs[one]}</option>)}
          </select>
        </label>
        <label class="field">
          Rule<input
            value={rule}
            spellcheck={false}
            placeholder="Bash(npm test *)"
            onInput={({ currentTarget }) => setRule(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary" disabled={rule.trim() === ""}>Add to your settings</button>
      </form>
      <div class="bar">
        <Button isDisabled={isTrying} onPress={() => void attemptTrial()}>{isTrying ? "Trying…" : "Try on past sessions"}</Button>
        <Choice label="Sessions of the trial" value={sessions} options={trialSessions} onChange={setSessions} />
      </div>
      <div role="status">{report === undefined ? null : <Trial report={report} />}</div>
    </section>
  )
}

/** Calls that would be denied or asked about, and those whose decision would change. */
const Trial = ({ report: { before, calls, findings, now, sessions } }: { readonly report: PageData.TrialReport }) => {
  const notable = findings.filter(({ decision, was }) => decision !== "allow" || was !== "allow")
  const sum = (counts: PageData.TrialReport["now"]) => PageData.decisions.map((one) => `${counts[one]} ${verbs[one]}`).join(", ")
  return (
    <>
      <p>
        {plural(calls, "call")} in {plural(sessions, "session")}. With these rules: {sum(now)}. As recorded: {sum(before)}.
      </p>
      {notable.length === 0 ? <p class="muted">No call would be denied or asked about, and none was.</p> :
        (
          <div class="scroll-x" tabIndex={0} role="region" aria-label="Result of the trial">
            <table class="data">
              <thead>
                <tr>{["Now", "Recorded", "Times", "Action"].map((head) => <th key={head} scope="col">{head}</th>)}</tr>
              </thead>
              <tbody>
                {notable.slice(0, 200).map(({ action, decision, reason, times, was }, i) => (
                  <tr key={i} class={decision === was ? undefined! : "changed"}>
                    <td class={`decision-${decision}`}>{verbs[decision]}</td>
                    <td class={`decision-${was}`}>{verbs[was]}</td>
                    <td class="right">{times}</td>
                    <td class="wide">
                      <code>
                        <Text of={action} />
                      </code>
                      <span class="why">
                        <Text of={reason} />
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
    </>
  )
}
