/** What anyone can see of a process from outside, on Linux: its children, its locks, its output; and how it is killed. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { setImmediate, setTimeout } from "node:timers/promises"
import type { SessionEvent } from "../../src/domain/session/SessionEvent.ts"
import * as Process from "../cli/support/Process.ts"

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const children = (pid: number): ReadonlyArray<number> =>
  read(`/proc/${pid}/task/${pid}/children`).trim().split(" ").filter((child) => child !== "").map(Number)

/** Git at work on a checkpoint, by what its command line or its variables name; `task`: a word of its arguments. */
export const runsGit = (pid: number, folder: string, task = ""): boolean =>
  children(pid).some((child) => {
    const args = read(`/proc/${child}/cmdline`).replaceAll("\0", " ")
    return args.includes("git") && args.includes(task) && (args.includes(folder) || read(`/proc/${child}/environ`).includes(folder))
  })

/** Within a write transaction: SQLite's write lock of a shared memory is its byte 120 (sqlite.org/walformat.html). */
export const writesDatabase = (pid: number): boolean => new RegExp(`WRITE ${pid} \\S+ 120 120$`, "m").test(read("/proc/locks"))

/** Not ended, and no zombie either. */
const alive = (pid: number): boolean => /\) [^ZX]/.test(read(`/proc/${pid}/stat`))

/** False for a process that has ended meanwhile. */
const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

export interface Run {
  readonly pid: () => number | undefined
  /** Events that it has shown whole, in the native log's format. */
  readonly shown: ReadonlyArray<SessionEvent>
  readonly ended: Promise<unknown>
  /** Called again and again once it has been killed, with the milliseconds since then, until it has ended. */
  readonly wake?: (waited: number) => void
}

/** Takes each whole line that a stream brings. */
const lines = (take: (line: string) => void): (chunk: string) => void => {
  let rest = ""
  return (chunk) => {
    const parts = (rest + chunk).split("\n")
    rest = parts.pop()!
    parts.forEach(take)
  }
}

export const start = (place: Process.Place, args: ReadonlyArray<string>): Run => {
  const { child, ended } = Process.start(place, args)
  const shown: Array<SessionEvent> = []
  child.stdout!.on("data", lines((line) => void (line.startsWith("{\"v\"") && shown.push(JSON.parse(line) as SessionEvent))))
  return { pid: () => child.pid, shown, ended }
}

/** On a terminal of its own, which `script` of util-linux makes; `screen` takes what is drawn. */
export const startOnTerminal = (place: Process.Place, args: ReadonlyArray<string>, screen: (drawn: string) => void): Run => {
  const command = [process.execPath, Process.main, ...args].map((word) => `'${word}'`).join(" ")
  const child = spawn("script", ["-qfec", `exec ${command}`, "/dev/null"], {
    cwd: place.cwd,
    env: place.environment,
    stdio: ["pipe", "pipe", "ignore"]
  })
  child.stdout.setEncoding("utf8").on("data", screen)
  return {
    pid: () => children(child.pid!)[0],
    shown: [],
    ended: new Promise((resolve) => child.on("close", resolve)),
    // `script` goes to sleep with what runs in it, and may miss its death.
    wake: (waited) => void child.kill(waited < 3000 ? "SIGCONT" : "SIGKILL")
  }
}

/**
 * Waits for the moment without a pause (it may last a tenth of a millisecond) and some ms more, then kills. The process
 * is stopped first, so that it is known what it was in when it died: gives whether the moment still held.
 */
export const kill = async (run: Run, moment: (pid: number) => boolean, delayMs: number): Promise<boolean> => {
  let over = false
  void run.ended.then(() => (over = true))
  const giveUp = AbortSignal.timeout(60_000)
  while (!over) {
    const pid = run.pid()
    if (giveUp.aborted && pid !== undefined) signal(pid, "SIGKILL")
    if (pid === undefined || !moment(pid)) {
      await setImmediate()
      continue
    }
    if (delayMs > 0) await setTimeout(delayMs)
    if (!alive(pid) || !signal(pid, "SIGSTOP")) break
    const held = moment(pid)
    const gits = children(pid).filter((child) => read(`/proc/${child}/comm`).startsWith("git"))
    signal(pid, "SIGKILL")
    for (let waited = 0; !over; waited += 20) {
      run.wake?.(waited) // more than once: it may only now fall asleep
      await Promise.race([run.ended, setTimeout(20)])
    }
    while (gits.some(alive)) await setTimeout(5) // what git has begun it ends by itself
    return held
  }
  await run.ended
  return false
}
