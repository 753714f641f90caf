/**
 * Sessions at rest on a cluster of three runners: the memory of its processes, and how long a session takes to wake up.
 * `node bench/resting.ts [sessions]`, after a build; PostgreSQL has to be installed.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import * as Cluster from "../test/cli/support/Cluster.ts"
import type { Event } from "../test/cli/support/Server.ts"
import { percentile, report } from "./measure.ts"

const sessions = Number(process.argv[2] ?? 10_000)
/** A runner closes a session that got no message for a minute, and looks for such sessions about once a minute. */
const restMs = 130_000
const concurrent = 16
const awakened = 100

await using cluster = await Cluster.start({ runners: 3, model: () => ({ text: "Done." }) })
const pids = cluster.runners.map(({ running }) => running.child.pid!)

/** MiB of a process. */
const memory = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024
const ofRunners = (): number => Math.max(...pids.map(memory))

/** A whole task; ms until its first event came, and until it ended. */
const work = async (session: string, key: string): Promise<readonly [first: number, end: number]> => {
  const since = performance.now()
  const { signal } = new AbortController()
  await cluster.insist({ _tag: "Say", session, text: "hello", key })
  const first = performance.now() - since
  const isEnd = ({ at }: Event): boolean => at?.event._tag === "TaskFinished" || at?.event._tag === "TaskFailed"
  let ends = 0
  const wanted = Number(key)
  await cluster.follow(session, (event) => isEnd(event) && ++ends === wanted, signal)
  return [first, performance.now() - since]
}

/** All of them in one folder: what a session's own folder holds is not part of this. */
const cwd = `${cluster.workspaces}-shared`
mkdirSync(cwd, { recursive: true })
const before = ofRunners()
const ids: Array<string> = []
const beganAt = performance.now()
const begin = async () => {
  while (ids.length < sessions) {
    const index = ids.push("") - 1
    const { session } = await cluster.insist({ _tag: "Start", cwd })
    ids[index] = session
    await work(session, "1")
    if (index % 1_000 === 999) console.error(`${index + 1} sessions; a runner has ${ofRunners().toFixed(0)} MiB`)
  }
}
await Promise.all(Array.from({ length: concurrent }, begin))
const milliseconds = performance.now() - beganAt
const open = ofRunners()
await setTimeout(restMs)
const resting = ofRunners()

const firsts: Array<number> = []
const ends: Array<number> = []
for (let i = 0; i < Math.min(awakened, sessions); i++) {
  const [first, end] = await work(ids[Math.floor(i * sessions / awakened)]!, "2")
  firsts.push(first)
  ends.push(end)
}

report(`${sessions} sessions at rest on three runners`, "ms; MiB of the largest runner", [
  { claim: "memory without a session, MiB", ours: before },
  { claim: "memory right after their tasks, MiB", ours: open },
  { claim: "memory at rest, with what is not collected yet, MiB", ours: resting },
  { claim: "a task before, one of 16 at once", ours: milliseconds / sessions },
  { claim: "a message to one at rest is recorded, median", ours: percentile(firsts, 0.5) },
  { claim: "the same, 95th percentile", ours: percentile(firsts, 0.95) },
  { claim: "its task is finished, median", ours: percentile(ends, 0.5) },
  { claim: "the same, 95th percentile", ours: percentile(ends, 0.95) }
])
