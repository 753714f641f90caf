/**
 * Finds and ends every process of a run, also what left its process group (setsid, double fork, job control).
 * A run is known by its group, by its session, and by a marker in the environment that children inherit; only a
 * process that drops its environment and makes a session of its own is not found.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"

/** The environment variable that carries the marker; a run inside a run carries both, joined by `/`. */
export const variable = "DACAPO_RUN"

/** `leader` is the pid of the first process, which leads the group and the session; where it is not known, the marker tells the run. */
export interface Run {
  readonly leader?: number
  readonly marker: string
}

/** ms for SIGKILL to do its work; what is left then can't be ended by us (another user's, stuck in the kernel). */
const killFor = 2000

/** Ends all of a run: SIGTERM, after `graceMs` SIGKILL until a scan finds nothing. Returns when nothing is left that we can end. */
export const stop = Effect.fnUntraced(function*(run: Run, graceMs: number) {
  const clock = yield* Clock.Clock
  const since = clock.currentTimeMillisUnsafe()
  const asked = new Set<number>()
  for (let round = 0;; round++) {
    const left = yield* alive(run)
    if (left.length === 0) return
    const waited = clock.currentTimeMillisUnsafe() - since
    if (waited >= graceMs + killFor) return
    const force = waited >= graceMs
    if (run.leader !== undefined && (force || round === 0)) signalGroup(run.leader, force ? "SIGKILL" : "SIGTERM")
    for (const pid of left) {
      if (!force && asked.has(pid)) continue
      asked.add(pid)
      signal(pid, force ? "SIGKILL" : "SIGTERM")
    }
    yield* Effect.sleep(Math.min(5 * 2 ** round, 50))
  }
})

/** Pids of the run that are not dead (a zombie is). */
export const alive = (run: Run): Effect.Effect<ReadonlyArray<number>> =>
  fs.existsSync("/proc/self/environ") ? Effect.sync(() => scanProc(run)) : scanPs(run)

/** A process that a run left; `command` is what it was started with. */
export interface Orphan {
  readonly pid: number
  readonly command: string
}

/**
 * What runs left whose owner is gone: a marker names the process that made it, and an owner that was killed could not
 * clean up after itself. Owners of other process namespaces (containers) are not ours to judge.
 */
export const orphans: Effect.Effect<ReadonlyArray<Orphan>> = Effect.sync(() => {
  if (!fs.existsSync("/proc/self/environ")) return []
  return pids().flatMap((pid) => isDead(markerOf(pid) ?? "") ? [{ pid, command: commandOf(pid) }] : [])
})

/** Whether the owner that a text begins with was a process of this namespace, and is no more. Needs /proc. */
export const isDead = (text: string): boolean => {
  const [, space, owner, started] = /^(\d+)\.(\d+)\.(\d+)\./.exec(text) ?? []
  return space !== undefined && space === namespace() && statOf(Number(owner))?.started !== started
}

/** Ends the orphans, and gives what they were. */
export const sweep: Effect.Effect<ReadonlyArray<Orphan>> = Effect.tap(orphans, (left) => Effect.sync(() => left.forEach(({ pid }) => signal(pid, "SIGKILL"))))

const commandOf = (pid: number): string => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim()
  } catch {
    return ""
  }
}

/** Our own process. */
export const self: number = process.pid

/** Whether a process is there, also one that is not ours. */
export const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** What names us in markers: the namespace, the pid, and when it began, so that a pid that is used again is told apart. */
export const owner = (): string => `${namespace()}.${self}.${statOf(self)?.started ?? "0"}`

const namespace = (): string => {
  try {
    return fs.readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")
  } catch {
    return "0"
  }
}

const scanProc = ({ leader, marker }: Run): ReadonlyArray<number> =>
  pids().filter((pid) => {
    const stat = statOf(pid)
    if (stat === undefined || stat.state === "Z" || stat.state === "X") return false
    return stat.group === leader || stat.session === leader || belongs(markerOf(pid), marker)
  })

const belongs = (found: string | undefined, marker: string): boolean =>
  found !== undefined && (found === marker || found.startsWith(`${marker}/`))

/** Where there is no /proc (macOS): `ps` shows the environment of the user's own processes behind the command. */
const scanPs = ({ leader, marker }: Run): Effect.Effect<ReadonlyArray<number>> =>
  Effect.callback<ReadonlyArray<number>>((resume) => {
    const child = execFile("ps", ["-axwwE", "-o", "pid=,pgid=,stat=,command="], { maxBuffer: 64 << 20 }, (_, out) =>
      resume(Effect.succeed(
        out.split("\n").flatMap((line) => {
          const [, pid, group, state, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/.exec(line) ?? []
          if (pid === undefined || state?.startsWith("Z")) return []
          return Number(group) === leader || belongs(/ DACAPO_RUN=(\S+)/.exec(command)?.[1], marker) ? [Number(pid)] : []
        })
      )))
    return Effect.sync(() => child.kill())
  })

const pids = (): ReadonlyArray<number> =>
  fs.readdirSync("/proc").flatMap((name) => /^\d+$/.test(name) ? [Number(name)] : [])

/** Fields of /proc/pid/stat behind the name, which may itself hold spaces and brackets; see proc(5). */
const statOf = (pid: number) => {
  const text = read(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const [state, , group, session, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return { state, group: Number(group), session: Number(session), started: rest[15] }
}

const markerOf = (pid: number): string | undefined => {
  const text = read(`/proc/${pid}/environ`)
  const at = text === undefined ? -1 : `\0${text}`.indexOf(`\0${variable}=`)
  return text === undefined || at < 0 ? undefined : text.slice(at + variable.length + 1).split("\0", 1)[0]
}

/** Undefined for a process that is gone, or is someone else's. */
const read = (path: string): string | undefined => {
  try {
    return fs.readFileSync(path, "latin1")
  } catch {
    return undefined
  }
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already, or no longer ours to end.
  }
}

const signalGroup = (leader: number, name: NodeJS.Signals): void => signal(-leader, name)
