/** `dacapo policy check [rules]`: what these rules would have stopped, asked about and let run, had they held before. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as History from "../../domain/approval/RuleTrial.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import { Permissions } from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import type { SessionSettings } from "../../domain/session/SessionEvent.ts"
import * as ApprovalLive from "../../layers/approval/ApprovalLive.ts"
import * as JsonText from "../../layers/settings/JsonText.ts"
import { Approval } from "../../services/Approval.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Settings } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import type { Given, Run } from "../Commands.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"
import * as SessionNames from "../start/FindSession.ts"
import { builtin } from "../../layers/tool/builtin.ts"
import type { Any } from "../../services/Tool.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*(given) {
  const [action = "check"] = given.words
  if (action !== "check") return yield* new UsageError({ message: `\`dacapo policy\` knows check; "${action}" is not it.` })
  const { records } = yield* Wiring
  return yield* Effect.provide(check(given), Layer.provideMerge(ApprovalLive.layer, records))
})

/** Names of tools that do nothing beside what their accesses say. */
const quiet: ReadonlySet<string> = new Set((builtin as ReadonlyArray<Any>).flatMap(({ aliases = [], name, quiet }) => quiet === true ? [name, ...aliases] : []))

/** One action of the past under the rules: how often it came, and how it would end now. */
interface Finding {
  readonly action: string
  readonly decision: History.Decision
  readonly was: History.Decision
  readonly reason: string
  readonly rule?: string
  times: number
}

const check = Effect.fnUntraced(function*({ values, words: [, file] }: Given) {
  const { cwd: here, stdout } = yield* Host
  const approval = yield* Approval
  const log = yield* EventLog
  const cwd = yield* Folder.open(here, values.cd)
  const rules = file === undefined ? yield* current(cwd) : yield* fromFile(resolve(here, file))
  const ids = yield* chosen(values.sessions ?? "last:20")
  const findings = new Map<string, Finding>()
  let calls = 0
  for (const id of ids) {
    for (const { access, session, tool, was } of History.proposals(yield* log.read(id), rules)) {
      const { decision, reason, rule } = approval.judge({ name: tool, kind: "command", tags: [], access, asks: false, quiet: quiet.has(tool) }, session)
      const action = access.map(View.touch).join(", ") || tool
      const key = JSON.stringify([action, decision, was])
      const known = findings.get(key)
      calls++
      if (known === undefined) findings.set(key, { action, decision, was, reason, ...(rule === undefined ? {} : { rule }), times: 1 })
      else known.times++
    }
  }
  const all = [...findings.values()].sort((a, b) => order.indexOf(a.decision) - order.indexOf(b.decision) || b.times - a.times)
  const count = (by: "decision" | "was") => Object.fromEntries(order.map((decision) => [decision, all.reduce((sum, one) => one[by] === decision ? sum + one.times : sum, 0)])) as Counts
  const report = { sessions: ids.length, calls, now: count("decision"), before: count("was"), findings: all }
  yield* stdout.write(values.outputFormat === undefined || values.outputFormat === "text" ? text(report) : Json.line(report))
  return 0
})

const order: ReadonlyArray<History.Decision> = ["deny", "ask", "allow"]
type Counts = Readonly<Record<History.Decision, number>>

const words: Readonly<Record<History.Decision, string>> = { deny: "blocked", ask: "asked", allow: "allowed" }

/** What is blocked and asked, and what would end otherwise than it did; what was and stays allowed is counted. */
const text = ({ calls, findings, now, sessions, before }: { readonly sessions: number; readonly calls: number; readonly now: Counts; readonly before: Counts; readonly findings: ReadonlyArray<Finding> }): string => {
  const sum = (counts: Counts) => order.map((decision) => `${counts[decision]} ${words[decision]}`).join(", ")
  const shown = findings.filter(({ decision, was }) => decision !== "allow" || was !== "allow")
  return [
    `${sessions} sessions, ${calls} calls: ${sum(now)} (they were ${sum(before)}).`,
    ...shown.map(({ action, decision, reason, times, was }) =>
      `${words[decision].padEnd(8)}${`${times}×`.padStart(5)}  ${View.text(action).replaceAll("\n", " ")}${was === decision ? "" : `  (was ${words[was]})`}\n${" ".repeat(15)}${View.text(reason).replaceAll("\n", " ")}`)
  ].join("\n") + "\n"
}

type Rules = SessionSettings["rules"]

/** The rules that hold for new sessions in a folder. */
const current = Effect.fnUntraced(function*(cwd: string) {
  const { rules } = yield* (yield* Settings).load(cwd)
  const of = (list: keyof Rules) => rules[list].map(({ justification, rule }) => justification === undefined ? rule : { rule, justification })
  return yield* compiled("settings", { allow: of("allow"), ask: of("ask"), deny: of("deny") })
})

const decode = Schema.decodeUnknownEffect(Schema.Struct({ permissions: Permissions }))
const decodeBare = Schema.decodeUnknownEffect(Permissions, { onExcessProperty: "error" })

/** A file of settings, or the three lists alone. */
const fromFile = Effect.fnUntraced(function*(file: string) {
  const source = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) => new InputError({ message: `The rules ${file} can't be read: ${(error as NodeJS.ErrnoException).code}.` })
  })
  const value = JsonText.parse(source)
  if (Result.isFailure(value)) return yield* new SettingsError({ where: `${file}:${value.failure.line}`, message: value.failure.why })
  const isWhole = typeof value.success === "object" && value.success !== null && "permissions" in value.success
  const permissions = yield* (isWhole ? Effect.map(decode(value.success), ({ permissions }) => permissions) : decodeBare(value.success ?? {})).pipe(
    Effect.mapError((error) => new SettingsError({ where: file, message: error.message.replaceAll("\n", " ") }))
  )
  for (const list of ["allow", "ask", "deny"] as const) {
    const lines = JsonText.lines(source, isWhole ? ["permissions", list] : [list])
    for (const [i, rule] of (permissions[list] ?? []).entries()) yield* compiled(`${file}:${lines[i] ?? 1}`, { allow: [], ask: [], deny: [], [list]: [rule] })
  }
  const of = (list: keyof Rules): Rules["allow"] => (permissions[list] ?? []).map((rule) =>
    typeof rule === "string" || rule.justification === undefined ? (typeof rule === "string" ? rule : rule.rule) : { rule: rule.rule, justification: rule.justification })
  return { allow: of("allow"), ask: of("ask"), deny: of("deny") }
})

const compiled = (where: string, rules: Rules) => {
  const made = Rule.compile(rules)
  return Result.isFailure(made) ? Effect.fail(new SettingsError({ where, message: made.failure.message })) : Effect.succeed(rules)
}

/** `last:N`, or sessions by the names that `SessionNames` knows, with commas between them. */
const chosen = Effect.fnUntraced(function*(asked: string) {
  const last = /^last:(\d+)$/.exec(asked)
  if (last === null) return (yield* Effect.forEach(asked.split(","), (word) => SessionNames.find(word))).map(({ id }) => id)
  const storage = yield* Storage
  return (yield* storage.list({ limit: Number(last[1]) })).map(({ id }) => id)
})
