/** `dacapo context [session]`: what the next request of a session would contain, item by item. */
import * as Effect from "effect/Effect"
import * as Session from "../../domain/session/Session.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import { EventLog } from "../../services/EventLog.ts"
import type { Run } from "../Command.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as ContextLines from "../render/text/ContextLines.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as FindSession from "../start/FindSession.ts"
import { AgentLayers } from "../process/AgentLayers.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args: [name = "latest"] }) {
  const { cwd: hostCwd, stdout } = yield* Host
  const { records } = yield* AgentLayers
  const cwd = yield* WorkingFolder.open(hostCwd, values.cd)
  const { id } = yield* Effect.provide(FindSession.find(name, name === "latest" ? cwd : undefined), records)
  const work = Effect.gen(function*() {
    const log = yield* EventLog
    const context = yield* ContextWindow
    const session = Session.fold(yield* log.read(id))
    const report = yield* context.report(session, Session.activeModel(session).model)
    yield* stdout.write(
      values.outputFormat === undefined || values.outputFormat === "text"
        ? ContextLines.lines(report, true).map((line) => `${line}\n`).join("")
        : StreamJson.line(report)
    )
    return 0
  })
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})
