/**
 * Many sessions on a cluster whose processes die, stop and wake up at random moments. Each session must finish; no event that a client
 * saw may be missing, and nothing may be done twice.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { randomAt } from "../../src/domain/session/SeededRandom.ts"
import type { SessionEvent, Settled } from "../../src/domain/session/SessionEvent.ts"
import { sha256 } from "../../src/layers/storage/Digest.ts"
import type { Asked, Reply } from "../cli/support/ChatServer.ts"
import * as Cluster from "../cli/support/Cluster.ts"
import * as Process from "../cli/support/Process.ts"
import type { Event } from "../cli/support/Server.ts"
import { query } from "../layers/storage/PostgresServer.ts"

/** `concurrent`: sessions at work at the same time; `replays`: finished sessions that are replayed. `order`: instead of random kinds. */
export interface Options {
  readonly sessions: number
  readonly moments: number
  readonly concurrent: number
  readonly replays: number
  readonly seed: string
  readonly order?: ReadonlyArray<Kind>
  readonly report?: (line: string) => void
}

/** What happens at a moment. */
export type Kind = "kill a runner" | "pause a runner" | "terminate a runner" | "crash the database" | "kill the gateway"
export const kinds: ReadonlyArray<Kind> = ["kill a runner", "pause a runner", "terminate a runner", "crash the database", "kill the gateway"]

interface Moment {
  readonly kind: Kind
  /** ms since the epoch. */
  readonly at: number
}

export interface Report {
  readonly finished: number
  readonly events: number
  /** How often each kind of moment came. */
  readonly moments: Readonly<Record<string, number>>
  /** ms from a moment to each `Resumed` that followed, by kind, ascending. */
  readonly resumed: Readonly<Record<string, ReadonlyArray<number>>>
  /** Commands whose runner died while they ran: whether they ran is not known, and they did not run again. */
  readonly unknown: number
  readonly durationMs: number
  readonly broken: ReadonlyArray<string>
}

/** Commands write a line each; edits follow each other, so that a lost or a second one shows. */
const steps: ReadonlyArray<Reply> = [
  { calls: [{ name: "write_file", params: { path: "notes.txt", content: "one\n" } }] },
  { calls: [{ name: "run_command", params: { command: "echo first >> effects.txt; sleep 0.3" } }] },
  { calls: [{ name: "edit_file", params: { path: "notes.txt", old_text: "one", new_text: "two" } }] },
  { calls: [{ name: "read_file", params: { path: "notes.txt" } }] },
  { calls: [{ name: "run_command", params: { command: "echo second >> effects.txt; sleep 0.3" } }] },
  { calls: [{ name: "edit_file", params: { path: "notes.txt", old_text: "two", new_text: "three" } }] },
  { text: "Done." }
]
const calls = steps.length - 1

/** How long after the last moment all sessions must have finished, in ms for each. */
const patienceMs = 5_000

/** The next step follows from the conversation alone, whichever runner asks. */
const model = ({ body, path }: Asked): Reply | undefined => {
  if (!path.endsWith("/chat/completions")) return undefined
  const messages = body["messages"] as ReadonlyArray<{ readonly role: string }>
  return steps[Math.min(messages.filter(({ role }) => role === "assistant").length, calls)]
}

const isEnd = ({ at }: Event): boolean => at?.event._tag === "TaskFinished" || at?.event._tag === "TaskFailed"

export const run = async ({ concurrent, moments: count, order = [], replays, report: print = () => {}, seed, sessions }: Options): Promise<Report> => {
  const started = Date.now()
  const report = (line: string) => print(`${((Date.now() - started) / 1000).toFixed(1)} s: ${line}`)
  await using cluster = await Cluster.start({ runners: 3, model })
  const seen = new Map<string, ReadonlyArray<Event>>()
  const stop = new AbortController()
  let next = 0
  const work = async () => {
    while (next < sessions && !stop.signal.aborted) {
      const number = ++next
      const { session } = await cluster.insist({ _tag: "Start" })
      await cluster.insist({ _tag: "Say", session, text: `Session ${number}`, key: "task" })
      seen.set(session, await cluster.follow(session, isEnd, stop.signal))
      report(`finished ${seen.size} of ${sessions}`)
    }
  }
  const workers = Promise.all(Array.from({ length: concurrent }, work))
  let isDone = false
  void workers.then(() => (isDone = true))

  const moments: Array<Moment> = []
  const chance = (of: string): number => randomAt(`${seed}/${of}`, moments.length)
  while (moments.length < count && !isDone) {
    await setTimeout(500 + chance("wait") * 4_000)
    const kind = order[moments.length] ?? kinds[Math.floor(chance("kind") * kinds.length)]!
    const runner = cluster.runners[Math.floor(chance("runner") * cluster.runners.length)]!
    const lengthMs = 500 + chance("length") * 3_000
    moments.push({ kind, at: Date.now() })
    report(`moment ${moments.length}: ${kind}`)
    await disturb(cluster, kind, runner, lengthMs)
  }
  await Promise.race([workers, setTimeout(60_000 + patienceMs * sessions, undefined, { ref: false })])
  stop.abort()
  await workers

  const broken: Array<string> = []
  const resumed: Record<string, Array<number>> = {}
  let events = 0
  let unknown = 0
  for (const [session, clientEvents] of seen) {
    const log = await stored(cluster, session, broken)
    events += log.length
    unknown += outcomes(log).filter((status) => status === "unknown").length
    const found = faults(log, clientEvents, join(cluster.workspaces, session))
    broken.push(...found.map((fault) => `${session}: ${fault}`))
    if (found.length > 0) report(`the log of a session that broke its promises: ${keep(seed, session, log)}`)
    for (const { event, time } of log) {
      const before = event._tag === "Resumed" ? moments.findLast(({ at }) => at <= time) : undefined
      if (before !== undefined) (resumed[before.kind] ??= []).push(time - before.at)
    }
  }
  for (const session of [...seen.keys()].slice(0, replays)) {
    const { code, stderr } = await Process.run(cluster.place, ["replay", session, "--verify"])
    if (code !== 0) broken.push(`${session}: the replay goes another way: ${stderr}`)
  }
  for (const { child, ended } of [...cluster.runners.map(({ running }) => running), cluster.gateway()]) {
    if (child.exitCode !== null) broken.push(`a process ended by itself: ${(await ended).stderr}`)
  }
  return {
    finished: seen.size,
    events,
    moments: Object.fromEntries(kinds.map((kind) => [kind, moments.filter((moment) => moment.kind === kind).length])),
    resumed: Object.fromEntries(Object.entries(resumed).map(([kind, times]) => [kind, times.sort((a, b) => a - b)])),
    unknown,
    durationMs: Date.now() - started,
    broken
  }
}

/** Afterwards everything runs again. */
const disturb = async (cluster: Cluster.Cluster, kind: Kind, runner: Cluster.Runner, lengthMs: number): Promise<void> => {
  const { child, ended } = runner.running
  switch (kind) {
    case "kill a runner":
    case "terminate a runner":
      child.kill(kind === "kill a runner" ? "SIGKILL" : "SIGTERM")
      await ended
      await setTimeout(lengthMs)
      return await cluster.startRunner(runner)
    case "pause a runner":
      // Longer than it keeps its shards: it wakes up when its sessions are another's.
      child.kill("SIGSTOP")
      await setTimeout(17_000 + lengthMs)
      return void child.kill("SIGCONT")
    case "crash the database":
      await cluster.database.crash()
      await setTimeout(lengthMs)
      return await cluster.database.start()
    case "kill the gateway":
      return await cluster.restartGateway()
  }
}

/** Saves a log where it outlives the cluster. */
const keep = (seed: string, session: string, log: ReadonlyArray<SessionEvent>): string => {
  const folder = join(tmpdir(), `dacapo-drill-${seed}`)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${session}.jsonl`)
  writeFileSync(file, log.map((event) => `${JSON.stringify(event)}\n`).join(""))
  return file
}

/** The log as it is in the database, with what is wrong with its chain. */
const stored = async ({ address }: Cluster.Cluster, session: string, broken: Array<string>): Promise<ReadonlyArray<SessionEvent>> => {
  const rows = await Effect.runPromise(
    query(address, `SELECT seq, hash, body FROM line WHERE session = (SELECT num FROM session WHERE id = '${session}') ORDER BY seq`)
  )
  let prev = ""
  return rows.map((row, i) => {
    const { body, hash, seq } = row as { readonly seq: number; readonly hash: string; readonly body: string }
    if (seq !== i || sha256(`${prev}\n${body}`) !== hash) broken.push(`${session}: the chain breaks at event ${i}`)
    const entry = { ...JSON.parse(body), prev, hash } as SessionEvent
    prev = hash
    return entry
  })
}

const all = <Tag extends Settled["_tag"]>(log: ReadonlyArray<SessionEvent>, tag: Tag) =>
  log.flatMap(({ event }) => event._tag === tag ? [event as Extract<Settled, { readonly _tag: Tag }>] : [])

const outcomes = (log: ReadonlyArray<SessionEvent>) => all(log, "ToolFinished").map(({ outcome }) => outcome.status)

/** The promises that a session did not keep. */
const faults = (log: ReadonlyArray<SessionEvent>, clientEvents: ReadonlyArray<Event>, folder: string): ReadonlyArray<string> => {
  const hashes = new Set(log.map(({ hash }) => hash))
  const finished = all(log, "ToolFinished")
  const seqs = clientEvents.flatMap(({ at }) => at === undefined ? [] : [at.seq as number])
  const effects = read(join(folder, "effects.txt")).split("\n").filter((line) => line !== "")
  const succeeded = all(log, "ToolProposed").filter(({ call, kind }) =>
    kind === "command" && finished.some((one) => one.call === call && one.outcome.status === "succeeded")
  )
  return [
    ...(clientEvents.some(isEnd) ? [] : ["its client did not see the end"]),
    ...clientEvents.flatMap(({ at }) => at === undefined || hashes.has(at.hash) ? [] : [`event ${at.seq} was shown and is gone`]),
    ...seqs.flatMap((seq, i) => seq === i ? [] : [`the client got event ${seq} in place of ${i}`]).slice(0, 1),
    ...(all(log, "UserSaid").length === 1 ? [] : [`the message was recorded ${all(log, "UserSaid").length} times`]),
    ...(all(log, "TaskFinished").length === 1 ? [] : ["it did not finish"]),
    ...(finished.length === calls && new Set(finished.map(({ call }) => call)).size === calls ? [] : [`${finished.length} outcomes of ${calls} calls`]),
    ...(new Set(effects).size === effects.length ? [] : [`a command ran twice: ${effects.join(", ")}`]),
    ...(effects.length >= succeeded.length ? [] : [`${succeeded.length} commands succeeded, and ${effects.length} left a trace`]),
    ...(read(join(folder, "notes.txt")) === "three\n" ? [] : [`the edits left "${read(join(folder, "notes.txt"))}"`])
  ]
}

const read = (file: string): string => existsSync(file) ? readFileSync(file, "utf8") : ""
