/** A log that was changed: by a byte, and by someone who hashed it again. */
import { describe, expect, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as HashChain from "../../src/layers/storage/HashChain.ts"
import type { Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Process from "../cli/support/Process.ts"

/** A task of three requests, kept in `place`. */
const recorded = async (place: Process.Place) => {
  writeFileSync(join(place.cwd, "a.txt"), "one\n")
  const model = place.script(
    { calls: [{ name: "read_file", params: { path: "a.txt" } }] },
    { calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "two" } }] },
    { text: "Done." }
  )
  expect(await Process.run(place, ["-p", "--model", model, "--permission-mode", "acceptEdits", "Mend it"])).toMatchObject({ code: 0 })
  return new DatabaseSync(join(place.root, "home", "data", "sessions.db"))
}

interface Row {
  readonly seq: number
  readonly body: string
}

/** Changes events and hashes the whole log again. */
const forge = (database: DatabaseSync, change: (event: Settled) => Settled) => {
  let prev = ""
  for (const { body, seq } of database.prepare("SELECT seq, body FROM line ORDER BY seq").all() as unknown as ReadonlyArray<Row>) {
    const { event, time } = JSON.parse(body) as { readonly event: Settled; readonly time: number }
    const line = HashChain.line(prev, seq, time, change(event))
    database.prepare("UPDATE line SET body = ?, hash = ? WHERE seq = ?").run(line.body, line.hash, seq)
    prev = line.hash
  }
  database.prepare("UPDATE session SET hash = ?").run(prev)
  database.close()
}

const verify = (place: Process.Place) => Process.run(place, ["replay", "latest", "--verify"])

describe("a changed log", () => {
  it("breaks the chain at the changed byte, and is not opened", async () => {
    using place = Process.place()
    const database = await recorded(place)
    database.prepare("UPDATE line SET body = replace(body, 'Mend it', 'Mend at') WHERE seq = 1").run()
    database.close()
    for (const args of [["replay", "latest", "--verify"], ["sessions", "show", "latest"], ["-p", "--continue", "Go on"]]) {
      const ended = await Process.run(place, args)
      expect(ended.code).toBe(59)
      expect(ended.stderr).toMatch(/^dacapo: The log of session \S+ is damaged at event 1: [^\n]+\n$/)
    }
  })

  it("replays elsewhere when a tool's result was forged, from the first event that depends on it", async () => {
    using place = Process.place()
    forge(await recorded(place), (event) =>
      event._tag === "ToolFinished" && event.call === "call_1_1"
        ? { ...event, outcome: { ...event.outcome, content: [{ _tag: "Text", text: "forged" }] } }
        : event)
    const ended = await verify(place)
    expect(ended.code).toBe(57)
    expect(ended.stderr).toMatch(/at event 9 \(ContextPlanned\): tokens is \d+ in the log, \d+ in the replay/)
  })

  it("replays elsewhere when a limit was changed", async () => {
    using place = Process.place()
    forge(await recorded(place), (event) =>
      event._tag === "SessionStarted" ? { ...event, settings: { ...event.settings, limits: { ...event.settings.limits, turns: 1 } } } : event)
    const ended = await verify(place)
    expect(ended.code).toBe(57)
    expect(ended.stderr).toContain("the replay has TaskFailed")
  })

  it("replays exactly when nothing was changed", async () => {
    using place = Process.place()
    ;(await recorded(place)).close()
    expect(await verify(place)).toMatchObject({ code: 0, stderr: "" })
  })
})
