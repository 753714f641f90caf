/** `dacapo policy check [rules]`: what permission rules would have denied, asked about and allowed in recorded sessions. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as Rule from "../../domain/approval/Rule.ts"
import { Permissions } from "../../domain/config/Settings.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import type { TrialReport } from "../../domain/control/PageData.ts"
import type { SessionSettings } from "../../domain/session/SessionEvent.ts"
import * as ApprovalLive from "../../layers/approval/ApprovalLive.ts"
import * as JsonText from "../../layers/settings/JsonText.ts"
import { Settings } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import type { Invocation, Run } from "../Command.ts"
import { InputError, unknownAction } from "../process/CliError.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"
import * as TryRules from "../replay/TryRules.ts"
import * as FindSession from "../start/FindSession.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*(invocation) {
  const [action = "check"] = invocation.args
  if (action !== "check") return yield* unknownAction("policy", action, ["check"])
  const { records } = yield* AgentLayers
  return yield* Effect.provide(check(invocation), Layer.provideMerge(ApprovalLive.layer, records))
})

const check = Effect.fnUntraced(function*({ values, args: [, file] }: Invocation) {
  const { cwd: hostCwd, stdout } = yield* Host
  const cwd = yield* WorkingFolder.open(hostCwd, values.cd)
  const rules = file === undefined ? yield* currentRules(cwd) : yield* fromFile(resolve(hostCwd, file))
  const ids = yield* chooseSessions(values.sessions ?? "last:20")
  const report = yield* TryRules.run(rules, ids)
  yield* stdout.write(values.outputFormat === undefined || values.outputFormat === "text" ? text(report) : StreamJson.line(report))
  return 0
})

const verbs: Readonly<Record<TrialReport["findings"][number]["decision"], string>> = { deny: "blocked", ask: "asked", allow: "allowed" }

/** Lists what would be denied or asked about, and every decision that would change; actions that stay allowed are only counted. */
const text = ({ calls, findings, now, sessions, before }: TrialReport): string => {
  const sum = (counts: TrialReport["now"]) => TryRules.order.map((decision) => `${counts[decision]} ${verbs[decision]}`).join(", ")
  const notable = findings.filter(({ decision, was }) => decision !== "allow" || was !== "allow")
  return [
    `${sessions} sessions, ${calls} calls: ${sum(now)} (recorded: ${sum(before)}).`,
    ...notable.flatMap(({ action, decision, reason, times, was }) => [
      `${verbs[decision].padEnd(8)}${`${times}×`.padStart(5)}  ${View.line(action)}${was === decision ? "" : `  (was ${verbs[was]})`}`,
      `${" ".repeat(15)}${View.line(reason)}`
    ])
  ].join("\n") + "\n"
}

type Rules = SessionSettings["rules"]

/** The rules of new sessions in a folder. */
const currentRules = Effect.fnUntraced(function*(cwd: string) {
  const { rules } = yield* (yield* Settings).load(cwd)
  const rulesOf = (list: keyof Rules) =>
    rules[list].map(({ justification, rule }) => justification === undefined ? rule : { rule, justification })
  return yield* checkRules("settings", { allow: rulesOf("allow"), ask: rulesOf("ask"), deny: rulesOf("deny") })
})

const decode = Schema.decodeUnknownEffect(Schema.Struct({ permissions: Permissions }))
const decodeBare = Schema.decodeUnknownEffect(Permissions, { onExcessProperty: "error" })

/** Reads a settings file, or a file with only the three lists. */
const fromFile = Effect.fnUntraced(function*(file: string) {
  const source = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) => new InputError({ message: `Can't read ${file}: ${(error as NodeJS.ErrnoException).code}.` })
  })
  const value = JsonText.parse(source)
  if (Result.isFailure(value)) return yield* new SettingsError({ where: `${file}:${value.failure.line}`, message: value.failure.why })
  const isSettingsFile = typeof value.success === "object" && value.success !== null && "permissions" in value.success
  const permissions = yield* (isSettingsFile
    ? Effect.map(decode(value.success), ({ permissions }) => permissions)
    : decodeBare(value.success ?? {})).pipe(
      Effect.mapError((error) => new SettingsError({ where: file, message: error.message.replaceAll("\n", " ") }))
    )
  for (const list of ["allow", "ask", "deny"] as const) {
    const lines = JsonText.lines(source, isSettingsFile ? ["permissions", list] : [list])
    for (const [i, rule] of (permissions[list] ?? []).entries()) {
      yield* checkRules(`${file}:${lines[i] ?? 1}`, {
        allow: [],
        ask: [],
        deny: [],
        [list]: [rule]
      })
    }
  }
  const rulesOf = (list: keyof Rules): Rules["allow"] =>
    (permissions[list] ?? []).map((rule) =>
      typeof rule === "string" || rule.justification === undefined
        ? (typeof rule === "string" ? rule : rule.rule)
        : { rule: rule.rule, justification: rule.justification }
    )
  return { allow: rulesOf("allow"), ask: rulesOf("ask"), deny: rulesOf("deny") }
})

const checkRules = (where: string, rules: Rules) => {
  const result = Rule.compile(rules)
  return Result.isFailure(result) ? Effect.fail(new SettingsError({ where, message: result.failure.message })) : Effect.succeed(rules)
}

/** Parses `last:N` or comma-separated sessions (FindSession). */
const chooseSessions = Effect.fnUntraced(function*(selector: string) {
  const last = /^last:(\d+)$/.exec(selector)
  if (last === null) return (yield* Effect.forEach(selector.split(","), (name) => FindSession.find(name))).map(({ id }) => id)
  const storage = yield* Storage
  return (yield* storage.list({ limit: Number(last[1]) })).map(({ id }) => id)
})
