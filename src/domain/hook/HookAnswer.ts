/** What hooks answer: decoded from what a program printed, and combined in the order of the hooks. */
import * as Table from "../Table.ts"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Hook from "./Hook.ts"

/** How a hook's program ended; `code` is null if it did not run to its end, and `message` says why. */
export interface HookExit {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly message?: string
}

/**
 * `deny` blocks what the hook was asked about, `ask` asks the user, `allow` answers the question that the user would be
 * asked. `input` replaces a call's params, `context` is shown to the model, `stop` ends the task with this message,
 * `notice` is shown to the user.
 */
export const HookAnswer = Schema.Struct({
  decision: Schema.optionalKey(Schema.Literals(["allow", "ask", "deny"])),
  reason: Schema.optionalKey(Schema.String),
  input: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  context: Schema.optionalKey(Schema.String),
  stop: Schema.optionalKey(Schema.String),
  notice: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "HookAnswer" })
export type HookAnswer = typeof HookAnswer.Type

/**
 * What is logged of the hooks of one moment: its name, their combined answer, with the params that replace those of the
 * call, and the answer of each as `result`.
 */
export const HookRecord = Schema.Struct({
  hook: Schema.String,
  result: Schema.Json,
  call: Schema.optionalKey(Schema.String),
  ...HookAnswer.fields,
  input: Schema.optionalKey(Schema.Json)
}).annotate({ identifier: "HookRecord" })
export type HookRecord = typeof HookRecord.Type

/** The JSON that a hook may print. Other fields are ignored. */
const Output = Schema.fromJsonString(Schema.Struct({
  continue: Schema.optionalKey(Schema.Boolean),
  stopReason: Schema.optionalKey(Schema.String),
  systemMessage: Schema.optionalKey(Schema.String),
  decision: Schema.optionalKey(Schema.Literals(["allow", "approve", "ask", "block", "deny"])),
  reason: Schema.optionalKey(Schema.String),
  hookSpecificOutput: Schema.optionalKey(Schema.Struct({
    permissionDecision: Schema.optionalKey(Schema.Literals(["allow", "ask", "deny"])),
    permissionDecisionReason: Schema.optionalKey(Schema.String),
    decision: Schema.optionalKey(Schema.Struct({
      behavior: Schema.Literals(["allow", "deny"]),
      message: Schema.optionalKey(Schema.String),
      updatedInput: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
    })),
    updatedInput: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    additionalContext: Schema.optionalKey(Schema.String)
  }))
}))
const decode = Schema.decodeUnknownOption(Output)

/** Events whose plain output is context for the model. */
const contextEvents: ReadonlySet<Hook.HookEvent> = new Set(["SessionStart", "SubagentStart", "UserPromptSubmit"])

const maxCharacters = 20_000

/** An answer of one hook. Exit code 2 blocks with what was printed to standard error; other codes are failures. */
export const fromExit = (hook: Hook.Hook, { code, message, stderr, stdout }: HookExit): HookAnswer => {
  if (code === 2) return { decision: "deny", reason: shorten(stderr) || `The hook "${Hook.title(hook)}" blocked this.` }
  if (code !== 0) return failure(hook, message ?? `it exited with ${code ?? "a signal"}${stderr === "" ? "" : `: ${shorten(stderr)}`}`)
  const text = stdout.trim()
  if (!text.startsWith("{")) return text !== "" && contextEvents.has(hook.event) ? { context: shorten(text) } : {}
  return Option.match(decode(text), {
    onNone: () => failure(hook, "its output is not valid hook JSON"),
    onSome: (output) => fromOutput(hook, output)
  })
}

/** A hook that could not answer: what it guards is blocked, other things continue. */
const failure = (hook: Hook.Hook, why: string): HookAnswer => {
  const notice = `The ${hook.event} hook "${Hook.title(hook)}" failed: ${why}.`
  return hook.failureMode === "closed" ? { decision: "deny", reason: notice } : { notice }
}

const fromOutput = ({ event, mayAllow = false }: Hook.Hook, output: typeof Output.Type): HookAnswer => {
  const { decision, hookSpecificOutput: specific = {}, reason, stopReason, systemMessage } = output
  const verdicts = [specific.decision?.behavior, specific.permissionDecision, Table.entry(legacyDecisions, decision ?? "")]
  const verdict = verdicts.reduce((a, b) => order.indexOf(b) > order.indexOf(a) ? b : a)
  const why = specific.decision?.message ?? specific.permissionDecisionReason ?? reason
  const input = specific.decision?.updatedInput ?? specific.updatedInput
  return {
    ...(verdict === undefined || (verdict === "allow" && !mayAllow) ? {} : { decision: verdict }),
    ...(why === undefined ? {} : { reason: shorten(why) }),
    ...(input === undefined ? {} : { input }),
    ...(specific.additionalContext === undefined ? {} : { context: shorten(specific.additionalContext) }),
    ...(output.continue === false ? { stop: shorten(stopReason ?? `A ${event} hook stopped the task.`) } : {}),
    ...(systemMessage === undefined ? {} : { notice: shorten(systemMessage) })
  }
}

const legacyDecisions: Readonly<Record<string, NonNullable<HookAnswer["decision"]>>> = {
  allow: "allow",
  approve: "allow",
  ask: "ask",
  block: "deny",
  deny: "deny"
}

const shorten = (text: string): string => text.trim().slice(0, maxCharacters)

const order: ReadonlyArray<HookAnswer["decision"]> = [undefined, "allow", "ask", "deny"]

/** One answer of several: the strictest decision with its reason, the last input, all context, the first stop. */
export const combine = (answers: ReadonlyArray<HookAnswer>): HookAnswer =>
  answers.reduce<HookAnswer>((all, { context, decision, input, notice, reason, stop }) => ({
    ...all,
    ...(order.indexOf(decision) > order.indexOf(all.decision) ? { decision: decision!, ...(reason === undefined ? {} : { reason }) } : {}),
    ...(input === undefined ? {} : { input }),
    ...joined("context", all.context, context),
    ...joined("notice", all.notice, notice),
    ...(stop === undefined || all.stop !== undefined ? {} : { stop })
  }), {})

const joined = <Key extends "context" | "notice">(key: Key, a: string | undefined, b: string | undefined): Partial<Record<Key, string>> =>
  b === undefined ? {} : { [key]: a === undefined ? b : `${a}\n${b}` } as Record<Key, string>
