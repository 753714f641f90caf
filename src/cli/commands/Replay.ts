/** `efferent replay <session> [--verify]`: the same code runs again on what the log answers. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../../services/EventLog.ts"
import type { Run } from "../Commands.ts"
import { DivergedError } from "../CliError.ts"
import * as Folder from "../Folder.ts"
import { Host } from "../Host.ts"
import * as NobodyApprover from "../NobodyApprover.ts"
import * as Json from "../render/Json.ts"
import * as Lines from "../render/Lines.ts"
import * as Theme from "../render/Theme.ts"
import * as View from "../render/View.ts"
import * as SessionNames from "../SessionNames.ts"
import { Wiring } from "../Wiring.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [word = "latest"] }) {
  const host = yield* Host
  const wiring = yield* Wiring
  const cwd = yield* Folder.open(host.cwd, values.cd)
  const work = Effect.gen(function*() {
    const log = yield* EventLog
    const id = yield* SessionNames.find(word)
    if (values.verify !== true) {
      const theme = Theme.of(values.color ?? "auto", host.stdout.tty, host.variables)
      const view = (yield* log.read(id)).reduce((view, at) => View.update(view, { _tag: "Settled", at }), View.initial())
      yield* host.stdout.write(`${Lines.all(view, theme).join("\n")}\n\n`)
    }
    const { events } = yield* wiring.verify(id)
    yield* host.stdout.write(values.outputFormat === undefined || values.outputFormat === "text"
      ? `Session ${id} replays exactly: ${events} events, hash for hash.\n`
      : Json.line({ session_id: id, verified: true, events }))
    return 0
  })
  return yield* Effect.provide(work, wiring.layer({
    cwd,
    approver: Layer.provide(NobodyApprover.layer("deny"), Layer.succeed(Host, host))
  }))
})

export type { DivergedError }
