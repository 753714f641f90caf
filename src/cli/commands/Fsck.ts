/** `dacapo fsck`: checks the stored sessions for damage, and rebuilds the store from what is intact. */
import * as Effect from "effect/Effect"
import * as Fsck from "../../layers/storage/sqlite/Fsck.ts"
import type { Run } from "../Command.ts"
import { endings } from "../process/ExitCode.ts"
import { Host } from "../process/Host.ts"
import * as StreamJson from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { environment: { folders }, stdout } = yield* Host
  const report = yield* Fsck.check(folders.data)
  const isText = values.outputFormat === undefined || values.outputFormat === "text"
  const print = (lines: ReadonlyArray<string>, data: object) =>
    stdout.write(isText ? lines.map((line) => `${View.line(line)}\n`).join("") : StreamJson.line(data))
  if (report.findings.length === 0) {
    yield* print([`${report.file}: ${report.sessions} sessions, ${report.events} events, no damage.`], report)
    return 0
  }
  if (values.rebuild !== true) {
    yield* print(
      [...report.findings.map(({ session, what }) => session === "" || what.includes(session) ? what : `${session}: ${what}`), advice],
      report
    )
    return endings.session.exit
  }
  yield* Fsck.failIfInUse(folders.data)
  const { orphanFiles, ...rebuilt } = yield* Fsck.rebuild(folders.data)
  yield* print([
    `Recovered ${rebuilt.events} events of ${rebuilt.sessions} sessions. The damaged store is kept in ${rebuilt.damaged}.`,
    ...orphanFiles.map((file) => `Events after a break in a log, from which no session can continue, are in ${file}.`)
  ], { ...report, rebuilt: { ...rebuilt, beside: orphanFiles } })
  return 0
})

const advice = "Run `dacapo fsck --rebuild` to build a new store from the intact events. The damaged store is kept."
