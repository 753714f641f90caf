/** `dacapo fsck`: whether everything that is kept of sessions is whole, and a new store of what is. */
import * as Effect from "effect/Effect"
import * as Fsck from "../../layers/storage/sqlite/Fsck.ts"
import type { Run } from "../Commands.ts"
import { endings } from "../process/ExitCode.ts"
import { Host } from "../process/Host.ts"
import * as Json from "../render/json/StreamJson.ts"
import * as View from "../render/view/View.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { environment: { folders }, stdout } = yield* Host
  const checked = yield* Fsck.check(folders.data)
  const asText = values.outputFormat === undefined || values.outputFormat === "text"
  const say = (lines: ReadonlyArray<string>, data: object) =>
    stdout.write(asText ? lines.map((line) => `${View.text(line)}\n`).join("") : Json.line(data))
  if (checked.findings.length === 0) {
    yield* say([`${checked.file}: ${checked.sessions} sessions, ${checked.events} events, all whole.`], checked)
    return 0
  }
  if (values.rebuild !== true) {
    yield* say(
      [...checked.findings.map(({ session, what }) => session === "" || what.includes(session) ? what : `${session}: ${what}`), advice],
      checked
    )
    return endings.session.exit
  }
  yield* Fsck.unheld(folders.data)
  const rebuilt = yield* Fsck.rebuild(folders.data)
  yield* say([
    `${rebuilt.events} events of ${rebuilt.sessions} sessions are recovered. The damaged store is kept in ${rebuilt.damaged}.`,
    ...rebuilt.beside.map((file) => `Events behind a break, which no session can go on from, are in ${file}.`)
  ], { ...checked, rebuilt })
  return 0
})

const advice = "`dacapo fsck --rebuild` makes a new store of every whole event and keeps this one beside it."
