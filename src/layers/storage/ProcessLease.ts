/**
 * The process that holds a lease, and whether it is still alive. A pid is not enough: pids are reused, and mean
 * nothing on another machine or in another container that shares the folder.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { LogError } from "../../domain/session/LogError.ts"

/**
 * `born` is the start time from the kernel, "" if unavailable; `host` identifies the machine, its boot and the pid namespace.
 * `runner` is the name of a runner of a cluster.
 */
export interface LeaseHolder {
  readonly pid: number
  readonly born: string
  readonly host: string
  readonly runner?: string
}

/** After this long without a heartbeat, a holder that can't be inspected counts as dead. */
export const leaseTimeoutMs = 60_000

const read = (get: () => string): string => {
  try {
    return get().trim()
  } catch {
    return ""
  }
}

/** State and start time of a process, from /proc on Linux; the name before them may contain spaces and parentheses. */
const stat = (pid: number): { readonly state: string; readonly born: string } | undefined => {
  const text = read(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return text === "" ? undefined : { state: fields[0]!, born: fields[19]! }
}

/** This process. */
export const currentHolder = (): LeaseHolder => ({
  pid: process.pid,
  born: stat(process.pid)?.born ?? "",
  host: [
    hostname(),
    read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    read(() => readlinkSync("/proc/self/ns/pid"))
  ].join(" ")
})

/** A process that was paused, or cut off, until another one took over its session. */
export const lost = (session: string): LogError =>
  new LogError({
    session,
    message: `Session ${session} was continued by another dacapo, so this one can no longer write to it.`,
    reason: { _tag: "Locked", pid: 0 }
  })

/** Whether `holder` is alive, as seen from `current`; `silentMs` is the time since its last heartbeat. */
export const isAlive = (holder: LeaseHolder, current: LeaseHolder, silentMs: number): boolean => {
  if (holder.host !== current.host) return silentMs < leaseTimeoutMs
  if (!exists(holder.pid)) return false
  if (holder.born === "") return silentMs < leaseTimeoutMs
  const now = stat(holder.pid)
  return now !== undefined && now.state !== "Z" && now.born === holder.born
}

const exists = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
