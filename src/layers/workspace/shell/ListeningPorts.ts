/** The TCP ports that processes listen on: from /proc (see proc_pid_net(5)), or through lsof without it. */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"

/** Ascending, each once. */
export const listeningPorts = (pids: ReadonlyArray<number>, path: string): Effect.Effect<ReadonlyArray<number>> => {
  if (pids.length === 0) return Effect.succeed([])
  const lookup = fs.existsSync("/proc/self/net/tcp") ? Effect.sync(() => pids.flatMap(portsOfProcess)) : byLsof(pids, path)
  return Effect.map(lookup, (ports) => [...new Set(ports)].sort((a, b) => a - b))
}

/** Of one process, in its own network: a sandbox has a different one. */
const portsOfProcess = (pid: number): ReadonlyArray<number> => {
  const sockets = new Set(socketsOf(pid))
  return sockets.size === 0 ? [] : ["tcp", "tcp6"].flatMap((table) => entries(`/proc/${pid}/net/${table}`, sockets))
}

/** Inodes of the sockets that a process holds. */
const socketsOf = (pid: number): ReadonlyArray<string> =>
  attempt([], () =>
    fs.readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const target = attempt("", () => fs.readlinkSync(`/proc/${pid}/fd/${fd}`))
      return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []
    }))

/** The state of a listening socket in the kernel's tables. */
const listenState = "0A"

const entries = (file: string, sockets: ReadonlySet<string>): ReadonlyArray<number> =>
  attempt("", () => fs.readFileSync(file, "latin1")).split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/)
    return state === listenState && sockets.has(inode) ? [parseInt(local.slice(local.lastIndexOf(":") + 1), 16)] : []
  })

/** lsof writes a line `n127.0.0.1:3000` for each socket. */
const byLsof = (pids: ReadonlyArray<number>, path: string): Effect.Effect<ReadonlyArray<number>> =>
  Effect.callback<ReadonlyArray<number>>((resume) => {
    const args = ["-nP", "-a", "-iTCP", "-sTCP:LISTEN", "-p", pids.join(","), "-Fn"]
    const child = execFile(
      "lsof",
      args,
      { env: { PATH: path } },
      (_, out) => resume(Effect.succeed([...out.matchAll(/^n.*:(\d+)$/gm)].map(([, port]) => Number(port))))
    )
    return Effect.sync(() => child.kill())
  })

/** A process may be gone, or belong to someone else. */
const attempt = <A>(fallback: A, read: () => A): A => {
  try {
    return read()
  } catch {
    return fallback
  }
}
