/**
 * Finds and ends every process of a run, including those that left its process group (setsid, double fork, job
 * control). A run is identified by its group, its session, and a marker in the environment that child processes
 * inherit; only a process that drops its environment and creates its own session is missed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"

/** The environment variable with the marker; a run inside a run carries both, joined by `/`. */
export const variable = "DACAPO_RUN"

/**
 * `leader` is the pid of the first process, which leads the group and the session; if it is unknown, the marker
 * identifies the run.
 */
export interface Run {
  readonly leader?: number
  readonly marker: string
}

/** ms for SIGKILL to take effect; whatever is left then can't be ended by us (another user's process, stuck in the kernel). */
const killTimeoutMs = 2000

let isHurried = false

/** From now on nothing gets time to exit by itself: everything to be ended gets SIGKILL. */
export const hurry = (): void => {
  isHurried = true
}

/** Ends all of a run: SIGTERM, after `graceMs` SIGKILL until a scan finds nothing. Returns when nothing is left that we can end. */
export const stop = Effect.fnUntraced(function*(run: Run, graceMs: number) {
  const clock = yield* Clock.Clock
  const since = clock.currentTimeMillisUnsafe()
  const signaledPids = new Set<number>()
  let forcedAtMs: number | undefined
  for (let round = 0;; round++) {
    const survivors = yield* alive(run)
    if (survivors.length === 0) return
    const elapsedMs = clock.currentTimeMillisUnsafe() - since
    if (isHurried || elapsedMs >= graceMs) forcedAtMs ??= elapsedMs
    if (forcedAtMs !== undefined && elapsedMs >= forcedAtMs + killTimeoutMs) return
    const force = forcedAtMs !== undefined
    if (run.leader !== undefined && (force || round === 0)) signalGroup(run.leader, force ? "SIGKILL" : "SIGTERM")
    for (const pid of survivors) {
      if (!force && signaledPids.has(pid)) continue
      signaledPids.add(pid)
      signal(pid, force ? "SIGKILL" : "SIGTERM")
    }
    yield* Effect.sleep(Math.min(5 * 2 ** round, 50))
  }
})

/** Pids of the run that are not dead (a zombie is). */
export const alive = (run: Run): Effect.Effect<ReadonlyArray<number>> =>
  fs.existsSync("/proc/self/environ") ? Effect.sync(() => scanProc(run)) : scanPs(run)

/** A leftover process of a run; `command` is its command line. */
export interface Orphan {
  readonly pid: number
  readonly command: string
}

/**
 * Leftovers of runs whose owner is gone: a marker names the process that created it, and an owner that was killed could
 * not clean up after itself. Owners in other process namespaces (containers) are not ours to judge.
 */
export const orphans: Effect.Effect<ReadonlyArray<Orphan>> = Effect.sync(() => {
  if (!fs.existsSync("/proc/self/environ")) return []
  return pids().flatMap((pid) => isDead(markerOf(pid) ?? "") ? [{ pid, command: commandOf(pid) }] : [])
})

/** Whether the owner at the beginning of a text was a process of this namespace, and has exited. Needs /proc. */
export const isDead = (text: string): boolean => {
  const [, namespaceId, owner, startTime] = /^(\d+)\.(\d+)\.(\d+)\./.exec(text) ?? []
  return namespaceId !== undefined && namespaceId === namespace() && statOf(Number(owner))?.startTime !== startTime
}

/** Ends the orphans, and returns them. */
export const sweep: Effect.Effect<ReadonlyArray<Orphan>> = Effect.tap(
  orphans,
  (list) => Effect.sync(() => list.forEach(({ pid }) => signal(pid, "SIGKILL")))
)

const commandOf = (pid: number): string => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim()
  } catch {
    return ""
  }
}

/** Whether a process of this program is running whose command line contains a text. */
export const isRunning = (program: string, text: string): Effect.Effect<boolean> =>
  fs.existsSync("/proc/self/environ")
    ? Effect.sync(() => pids().map(commandOf).some((line) => line.startsWith(`${program} `) && line.includes(text)))
    : Effect.callback((resume) => {
      const child = execFile("ps", ["-axww", "-o", "command="], { env: { PATH: "/bin:/usr/bin" }, maxBuffer: 64 << 20 }, (_, out) =>
        resume(Effect.succeed(
          out.split("\n").some((line) =>
            line.startsWith(`${program} `) && line.includes(text)
          )
        )))
      return Effect.sync(() =>
        child.kill()
      )
    })

/** Our own process. */
export const self: number = process.pid

/** Whether a process exists, including those of others. */
export const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Our identity in markers: the namespace, the pid, and its start time, which distinguishes reused pids. */
export const owner = (): string => `${namespace()}.${self}.${statOf(self)?.startTime ?? "0"}`

let runs = 0

/** A new run's marker, unique within this process, whoever starts it; `variables` are those with which this process was started. */
export const marker = (variables: Readonly<Record<string, string | undefined>>): string => {
  const outer = variables[variable]
  return [...(outer === undefined ? [] : [outer]), `${owner()}.${++runs}`].join("/")
}

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
    return stat.group === leader || stat.session === leader || isInRun(markerOf(pid), marker)
  })

const isInRun = (candidate: string | undefined, marker: string): boolean =>
  candidate !== undefined && (candidate === marker || candidate.startsWith(`${marker}/`))

/** Without /proc (macOS): `ps` shows the environment of the user's own processes after the command. */
const scanPs = ({ leader, marker }: Run): Effect.Effect<ReadonlyArray<number>> =>
  Effect.callback<ReadonlyArray<number>>((resume) => {
    const child = execFile(
      "ps",
      ["-axwwE", "-o", "pid=,pgid=,stat=,command="],
      { env: { PATH: "/bin:/usr/bin" }, maxBuffer: 64 << 20 },
      (_, out) =>
        resume(Effect.succeed(
          out.split("\n").flatMap((line) => {
            const [, pid, group, state, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s(.*)$/.exec(line) ?? []
            if (pid === undefined || state?.startsWith("Z")) return []
            return Number(group) === leader || isInRun(/ DACAPO_RUN=(\S+)/.exec(command)?.[1], marker) ? [Number(pid)] : []
          })
        ))
    )
    return Effect.sync(() => child.kill())
  })

const pids = (): ReadonlyArray<number> => fs.readdirSync("/proc").flatMap((name) => /^\d+$/.test(name) ? [Number(name)] : [])

/** Fields of /proc/pid/stat after the name, which may itself contain spaces and brackets; see proc(5). */
const statOf = (pid: number) => {
  const text = read(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const [state, , group, session, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return { state, group: Number(group), session: Number(session), startTime: rest[15] }
}

const markerOf = (pid: number): string | undefined => {
  const text = read(`/proc/${pid}/environ`)
  const at = text === undefined ? -1 : `\0${text}`.indexOf(`\0${variable}=`)
  return text === undefined || at < 0 ? undefined : text.slice(at + variable.length + 1).split("\0", 1)[0]
}

/** Undefined for a process that is gone, or belongs to someone else. */
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
