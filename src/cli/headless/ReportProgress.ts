/** Tells what runs in a task that nobody watches: lines for people, JSON for programs. */
import * as Effect from "effect/Effect"
import * as Progress from "../../domain/session/Progress.ts"
import type { Followed, SessionEvent } from "../../domain/session/SessionEvent.ts"
import { Redactor } from "../../services/Redactor.ts"
import type { OutputError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"
import * as Offspring from "./FollowSubagents.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Lines from "../render/text/ProgressLines.ts"
import * as Theme from "../render/text/Theme.ts"
import type { Tell } from "./StreamOutput.ts"

/** `on` is told of each settled event of the session, `end` when nothing comes any more. */
export interface Working {
  readonly on: (at: SessionEvent) => Effect.Effect<void, OutputError>
  readonly end: Effect.Effect<void, OutputError>
}

export const make = Effect.fnUntraced(function*(root: string, verbose: boolean, tell: Tell) {
  const { redact } = yield* Redactor
  const { environment, stderr } = yield* Host
  const theme = Theme.of("auto", stderr.tty, environment.variables)
  let progress = Progress.initial()
  let last = 0
  let family = false

  const aside = (line: string) => Effect.flatMap(redact, (clean) => Effect.ignore(stderr.write(clean(line))))

  /** What was done by this session alone is told by its own events. */
  const isOfChildren = ({ work }: Progress.Moment): boolean => work.under !== undefined || work.kind === "child"

  const show = Effect.fnUntraced(function*(before: Progress.Progress, { fresh }: Progress.Progress) {
    for (const moment of fresh) {
      if (!isOfChildren(moment) || !Progress.isDue(progress, moment, last)) continue
      last = moment.time
      if (verbose) yield* aside(`${Lines.line(before, moment, theme)}\n`)
      yield* tell(Lines.json(root, progress, moment))
    }
  })
  const fold = (session: string, followed: Followed) =>
    Effect.suspend(() => {
      const before = progress
      progress = followed._tag === "Settled" ? Progress.update(progress, root, session, followed.at) : Progress.live(progress, session, followed, progress.time)
      return show(before, progress)
    })

  const models = new Map<string, string>()
  /** A child's messages stand in the stream under the call that gave it its work. */
  const speak = (child: Json.Child, at: SessionEvent) => {
    if (at.event._tag === "ModelRequested") models.set(child.session, at.event.model)
    return tell(Json.message(root, models.get(child.session) ?? "", at, child))
  }

  const offspring = yield* Offspring.make((child, followed) =>
    fold(child.session, followed).pipe(
      Effect.andThen(followed._tag === "Settled" ? speak(child, followed.at) : Effect.void),
      Effect.ignore
    ))

  return {
    on: Effect.fnUntraced(function*(at: SessionEvent) {
      const begins = at.event._tag === "ChildStarted"
      family ||= begins
      if (!begins) yield* offspring.on(at)
      yield* fold(root, { _tag: "Settled", at })
      if (begins) yield* offspring.on(at)
    }),
    end: Effect.suspend(() => Effect.gen(function*() {
      const summary = Lines.summary(progress)
      if (verbose && summary !== "") yield* aside(`${summary}\n`)
      if (family) yield* tell(Lines.jsonSummary(root, progress))
    }))
  } satisfies Working
})
