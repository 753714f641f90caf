/**
 * Kills the real command with -9 in a moment of one kind, and holds it to what spec'd sessions promise: what was shown is
 * kept, nothing runs twice, files are old or new, and the task can be finished.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { zstdDecompressSync } from "node:zlib"
import { randomAt } from "../../src/domain/session/SeededRandom.ts"
import type { SessionEvent, Settled } from "../../src/domain/session/SessionEvent.ts"
import { sha256 } from "../../src/layers/storage/Digest.ts"
import * as Process from "../cli/support/Process.ts"
import * as Watch from "./Watch.ts"

/** A point of a kind: `chance` gives numbers in [0, 1) that are its own. */
export interface Point {
  readonly seed: string
  readonly number: number
}
const chance = ({ number, seed }: Point, of: string): number => randomAt(`${seed}/${of}`, number)

/** What came of a kill. `met`: it was in such a moment when it died. `broken`: promises that were not kept. */
export interface Died {
  readonly met: boolean
  readonly broken: ReadonlyArray<string>
  /** Streamed text, in ms, that was shown and is not kept. */
  readonly lostMs: number
}

/** A word a chunk, and so many ms between two. */
const pace = 20
const words = Array.from({ length: 80 }, (_, i) => `w${String(i + 1).padStart(3, "0")} `)

const big = (letter: string): string => `${letter.repeat(79)}\n`.repeat(5000)
const files = { "big.txt": { old: big("o"), new: big("n") }, "small.txt": { old: "old\n", new: "new\n" } } as const

/** A task with a read, commands and edits; `slow` streams its first answer word by word. */
const turns = (slow: boolean): ReadonlyArray<object> => [
  {
    ...(slow ? { text: words.join(""), chunkSize: 5, delayMs: pace } : { text: "I begin." }),
    calls: [
      { name: "read_file", params: { path: "small.txt" } },
      { name: "run_command", params: { command: "echo one >> ran.txt; sleep 0.2; echo one >> done.txt" } }
    ]
  },
  { calls: [{ name: "write_file", params: { path: "big.txt", content: files["big.txt"].new } }] },
  { calls: [{ name: "edit_file", params: { path: "small.txt", old_text: "old", new_text: "new" } }] },
  { calls: [{ name: "run_command", params: { command: "echo two >> ran.txt; sleep 0.1; echo two >> done.txt" } }] },
  { text: "All is done." }
]

const flags = ["--output-format", "events", "--permission-mode", "bypassPermissions"]

const prepared = (slow: boolean): { readonly place: Process.Place & Disposable; readonly model: string } => {
  const place = Process.place()
  for (const [name, { old }] of Object.entries(files)) writeFileSync(join(place.cwd, name), old)
  const script = join(place.root, "task.json")
  writeFileSync(script, JSON.stringify({ model: { window: 10_000_000, maxOutput: 8000 }, turns: turns(slow) }))
  return { place, model: `scripted/${script}` }
}

const data = (place: Process.Place): string => join(place.root, "home", "data")

const count = (events: ReadonlyArray<SessionEvent>, tag: Settled["_tag"]): number => events.filter(({ event }) => event._tag === tag).length

interface Kept {
  readonly events: ReadonlyArray<SessionEvent>
  readonly broken: ReadonlyArray<string>
}

/** The log as it stands on disk, and whether its chain holds. */
const kept = (place: Process.Place): Kept => {
  if (!existsSync(join(data(place), "sessions.db"))) return { events: [], broken: [] }
  using database = new DatabaseSync(join(data(place), "sessions.db"))
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'line'").all()
  const rows = tables.length === 0 ? [] : database.prepare("SELECT seq, hash, body FROM line ORDER BY session, seq").all()
  let prev = ""
  const broken: Array<string> = []
  const events = rows.map((row): SessionEvent => {
    const { body, hash, seq } = row as { readonly body: string; readonly hash: string; readonly seq: number }
    if (sha256(`${prev}\n${body}`) !== hash) broken.push(`the chain breaks at event ${seq}`)
    const entry = { ...JSON.parse(body), prev, hash } as SessionEvent
    prev = hash
    return entry
  })
  return { events, broken }
}

const blob = (place: Process.Place, hash: string): string => {
  using database = new DatabaseSync(join(data(place), "sessions.db"))
  const row = database.prepare("SELECT codec, bytes FROM blob WHERE hash = ?").get(hash) as { codec: string; bytes: Uint8Array } | undefined
  return row === undefined ? "" : new TextDecoder().decode(row.codec === "zstd" ? zstdDecompressSync(row.bytes) : row.bytes)
}

const highestWord = (text: string): number => Math.max(0, ...[...text.matchAll(/w(\d{3})/g)].map(([, number]) => Number(number)))

/** What is said and done twice, or half. */
const content = (place: Process.Place, name: string): string => readFileSync(join(place.cwd, name), "utf8")

const halves = (place: Process.Place): ReadonlyArray<string> =>
  Object.entries(files).flatMap(([name, { new: after, old }]) => [old, after].includes(content(place, name) as never) ? [] : [`${name} is neither old nor new`])

const repeats = (place: Process.Place): ReadonlyArray<string> => {
  if (!existsSync(join(place.cwd, "ran.txt"))) return []
  const ran = content(place, "ran.txt").trim().split("\n")
  return new Set(ran).size === ran.length ? [] : [`commands ran twice: ${ran.join(", ")}`]
}

/** Started more than once: reads, and edits whose files said that nothing had been done. */
const restarts = (events: ReadonlyArray<SessionEvent>): ReadonlyArray<string> => {
  const reads = new Set(events.flatMap(({ event }) => event._tag === "ToolProposed" && event.kind === "read" ? [event.call] : []))
  const started = new Set<string>()
  return events.flatMap(({ event }) => {
    if (event._tag === "ToolProbed" && event.found === "untouched") started.delete(event.call)
    if (event._tag !== "ToolStarted") return []
    const twice = started.has(event.call) && !reads.has(event.call)
    started.add(event.call)
    return twice ? [`${event.call} was started twice`] : []
  })
}

/** Takes the session up again and holds it to the promises. */
const resumed = async (place: Process.Place, before: ReadonlyArray<SessionEvent>): Promise<ReadonlyArray<string>> => {
  const ended = await Process.run(place, ["-p", "--continue", ...flags])
  const { broken, events } = kept(place)
  const replayed = await Process.run(place, ["replay", "latest", "--verify"])
  const hashes = new Set(events.map(({ hash }) => hash))
  const finished = events.filter(({ event }) => event._tag === "ToolFinished").length
  return [
    ...broken,
    ...(ended.code === 0 && events.at(-1)?.event._tag === "TaskFinished" ? [] : [`it was not finished: ${ended.code} ${ended.stderr}`]),
    ...before.flatMap(({ event, hash, seq }) => hashes.has(hash) ? [] : [`event ${seq} (${event._tag}) was shown and is gone`]),
    ...(finished === 5 ? [] : [`${finished} outcomes of 5 calls`]),
    ...restarts(events),
    ...repeats(place),
    ...Object.entries(files).flatMap(([name, { new: after }]) => content(place, name) === after ? [] : [`${name} was not edited in the end`]),
    ...(replayed.code === 0 ? [] : [`the replay goes another way: ${replayed.stderr}`])
  ]
}

const unmet: Died = { met: false, broken: [], lostMs: 0 }

/** A headless task that dies when `moment` holds; `held` says of the log it left whether that was it. */
const inTask = async (
  point: Point,
  moment: (run: Watch.Run, place: Process.Place, pid: number) => boolean,
  delayMs: number,
  held: (events: ReadonlyArray<SessionEvent>) => boolean = () => true
): Promise<Died> => {
  const { model, place } = prepared(false)
  using _ = place
  const run = Watch.start(place, ["-p", "--model", model, ...flags, `Task ${point.number}`])
  const was = await Watch.kill(run, (pid) => moment(run, place, pid), delayMs)
  const { broken, events } = kept(place)
  if (!was || !held(events) || count(events, "UserSaid") === 0 || count(events, "TaskFinished") > 0) return unmet
  const now = [...broken, ...halves(place)]
  return { met: true, broken: [...now, ...(await resumed(place, run.shown))], lostMs: 0 }
}

const open = (events: ReadonlyArray<SessionEvent>, from: Settled["_tag"], to: Settled["_tag"]): number => count(events, from) - count(events, to)

/** The n-th of the three calls that change something. */
const nth = (point: Point, of: number): number => 1 + Math.floor(chance(point, "nth") * of)

const streaming = async (point: Point): Promise<Died> => {
  const { model, place } = prepared(true)
  using _ = place
  const word = 4 + Math.floor(chance(point, "word") * 70)
  let seen = 0
  const run = Watch.startOnTerminal(
    place,
    ["--model", model, "--permission-mode", "bypassPermissions", "Go"],
    (drawn) => void (seen = Math.max(seen, highestWord(drawn)))
  )
  if (!await Watch.kill(run, () => seen >= word, chance(point, "delay") * pace)) return unmet
  const { broken, events } = kept(place)
  if (open(events, "ModelRequested", "ModelResponded") !== 1) return unmet
  const after = await resumed(place, [])
  const failed = kept(place).events.find(({ event }) => event._tag === "ModelFailed")?.event
  const draft = failed?._tag === "ModelFailed" && failed.draft !== null ? blob(place, failed.draft) : ""
  const lostMs = Math.max(0, seen - highestWord(draft)) * pace
  return { met: true, broken: [...broken, ...after, ...(lostMs <= 250 ? [] : [`${lostMs} ms of streamed text are lost`])], lostMs }
}

const betweenApprovalAndStart = (point: Point): Promise<Died> =>
  inTask(
    point,
    ({ shown }) => count(shown, "ToolProposed") >= 1 + nth(point, 4) && open(shown, "ToolProposed", "ToolStarted") > 0,
    chance(point, "delay") * 8,
    (events) => open(events, "ToolProposed", "ToolStarted") > 0
  )

const betweenStartAndFinish = (point: Point): Promise<Died> =>
  inTask(
    point,
    ({ shown }) => open(shown, "ToolStarted", "ToolFinished") > 0 && count(shown, "ToolStarted") >= nth(point, 5),
    chance(point, "delay") * 60,
    (events) => open(events, "ToolStarted", "ToolFinished") > 0
  )

const inFileWrite = (point: Point): Promise<Died> =>
  inTask(point, (_, place) => readdirSync(place.cwd).some((name) => name.startsWith(".dacapo-")), chance(point, "delay") * 3)

const inCheckpoint = (point: Point): Promise<Died> =>
  inTask(
    point,
    (run, place, pid) => count(run.shown, "CheckpointSaved") >= nth(point, 4) - 1 && Watch.runsGit(pid, data(place)),
    0,
    (events) => count(events, "ToolProposed") > 0
  )

const inTransaction = (point: Point): Promise<Died> =>
  inTask(
    point,
    (run, _, pid) => run.shown.length >= 1 + Math.floor(chance(point, "events") * 40) && Watch.writesDatabase(pid),
    0
  )

/** A store of the first version with some megabytes to be carried over. */
const inMigration = async (point: Point): Promise<Died> => {
  const { model, place } = prepared(false)
  using _ = place
  const begun = Watch.start(place, ["-p", "--model", model, ...flags, "Go"])
  await Watch.kill(begun, () => open(begun.shown, "ToolStarted", "ToolFinished") > 0, 0)
  const file = join(data(place), "sessions.db")
  const drafts = 400
  {
    using database = new DatabaseSync(file)
    database.exec("DROP TABLE draft; CREATE TABLE draft (session TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT; ALTER TABLE session DROP COLUMN indexed; DROP INDEX children; ALTER TABLE session DROP COLUMN parent; DROP TABLE packed; DROP TABLE word; PRAGMA user_version = 1")
    const insert = database.prepare("INSERT INTO draft (session, bytes) VALUES (?, zeroblob(50000))")
    for (let i = 0; i < drafts; i++) insert.run(`s${i}`)
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  }
  const version = () => {
    using database = new DatabaseSync(file)
    return Number(database.prepare("PRAGMA user_version").get()!["user_version"])
  }
  const run = Watch.start(place, ["sessions", "list"])
  const was = await Watch.kill(run, Watch.writesDatabase, chance(point, "delay") * 25)
  if (!was || version() !== 1) return unmet
  const after = await resumed(place, begun.shown)
  using database = new DatabaseSync(file)
  const left = Number(database.prepare("SELECT count(*) AS n FROM draft WHERE length(bytes) = 50000").get()!["n"])
  return { met: true, broken: [...after, ...(left === drafts ? [] : [`${left} of ${drafts} drafts are left`])], lostMs: 0 }
}

const restored = 150
const letter = (place: Process.Place, i: number): string => {
  const text = existsSync(join(place.cwd, `f${i}`)) ? content(place, `f${i}`) : ""
  return /^(a{20000}|b{20000})$/.test(text) ? text[0]! : "half"
}

/** Files that one command made and the next one changed, taken back. */
const inRestore = async (point: Point): Promise<Died> => {
  using place = Process.place()
  const fill = (with_: string) => `for i in $(seq ${restored}); do head -c 20000 /dev/zero | tr '\\0' ${with_} > f$i; done`
  const model = place.script(
    { calls: [{ name: "run_command", params: { command: fill("a") } }] },
    { calls: [{ name: "run_command", params: { command: fill("b") } }] },
    { text: "Done." }
  )
  const made = Watch.start(place, ["-p", "--model", model, ...flags, "Go"])
  await made.ended
  const ids = made.shown.flatMap(({ event }) => event._tag === "CheckpointSaved" ? [event.id] : [])
  const restore = ["checkpoints", "restore", ids.at(-2)!, "--yes"]
  const run = Watch.start(place, restore)
  const letters = () => Array.from({ length: restored }, (_, i) => letter(place, i + 1))
  const was = await Watch.kill(run, (pid) => Watch.runsGit(pid, data(place), "checkout-index"), chance(point, "delay") * 4)
  if (!was) return unmet
  const halves = letters().filter((one) => one === "half").length
  const again = await Process.run(place, restore)
  const checked = await Process.run(place, ["fsck"])
  const replayed = await Process.run(place, ["replay", "latest", "--verify"])
  return {
    met: true,
    lostMs: 0,
    broken: [
      ...(halves === 0 ? [] : [`${halves} files are half`]),
      ...(again.code === 0 && letters().every((one) => one === "a") ? [] : [`it could not be restored afterwards: ${again.code} ${again.stderr}`]),
      ...(checked.code === 0 ? [] : [`the store is damaged: ${checked.stdout}`]),
      ...(replayed.code === 0 ? [] : [`the replay goes another way: ${replayed.stderr}`])
    ]
  }
}

/** The kinds of moments in which a process can die. */
export const kinds: Readonly<Record<string, (point: Point) => Promise<Died>>> = {
  "streaming": streaming,
  "between approval and start": betweenApprovalAndStart,
  "between start and finish of a tool": betweenStartAndFinish,
  "in a file write": inFileWrite,
  "in a checkpoint": inCheckpoint,
  "in a restore": inRestore,
  "in a database transaction": inTransaction,
  "in a migration": inMigration
}

export interface Tally {
  readonly kind: string
  readonly points: number
  readonly tried: number
  readonly broken: ReadonlyArray<string>
  readonly mostLostMs: number
}

/** Dies `points` times in moments of a kind; one that was missed is tried again at another place. */
export const tally = async (kind: string, points: number, seed: string): Promise<Tally> => {
  const broken: Array<string> = []
  let met = 0
  let tried = 0
  let mostLostMs = 0
  while (met < points && tried < points * 6 + 10) {
    const number = tried++
    const died = await kinds[kind]!({ seed: `${seed}/${kind}`, number })
    if (!died.met) continue
    met++
    mostLostMs = Math.max(mostLostMs, died.lostMs)
    broken.push(...died.broken.map((what) => `${kind}, point ${number} of seed ${seed}: ${what}`))
  }
  return { kind, points: met, tried, broken, mostLostMs }
}
