/** Reports the events of a session on standard output and error while a headless task runs. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Denial from "../../domain/approval/Denial.ts"
import type { ScopedRule } from "../../domain/config/Settings.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Budget from "../../domain/session/Budget.ts"
import type * as Session from "../../domain/session/Session.ts"
import type { Followed, SessionEvent, Settled } from "../../domain/session/SessionEvent.ts"
import * as Digest from "../../layers/storage/Digest.ts"
import { Agent } from "../../services/Agent.ts"
import { Intake } from "../../services/Intake.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Redactor } from "../../services/Redactor.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { SettingsSnapshot } from "../../services/Settings.ts"
import { Skills } from "../../services/Skills.ts"
import { Tools } from "../../services/Tools.ts"
import type { OutputError } from "../process/CliError.ts"
import { Conclusion } from "../process/Conclusion.ts"
import { Host } from "../process/Host.ts"
import * as MessageId from "../render/json/MessageId.ts"
import * as PartialMessages from "../render/json/PartialMessages.ts"
import * as RunSummary from "../render/json/RunSummary.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import type { ToolNames } from "../../domain/tool/ToolNames.ts"
import * as LoadMarkdown from "../render/text/LoadMarkdown.ts"
import * as PlainText from "../render/text/PlainText.ts"
import * as Theme from "../render/text/Theme.ts"
import * as View from "../render/view/View.ts"
import * as ReportProgress from "./ReportProgress.ts"
import * as StreamOutput from "./StreamOutput.ts"

/**
 * `fromSeq`: the first event to report. `isPartial`: also the pieces of a streaming response. `agents`: the agent profiles for the
 * first line. `afterEvent` runs after each settled event is reported.
 */
export interface Options {
  readonly fromSeq: number
  readonly verbose: boolean
  readonly isPartial?: boolean
  readonly agents?: ReadonlyArray<string>
  readonly afterEvent?: (entry: SessionEvent) => Effect.Effect<void, OutputError>
}

/** Reports each event once: `follow` reports them as they come, `showRemaining` those not yet reported, `finish` the summary. */
export const make = Effect.fnUntraced(
  function*(state: Session.Session, { afterEvent = () => Effect.void, agents = [], fromSeq, isPartial, verbose }: Options) {
    const session = state.id
    const agent = yield* Agent
    const { format, names, report } = yield* Conclusion
    const { environment, stderr, stdout } = yield* Host
    const { redact } = yield* Redactor
    const { rules: { deny: denyRules } } = yield* SettingsSnapshot
    const theme = Theme.of("auto", stderr.tty, environment.variables)
    const writeLine = yield* StreamOutput.open
    const progressReporter = yield* ReportProgress.make(session, verbose, writeLine, names)
    if (format === "stream-json") {
      const uuid = MessageId.ofHash(Digest.sha256(`${session} init ${fromSeq}`))
      const timestamp = new Date(yield* Clock.currentTimeMillis).toISOString()
      yield* writeLine(StreamJson.init({ ...yield* describe(state, names, agents), uuid, timestamp }))
    }
    let lastSeq = fromSeq - 1
    let progress = PlainText.initial()
    let pieceCount = 0
    const partialEvents = isPartial === true ? PartialMessages.make(() => Model.title(state.settings.model), names) : () => []
    const writePieces = (followed: Followed) =>
      Effect.forEach(partialEvents(followed), (event) =>
        writeLine({
          type: "stream_event",
          session_id: session,
          parent_tool_use_id: null,
          uuid: MessageId.ofHash(Digest.sha256(`${session} ${lastSeq} ${++pieceCount}`)),
          event
        }), { discard: true })
    const writeStderr = Effect.fnUntraced(function*(lines: string) {
      if (lines !== "") yield* Effect.ignore(stderr.write((yield* redact)(lines)))
    })
    const writeProgress = Effect.fnUntraced(function*(followed: Followed) {
      const [next, lines] = PlainText.update(progress, followed, yield* LoadMarkdown.renderer(theme))
      progress = next
      yield* writeStderr(lines)
    })
    const show = (followed: Followed): Effect.Effect<void, OutputError> =>
      Effect.uninterruptible(Effect.gen(function*() {
        if (verbose || (followed._tag === "Settled" && PlainText.isImportant(followed.at.event))) yield* writeProgress(followed)
        yield* writePieces(followed)
        if (followed._tag !== "Settled") return
        const { event } = followed.at
        if (!verbose && event._tag === "BudgetSettled") {
          for (const note of Budget.settlementNotes(event)) yield* writeStderr(`dacapo: ${note}\n`)
        }
        const denial = denialMessage(event, denyRules)
        if (denial !== undefined) yield* writeStderr(`dacapo: ${View.line(denial)}\n`)
        lastSeq = followed.at.seq
        const { model } = yield* Ref.updateAndGet(report, (current) => RunSummary.update(current, followed.at))
        if (format === "events") yield* stdout.write(StreamJson.line(followed.at))
        yield* writeLine(StreamJson.message(session, model, followed.at, { names }))
        yield* progressReporter.handle(followed.at)
        yield* afterEvent(followed.at)
      }))
    const showRemaining = Effect.gen(function*() {
      const { seq } = yield* agent.state(session)
      if (lastSeq >= seq) return
      yield* agent.follow(session, lastSeq + 1).pipe(
        Stream.takeUntil((followed) => followed._tag === "Settled" && followed.at.seq >= seq),
        Stream.runForEach(show)
      )
    })
    /** Live tokens are only reported as pieces. */
    const isReported = ({ _tag }: Followed): boolean => isPartial === true || _tag === "Settled" || _tag === "Notice"
    const follow = agent.follow(session, fromSeq).pipe(Stream.filter(isReported), Stream.runForEach(show))
    return { follow, showRemaining, finish: progressReporter.finish, writeLine }
  }
)

/** A call that was denied without a question: why, and what would allow it. */
const denialMessage = (event: Settled, rules: ReadonlyArray<ScopedRule>): string | undefined => {
  if (event._tag !== "ToolProposed") return undefined
  const rule = rules.find(({ rule }) => rule === event.rule)
  const place = rule === undefined ? "--disallowedTools, or the agent profile"
    : `${rule.file}${rule.line === undefined ? "" : `:${rule.line}`}`
  const remedy = Denial.remedy(event, place)
  return remedy === undefined ? undefined : `Denied: ${event.reason.replace(/\.$/, "")}. ${remedy}`
}

/** The content of the first line of a stream. */
const describe = Effect.fnUntraced(function*(session: Session.Session, names: ToolNames, agents: ReadonlyArray<string>) {
  const { cwd, id, settings } = session
  const { environment } = yield* Host
  const intake = yield* Intake
  const mcp = yield* Mcp
  const tools = yield* Tools
  const { plugins } = yield* (yield* Plugins).active
  const { skills } = yield* (yield* Skills).list(cwd)
  const { servers } = yield* Effect.orElseSucceed(mcp.list(cwd), () => ({ servers: [] }))
  return {
    session: id,
    cwd,
    model: Model.title(settings.model),
    mode: settings.mode,
    tools: tools.specs(session).map(({ name }) => names.tool(name)),
    servers: servers.map(({ definition: { disabled, name } }) => ({ name, status: disabled ? "disabled" : "pending" })),
    keySource: environment.variables["ANTHROPIC_API_KEY"] === undefined ? "none" : "ANTHROPIC_API_KEY",
    commands: ["compact", ...(yield* intake.commands(cwd)).map(({ name }) => name)],
    agents,
    skills: skills.map(({ name }) => name),
    plugins: plugins.map(({ name, root }) => ({ name, path: root })),
    version: environment.version
  }
})
