/**
 * Which process holds a lease, and whether it still lives. A pid alone is not enough: pids are used again, and mean
 * nothing on another machine or in another container that shares the folder.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** `born` is the start time as the kernel counts it, "" where it can't be had; `host` names the machine's boot and pid namespace. */
export interface Holder {
  readonly pid: number
  readonly born: string
  readonly host: string
}

/** ms without a heartbeat after which a holder that can't be looked at counts as dead. */
export const patience = 60_000

const read = (get: () => string): string => {
  try {
    return get().trim()
  } catch {
    return ""
  }
}

/** State and start time of a process, from Linux's /proc; the name before them may hold spaces and brackets. */
const stat = (pid: number): { readonly state: string; readonly born: string } | undefined => {
  const text = read(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  return text === "" ? undefined : { state: fields[0]!, born: fields[19]! }
}

/** This process. */
export const self = (): Holder => ({
  pid: process.pid,
  born: stat(process.pid)?.born ?? "",
  host: [
    hostname(),
    read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    read(() => readlinkSync("/proc/self/ns/pid"))
  ].join(" ")
})

/** Whether `holder` still lives, as seen from `here`; `silent` is the time in ms since its last heartbeat. */
export const lives = (holder: Holder, here: Holder, silent: number): boolean => {
  if (holder.host !== here.host) return silent < patience
  if (!exists(holder.pid)) return false
  if (holder.born === "") return silent < patience
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
