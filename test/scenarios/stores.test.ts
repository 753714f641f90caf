/**
 * Stores that an earlier version recorded (test/fixtures/stores): each still opens, is undamaged, replays hash for hash and can
 * be resumed. Between them they contain every kind of event.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Fsck from "../../src/layers/storage/sqlite/Fsck.ts"
import * as Process from "../cli/support/Process.ts"
import * as Replayed from "../cli/support/Replayed.ts"
import { choose } from "../suite.ts"

const folder = fileURLToPath(new URL("../fixtures/stores/", import.meta.url))
const stores = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => entry.isDirectory() ? [entry.name] : [])

/** The folder of every recorded session. A session is resumed where it started, so the folder must exist; it stays empty. */
const sessionFolder = "/tmp/dacapo-store/project"

/** Kinds of events that no recording can contain, and why. */
const reserved: Readonly<Partial<Record<Settled["_tag"], string>>> = {
  HookRan: "reserved: nothing appends it",
  LimitRaised: "newer than the recordings: limits.slow.test.ts has it, and replays",
  ModelSwitched: "newer than the recordings: a client switches the model while a task runs"
}

/** A place whose store is a copy of the recorded one. */
const placeWith = (name: string) => {
  const place = Process.place()
  const data = join(place.root, "home", "data")
  mkdirSync(data, { recursive: true })
  copyFileSync(join(folder, name, "sessions.db"), join(data, "sessions.db"))
  return { ...place, data }
}

/** The tags of all events in the store of a folder. */
const tagsIn = (data: string): ReadonlyArray<string> => {
  using database = new DatabaseSync(join(data, "sessions.db"), { readOnly: true })
  return database.prepare("SELECT DISTINCT json_extract(body, '$.event._tag') AS tag FROM line").all().map(({ tag }) => String(tag))
}

interface Summary {
  readonly id: string
  readonly parent?: string
}

const sessions = async (place: Process.Place): Promise<ReadonlyArray<Summary>> => {
  const list = await Process.run(place, ["sessions", "list", "--output-format", "json"])
  expect(list).toMatchObject({ code: 0, stderr: "" })
  return JSON.parse(list.stdout) as ReadonlyArray<Summary>
}

/** A priced model that responds with the same text wherever the session is. */
const model = (place: Process.Place): string => {
  const file = join(place.root, "resumed.json")
  const turns = Array.from({ length: 40 }, () => ({ text: "Resumed." }))
  writeFileSync(file, JSON.stringify({ model: { price: { input: 3, output: 15 } }, turns }))
  return `scripted/${file}`
}

describe("the recorded stores", () => {
  it("are at least ten", () => expect(stores.length).toBeGreaterThanOrEqual(10))

  it("contain every kind of event", () => {
    const tags = new Set(stores.flatMap((name) => {
      using place = placeWith(name)
      return tagsIn(place.data)
    }))
    const missing = Object.keys(Settled.cases).filter((tag) => !tags.has(tag))
    expect(missing.sort()).toEqual(Object.keys(reserved).sort())
  })
})

describe.each(stores)("the store %s", (name) => {
  it.live("is undamaged", () =>
    Effect.gen(function*() {
      using place = placeWith(name)
      expect(yield* Fsck.check(place.data)).toMatchObject({ sessions: expect.any(Number), findings: [] })
    }).pipe(Effect.scoped))

  it("replays hash for hash", async () => {
    using place = placeWith(name)
    await Replayed.verify(place.data)
  })
})

describe.each(choose({ quick: ["native"], all: stores }))("the command line over the store %s", (name) => {
  it("lists and checks it, and resumes each session that a user started", async () => {
    using place = placeWith(name)
    mkdirSync(sessionFolder, { recursive: true })
    expect(await Process.run(place, ["fsck"])).toMatchObject({ code: 0, stderr: "" })
    const summaries = await sessions(place)
    expect(summaries.length).toBeGreaterThan(0)
    const flags = ["--model", model(place), "--fallback-model", model(place), "--max-budget-usd", "100"]
    for (const { id } of summaries.filter(({ parent }) => parent === undefined)) {
      expect(await Process.run(place, ["-p", "--resume", id, ...flags, "One more"])).toMatchObject({ code: 0, stdout: "Resumed.\n" })
    }
    expect(await sessions(place)).toHaveLength(summaries.length)
    await Replayed.verify(place.data)
  })
})
