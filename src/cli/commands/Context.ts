/** `dacapo context [session]`: what fills the window of a session, item by item, as its next request would. */
import * as Effect from "effect/Effect"
import * as Session from "../../domain/session/Session.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import { EventLog } from "../../services/EventLog.ts"
import type { Run } from "../Commands.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as Context from "../render/text/ContextLines.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as Runtime from "../process/UnattendedAgent.ts"
import * as SessionNames from "../start/FindSession.ts"
import { Wiring } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [word = "latest"] }) {
  const { cwd: here, stdout } = yield* Host
  const { records } = yield* Wiring
  const cwd = yield* Folder.open(here, values.cd)
  const { id } = yield* Effect.provide(SessionNames.find(word, word === "latest" ? cwd : undefined), records)
  const work = Effect.gen(function*() {
    const log = yield* EventLog
    const context = yield* ContextWindow
    const session = Session.fold(yield* log.read(id))
    const report = yield* context.report(session, Session.speaker(session).model)
    yield* stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
      ? Context.lines(report, true).map((line) => `${line}\n`).join("")
      : Json.line(report))
    return 0
  })
  return yield* Effect.provide(work, yield* Runtime.unattended(cwd))
})
