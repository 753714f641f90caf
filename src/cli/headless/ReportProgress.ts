/** Reports the progress of subagents in a headless task: lines for people, JSON for programs. */
import * as Effect from "effect/Effect"
import * as Progress from "../../domain/session/Progress.ts"
import type { Followed, SessionEvent } from "../../domain/session/SessionEvent.ts"
import { Redactor } from "../../services/Redactor.ts"
import type { OutputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as FollowSubagents from "./FollowSubagents.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import type { ToolNames } from "../../domain/tool/ToolNames.ts"
import * as ProgressLines from "../render/text/ProgressLines.ts"
import * as Theme from "../render/text/Theme.ts"
import type { WriteLine } from "./StreamOutput.ts"

/** `handle` receives each settled event of the session; `finish` is run after the last one. */
export interface ProgressReporter {
  readonly handle: (entry: SessionEvent) => Effect.Effect<void, OutputError>
  readonly finish: Effect.Effect<void, OutputError>
}

export const make = Effect.fnUntraced(function*(root: string, verbose: boolean, writeLine: WriteLine, names: ToolNames) {
  const { redact } = yield* Redactor
  const { environment, stderr } = yield* Host
  const theme = Theme.of("auto", stderr.tty, environment.variables)
  let progress = Progress.initial()
  let lastReportMs = 0
  let hasSubagents = false

  const writeStderr = (line: string) => Effect.flatMap(redact, (clean) => Effect.ignore(stderr.write(clean(line))))

  /** Only the work of subagents is reported here; the session's own events report the rest. */
  const isOfSubagent = ({ work }: Progress.ProgressEvent): boolean => work.parentId !== undefined || work.kind === "child"

  const report = Effect.fnUntraced(function*(previous: Progress.Progress, { newEvents }: Progress.Progress) {
    for (const event of newEvents) {
      if (!isOfSubagent(event) || !Progress.isDue(progress, event, lastReportMs)) continue
      lastReportMs = event.time
      if (verbose) yield* writeStderr(`${ProgressLines.line(previous, event, theme)}\n`)
      yield* writeLine(ProgressLines.json(root, progress, event))
    }
  })
  const fold = (session: string, followed: Followed) =>
    Effect.suspend(() => {
      const previous = progress
      progress = followed._tag === "Settled"
        ? Progress.update(progress, root, session, followed.at)
        : Progress.updateLive(progress, session, followed, progress.time)
      return report(previous, progress)
    })

  const models = new Map<string, string>()
  /** Messages of a subagent name the call that started it. */
  const writeMessage = (subagent: StreamJson.Subagent, entry: SessionEvent) => {
    if (entry.event._tag === "ModelRequested") models.set(subagent.session, entry.event.model)
    return writeLine(StreamJson.message(root, models.get(subagent.session) ?? "", entry, { subagent, names }))
  }

  const subagents = yield* FollowSubagents.make((subagent, followed) =>
    fold(subagent.session, followed).pipe(
      Effect.andThen(followed._tag === "Settled" ? writeMessage(subagent, followed.at) : Effect.void),
      Effect.ignore
    )
  )

  return {
    handle: Effect.fnUntraced(function*(entry: SessionEvent) {
      const isStart = entry.event._tag === "ChildStarted"
      hasSubagents ||= isStart
      if (!isStart) yield* subagents.handle(entry)
      yield* fold(root, { _tag: "Settled", at: entry })
      if (isStart) yield* subagents.handle(entry)
    }),
    finish: Effect.suspend(() =>
      Effect.gen(function*() {
        const summary = ProgressLines.summary(progress)
        if (verbose && summary !== "") yield* writeStderr(`${summary}\n`)
        if (hasSubagents) yield* writeLine(ProgressLines.jsonSummary(root, progress))
      })
    )
  } satisfies ProgressReporter
})
