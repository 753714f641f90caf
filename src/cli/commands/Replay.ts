/** `efferent replay <session> [--verify]`: the same code runs again on what the log answers. */
import * as Effect from "effect/Effect"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import type { Run } from "../Commands.ts"
import * as Folder from "../Folder.ts"
import { Host } from "../Host.ts"
import * as Json from "../render/Json.ts"
import * as Lines from "../render/Lines.ts"
import * as Theme from "../render/Theme.ts"
import * as View from "../render/View.ts"
import * as Runtime from "../Runtime.ts"
import * as SessionNames from "../SessionNames.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [word = "latest"] }) {
  const host = yield* Host
  const cwd = yield* Folder.open(host.cwd, values.cd)
  const work = Effect.gen(function*() {
    const log = yield* EventLog
    const storage = yield* Storage
    const { id } = yield* SessionNames.find(word)
    const recorded = yield* log.read(id)
    if (values.verify !== true) {
      const theme = Theme.of(values.color ?? "auto", host.stdout.tty, host.environment.variables)
      const view = recorded.reduce((view, at) => View.update(view, { _tag: "Settled", at }), View.initial())
      yield* host.stdout.write(`${Lines.all(view, theme).join("\n")}\n\n`)
    }
    const { verify } = yield* Effect.promise(() => import("../../layers/agent/Replay.ts"))
    const { events } = yield* verify(recorded, { getBlob: storage.getBlob })
    yield* host.stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
      ? `Session ${id} replays exactly: ${events} events, hash for hash.\n`
      : Json.line({ session_id: id, verified: true, events }))
    return 0
  })
  return yield* Effect.provide(work, yield* Runtime.unattended(cwd))
})
